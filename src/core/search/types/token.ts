import { fhirError } from '../../errors';
import { ROW_SCHEME } from '../index-rows';
import { splitUnescaped, unescapeValue } from '../parameter-value';
import type { Predicate } from '../predicate';
import { foldCode, isCaseInsensitive } from '../rows/token';
import type { SearchType } from './search-type';

/** Types whose values have no system: a `|` in the search value is a mistake (search-rules.md, Token). */
const WITHOUT_SYSTEM: ReadonlySet<string> = new Set([
  'boolean',
  'uri',
  'url',
  'canonical',
  'ContactPoint',
  'string',
  'id',
]);

/** `code`, `system|code`, `|code` (no system), `system|` (any code of it) (search.html#token). */
export const tokenType: SearchType = {
  modifiers: ['not', 'of-type'],
  negations: ['not'],
  predicates({ hasher }, { stored, name, modifier }, value): Predicate[] {
    const refuse = (reason: string): Error =>
      fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    const parts = splitUnescaped(value, '|').map(unescapeValue);
    if (modifier === 'of-type') {
      const [system = '', type = '', text = ''] = parts;
      if (parts.length !== 3 || type === '' || text === '')
        throw refuse('it is system|code|value of an identifier');
      return stored.rowsOf.map(({ number }): Predicate => {
        const high = hasher.parts(system, foldCode(type), foldCode(text));
        return {
          index: 'token',
          parameter: number + ROW_SCHEME.ofType,
          value: { high, low: hasher.low },
          system: 0,
        };
      });
    }
    if (parts.length > 2)
      throw refuse('a token is code, system|code, |code or system|; write \\| for a bar inside');
    const [first = '', second] = parts;
    const code = second ?? first;
    if (second !== undefined && stored.valueTypes.every((type) => WITHOUT_SYSTEM.has(type))) {
      throw refuse('values of this parameter have no system');
    }
    const system = second === undefined ? undefined : first === '' ? 0 : hasher.remembered(first);
    if (code === '') {
      if (second === undefined || first === '') throw refuse('there is neither a system nor a code');
      return stored.rowsOf.map(({ number }) => ({
        index: 'token',
        parameter: number,
        value: undefined,
        system,
      }));
    }
    return stored.rowsOf.flatMap(({ number }) =>
      spellings(code, stored.valueTypes).map((spelling): Predicate => {
        const high = hasher.text(spelling);
        return { index: 'token', parameter: number, value: { high, low: hasher.low }, system };
      }),
    );
  },
};

/** How the code stands in the index: as written for codes, folded for codings; both where a parameter has both. */
function spellings(code: string, valueTypes: readonly string[]): string[] {
  const folded = foldCode(code);
  const found = new Set<string>();
  if (valueTypes.some(isCaseInsensitive)) found.add(folded);
  if (valueTypes.length === 0 || valueTypes.some((type) => !isCaseInsensitive(type))) found.add(code);
  return [...found];
}
