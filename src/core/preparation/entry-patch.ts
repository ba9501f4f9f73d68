import { isUtf8 } from 'node:buffer';
import { fhirError } from '../errors';
import { parseJson, type JsonDocument, type JsonObject } from '../fhir/json';
import type { BundleLimits } from './bundle';

const PATCH_TYPES: ReadonlySet<unknown> = new Set([
  'application/json-patch+json',
  'application/json',
  'application/fhir+json',
]);

/**
 * Returns the patch of an entry (https://hl7.org/fhir/R4/http.html#patch): from a Binary with a JSON Patch, or the
 * Parameters of a FHIRPath Patch. Throws `patchInvalid`.
 */
export function readPatch(resource: JsonObject, limits: BundleLimits, marked: boolean): JsonDocument {
  const { resourceType, contentType, data } = resource;
  if (resourceType === 'Parameters') return { value: resource, marked };
  if (resourceType !== 'Binary')
    throw fhirError(
      'patchInvalid',
      {
        reason: 'in a Bundle it is a Binary with a JSON Patch, or Parameters with a FHIRPath Patch',
      },
      'Binary',
    );
  const mime = typeof contentType === 'string' ? contentType.split(';', 1)[0]?.trim().toLowerCase() : '';
  if (!PATCH_TYPES.has(mime))
    throw fhirError(
      'patchInvalid',
      { reason: 'the contentType of its Binary is application/json-patch+json' },
      'Binary.contentType',
    );
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64');
  if (bytes.length === 0 || !isUtf8(bytes))
    throw fhirError('patchInvalid', { reason: 'its Binary has no text as data' }, 'Binary.data');
  return parseJson(bytes.toString('utf8'), limits);
}
