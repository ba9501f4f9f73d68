import { isValidId } from '../../fhir/resource';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { SpecialParameter } from './special';

/** `_id=a,b`: these ids; a text that cannot be an id matches nothing (search.html#id). `:not`: all but these. */
export const idParameter: SpecialParameter = {
  modifiers: ['not'],
  criterion(context, { type, name, modifier, value }) {
    const ids = splitUnescaped(value, ',').map(unescapeValue).filter(isValidId);
    const keys = ids.map((id) => context.keyOf(type, id));
    return {
      name,
      anyOf: keys.length === 0 ? [] : [{ index: 'key', keys, isWritten: true }],
      ...(modifier === 'not' ? { isNegated: true } : {}),
    };
  },
};
