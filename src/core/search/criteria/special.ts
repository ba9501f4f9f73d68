import type { Criterion } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import type { Nesting } from './chain';

/** A parameter that the server answers for every type, whatever the definitions say of its rows. */
export interface SpecialParameter {
  readonly modifiers: readonly string[];
  /**
   * `name`: as in the request, modifier included. `nesting`: where in chains the parameter stands.
   * Throws invalidParameterValue, unsupportedModifier.
   */
  criterion(
    context: SearchTypeContext,
    type: string,
    parameter: { readonly name: string; readonly modifier: string | undefined },
    value: string,
    nesting: Nesting,
  ): Criterion;
}
