/** What a tenant's policies say: which types, by which interactions, which of their resources, which elements. */
import type { QueryParameter } from '../fhir/query-text';
import type { Right } from './right';

export interface PolicyRule {
  /** `*`: all. */
  readonly types: readonly string[];
  readonly rights: ReadonlySet<Right>;
  /** One of them is met, all parameters of it; none: every resource. `{user}` and `{patient}` in values stand for those of the token. */
  readonly anyOf: readonly (readonly QueryParameter[])[];
}

export interface Policy {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** Codes without `$`; undefined: all, as far as the rules allow what they read and write. */
  readonly operations?: readonly string[] | undefined;
  /** `Type.element`, `Type.element.element`. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}
