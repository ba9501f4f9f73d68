import type { Criterion } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import type { NestedParameter } from './chain';

/** A special parameter as written: `name` includes the modifier. */
export interface SpecialInput extends NestedParameter {
  readonly modifier: string | undefined;
}

/** A parameter that the server supports for every type, independent of the definitions. */
export interface SpecialParameter {
  readonly modifiers: readonly string[];
  /** Throws invalidParameterValue, unsupportedModifier. */
  criterion(context: SearchTypeContext, input: SpecialInput): Criterion;
}
