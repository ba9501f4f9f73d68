import { isJsonObject, type JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import { parseReference } from '../../reference/literal';
import type { ValidationRun } from '../run';
import { isAbsolute, objectsOf } from './members';

/** Types of Bundle whose entries are requests; a fullUrl there is any name by which other entries refer to it. */
const REQUESTS: ReadonlySet<unknown> = new Set(['batch', 'transaction']);

/** Links that may occur only once, because a second one would contradict the first. */
const SINGLE_LINKS: ReadonlySet<string> = new Set(['self', 'first', 'previous', 'prev', 'next', 'last']);

/** Source: https://hl7.org/fhir/R4/bundle.html */
export function checkBundle(bundle: JsonObject, run: ValidationRun): void {
  checkLinks(bundle, run);
  if (REQUESTS.has(bundle['type'])) return;
  for (const [index, entry] of objectsOf(bundle['entry'])) {
    if (run.isOver) return;
    const { fullUrl, resource } = entry;
    if (typeof fullUrl === 'string') checkFullUrl(fullUrl, resource, index, run);
    if (bundle['type'] === 'searchset' && isJsonObject(resource)) checkMatch(entry, resource, index, run);
  }
}

function checkLinks({ link }: JsonObject, run: ValidationRun): void {
  const relations = new Set<string>();
  for (const [index, { relation }] of objectsOf(link)) {
    if (typeof relation !== 'string' || !SINGLE_LINKS.has(relation)) continue;
    if (relations.has(relation))
      run.report('business', `There is another link '${relation}'; a Bundle has one`, [
        'link',
        index,
        'relation',
      ]);
    relations.add(relation);
  }
}

/**
 * "The Absolute URL for the resource. The fullUrl SHALL NOT disagree with the id in the resource - i.e. if the fullUrl
 * is not a urn:uuid, the URL shall be version-independent URL consistent with the Resource.id"
 */
function checkFullUrl(
  fullUrl: string,
  resource: JsonObject[string] | undefined,
  index: number,
  run: ValidationRun,
): void {
  const place = ['entry', index, 'fullUrl'];
  if (!isAbsolute(fullUrl)) {
    const sentence = `A fullUrl is absolute (http://…, urn:uuid:…), but '${shorten(fullUrl)}' was found`;
    run.report('business', sentence, place);
    return;
  }
  const { kind, type, id } = parseReference(fullUrl);
  if (kind !== 'absolute' || type === undefined || !isJsonObject(resource)) return;
  const { id: own } = resource;
  // A url that only resembles the address of a resource names another type.
  if (type === resource['resourceType'] && typeof own === 'string' && own !== id)
    run.report(
      'business',
      `The fullUrl '${shorten(fullUrl)}' disagrees with the id '${shorten(own)}'`,
      place,
    );
}

/**
 * Checks search.mode (https://hl7.org/fhir/R4/codesystem-search-entry-mode.html). Matches and includes are resources of
 * a server, so that they have an id.
 */
function checkMatch({ search }: JsonObject, resource: JsonObject, index: number, run: ValidationRun): void {
  const mode = isJsonObject(search) ? search['mode'] : undefined;
  const type = resource['resourceType'];
  if (mode === 'outcome' && type !== 'OperationOutcome')
    run.report('business', `An entry with the mode 'outcome' holds an OperationOutcome, not this resource`, [
      'entry',
      index,
      'resource',
    ]);
  if (mode === 'match' && type === 'OperationOutcome')
    run.report('business', "An OperationOutcome is not a match; its mode is 'outcome'", [
      'entry',
      index,
      'search',
      'mode',
    ]);
  if ((mode === 'match' || mode === 'include') && resource['id'] === undefined)
    run.report('business', "'id' is missing; a resource that a search found must have one", [
      'entry',
      index,
      'resource',
      'id',
    ]);
}
