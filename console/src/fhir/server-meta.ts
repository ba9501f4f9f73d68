/** What the server writes into the metadata of a record. */
import { AUTHOR_EXTENSION } from '../../../packages/fhir-values/server-meta';
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';

export function versionOf(record: JsonObject): string {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return textOf(meta['versionId']) ?? '';
}

export function lastUpdatedOf(record: JsonObject): string {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  return textOf(meta['lastUpdated']) ?? '';
}

/** The author of the version, as the server writes it into an extension. */
export function authorOf(record: JsonObject): JsonObject | undefined {
  const meta = isObject(record['meta']) ? record['meta'] : {};
  const author = objectsOf(meta['extension']).find(({ url }) =>
    (textOf(url) ?? '').endsWith(`/StructureDefinition/${AUTHOR_EXTENSION}`),
  );
  return isObject(author?.['valueReference']) ? author['valueReference'] : undefined;
}
