import type { Criterion } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import type { Nesting } from './chain';

/** A parameter that the server supports for every type, independent of the definitions. */
export interface SpecialParameter {
  readonly modifiers: readonly string[];
  /**
   * Returns the criterion. `name`: as in the request, modifier included. `nesting`: the position of the parameter in
   * chains.
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
