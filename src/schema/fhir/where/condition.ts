/** A condition of `where`. It has the shape of core's conditions, because the schema does not import core. */
export type Condition =
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'all' | 'not'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly (readonly Condition[])[] }
  | {
      readonly kind: 'chain';
      readonly parameter: string;
      readonly target: string;
      readonly of: readonly Condition[];
    }
  | {
      readonly kind: 'has';
      readonly source: string;
      readonly parameter: string;
      readonly of: readonly Condition[];
    };

/** A condition that nothing meets. */
export const NEVER: Condition = { kind: 'any', of: [] };
