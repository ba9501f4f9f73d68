import { splitUnescaped } from '../../../../packages/fhir-values/search-value';
import { lastUpdatedPredicates } from '../types/last-updated';
import type { SpecialParameter } from './special';

/** `_lastUpdated`: the millisecond column of the head (search.html#lastUpdated). */
export const lastUpdatedParameter: SpecialParameter = {
  modifiers: [],
  criterion(context, { name, value }) {
    return {
      name,
      anyOf: splitUnescaped(value, ',').flatMap((part) => lastUpdatedPredicates(context, name, part)),
    };
  },
};
