/** What the server writes into the metadata of a record. */
import { AUTHOR_EXTENSION, SEQUENCE_EXTENSION } from '../../../packages/fhir-values/server-meta';
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';

export function versionOf(record: JsonObject): string {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return textOf(meta['versionId']) ?? '';
}

export function lastUpdatedOf(record: JsonObject): string {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return textOf(meta['lastUpdated']) ?? '';
}

/** The definitions of FHIR came with the server: no request of a tenant wrote them, so that they have the number 0. */
export function isOfServer(record: JsonObject): boolean {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return objectsOf(meta['extension']).some(
    ({ url, valueInteger }) =>
      (textOf(url) ?? '').endsWith(`/StructureDefinition/${SEQUENCE_EXTENSION}`) &&
      textOf(valueInteger) === '0',
  );
}

/** The author of the version, as the server writes it into an extension. */
export function authorOf(record: JsonObject): JsonObject | undefined {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  const author = objectsOf(meta['extension']).find(({ url }) =>
    (textOf(url) ?? '').endsWith(`/StructureDefinition/${AUTHOR_EXTENSION}`),
  );
  return isObject(author?.['valueReference']) ? author['valueReference'] : undefined;
}
