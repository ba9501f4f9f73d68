/** Entries that search by POST, `Patient/_search` (https://hl7.org/fhir/R4/http.html#search). */
import { isUtf8 } from 'node:buffer';
import { fhirError } from '../../errors';
import { DECIMAL_MARK, isJsonObject, type JsonObject } from '../json';
import { parseQueryText, type QueryParameter } from '../query-text';
import type { EntryTarget } from './entry-address';

const SEARCH = /^(.*?)\/?_search(?=$|\?)/;

/** Returns the url of a search by POST without `_search`; undefined for any other url. */
export function withoutSearch(url: string): string | undefined {
  const match = SEARCH.exec(url);
  return match === null ? undefined : `${match[1] ?? ''}${url.slice(match[0].length)}`;
}

/** Returns the place that is searched: an instance stands for all of its compartment; undefined: none. */
export function searchedPlace(place: EntryTarget): Exclude<EntryTarget, { kind: 'operation' }> | undefined {
  if (place.kind === 'instance') return { kind: 'compartment', type: place.type, id: place.id };
  return place.kind === 'system' || place.kind === 'type' || place.kind === 'compartment' ? place : undefined;
}

/**
 * Returns the parameters in the resource of the entry: Parameters with simple values, or a Binary with a form. Throws
 * invalidValue for any other resource.
 *
 * @param expression FHIRPath of the resource
 */
export function readSearchBody(
  resource: JsonObject | undefined,
  expression: string,
): readonly QueryParameter[] {
  if (resource === undefined) return [];
  const { resourceType, contentType, data, parameter = [] } = resource;
  if (resourceType === 'Binary' && contentType === 'application/x-www-form-urlencoded') {
    const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64');
    if (!isUtf8(bytes)) throw wrong(`${expression}.data`, 'The form in the Binary is not UTF-8');
    return parseQueryText(bytes.toString('utf8'));
  }
  if (resourceType !== 'Parameters' || !Array.isArray(parameter))
    throw wrong(
      expression,
      'The resource of a search must be Parameters, or a Binary of the contentType application/x-www-form-urlencoded',
    );
  return parameter.map((each, place): QueryParameter => {
    const name = isJsonObject(each) ? each['name'] : undefined;
    const values = isJsonObject(each) ? Object.entries(each).filter(([key]) => key.startsWith('value')) : [];
    const [, value] = values[0] ?? [];
    if (typeof name !== 'string' || values.length !== 1 || !isSimple(value))
      throw wrong(
        `${expression}.parameter[${place}]`,
        'A parameter of a search must have a name and one simple value',
      );
    const text = String(value);
    return [name, text.startsWith(DECIMAL_MARK) ? text.slice(DECIMAL_MARK.length) : text];
  });
}

function isSimple(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function wrong(expression: string, reason: string): Error {
  return fhirError('invalidValue', { reason }, expression);
}
