import type { Definitions, SearchParameterDefinition } from '../../definitions';
import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';

/**
 * Checks that a composite has at least two components ("A composite search parameter … combines" others,
 * https://hl7.org/fhir/R4/search.html#composite), and that a parameter derived from one of the release has its type and
 * no other bases ("the details in the search parameter must be consistent with the definition from which it is defined").
 */
export function checkSearchParameter(
  { type, component, derivedFrom, base }: JsonObject,
  run: ValidationRun,
  definitions: Definitions,
): void {
  const count = Array.isArray(component) ? component.length : 0;
  if (type === 'composite' && count < 2) {
    const sentence = `A composite search parameter has two components or more, but ${count === 0 ? 'none' : 'one'} was found`;
    run.report('business', sentence, ['component']);
  }
  const origins = originsOf(derivedFrom, definitions);
  const [origin] = origins;
  if (origin === undefined) return;
  const { url, kind } = origin;
  if (typeof type === 'string' && type !== kind)
    run.report('business', `The type is ${shorten(type)}, but ${shorten(url)} is of type ${kind}`, ['type']);
  const types = new Set(origins.map((each) => each.type));
  (Array.isArray(base) ? base : []).forEach((each, index) => {
    if (typeof each !== 'string' || !definitions.isResourceType(each) || types.has(each)) return;
    run.report('business', `${each} is not a base of ${shorten(url)}, from which it is derived`, [
      'base',
      index,
    ]);
  });
}

/** The definitions of the release with this canonical url, one for each of its types. */
function originsOf(canonical: unknown, definitions: Definitions): readonly SearchParameterDefinition[] {
  if (typeof canonical !== 'string') return [];
  const url = canonical.replace(/\|.*$/, '');
  return definitions.allSearchParameters.filter((each) => each.url === url);
}
