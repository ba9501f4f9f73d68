import { ROW_SCHEME } from '../rows/index-rows';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import { foldCode } from '../rows/token';
import type { Modifier } from '../types/search-type';
import { refusal } from '../types/token-codes';

/**
 * `system|code|value`: matches an Identifier by the system and code of its type, and by its value (search.html#token).
 */
export const tokenOfType: Modifier = {
  predicates({ hasher }, parameter, value) {
    const parts = splitUnescaped(value, '|').map(unescapeValue);
    const [system = '', type = '', text = ''] = parts;
    if (parts.length !== 3 || type === '' || text === '')
      throw refusal(parameter, value, 'it is system|code|value of an identifier');
    return parameter.stored.rowsOf.map(({ number }): Predicate => {
      const high = hasher.parts(system, foldCode(type), foldCode(text));
      return {
        index: 'token',
        parameter: number + ROW_SCHEME.ofType,
        value: { high, low: hasher.low },
        system: 0,
      };
    });
  },
};
