/** Concepts above and below a concept in its code system (search.html#token). */
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Predicate } from '../predicate';
import type { SearchTypeContext, WrittenParameter } from './search-type';
import { codeRows, OF_TERMINOLOGY, refusal, requireType } from './token-codes';

/** The system of media types. */
const MEDIA_TYPES = 'urn:ietf:bcp:13';

/**
 * Returns predicates for `:above`, `:below` with `system|code`; a code alone where a binding gives the system. Media
 * types have no code system; `:below` compares the part before their parameters (search.html#mimetype).
 */
export function subsumptionPredicates(
  { definitions: { release }, requireAll }: SearchTypeContext,
  parameter: WrittenParameter,
  relation: 'above' | 'below',
  value: string,
): Predicate[] {
  requireType(parameter, OF_TERMINOLOGY, 'its values are not codes of a code system');
  const { bindingSystems } = parameter.stored;
  const parts = splitUnescaped(value, '|').map(unescapeValue);
  const [first = '', second] = parts;
  const code = second ?? first;
  if (parts.length > 2 || code === '' || (second !== undefined && first === ''))
    throw refusal(parameter, value, 'a concept is system|code');
  const systems = second === undefined ? bindingSystems : [first];
  if (systems.length === 0)
    throw refusal(parameter, value, 'write system|code: a code alone does not name a concept');
  return systems.map((system): Predicate => {
    if (system !== MEDIA_TYPES || !bindingSystems.includes(MEDIA_TYPES)) {
      requireAll?.('CodeSystem', `The modifier ':${relation}'`);
      return { index: 'subsumption', rows: codeRows(parameter), relation, system, code };
    }
    if (relation === 'above') throw refusal(parameter, value, 'media types are compared with :below only');
    const definition = parameter.stored.parameter;
    return {
      index: 'scan',
      scan: {
        kind: 'mediaType',
        release,
        type: definition.type,
        parameter: definition,
        base: code.toLowerCase(),
      },
    };
  });
}
