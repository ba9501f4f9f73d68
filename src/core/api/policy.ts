/** A policy in requests and responses (docs/run/access-rules.md, Policies). */
export interface PolicyDefinition {
  readonly rules: readonly {
    readonly types: readonly string[];
    /** Some of `cruds`, in that order. */
    readonly interactions: string;
    /** Queries such as `category=laboratory&status=final`; a resource must meet one of them. */
    readonly criteria?: readonly string[];
  }[];
  readonly operations?: readonly string[];
  readonly hidden?: readonly string[];
  readonly readOnly?: readonly string[];
}
