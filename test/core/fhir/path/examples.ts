/** The official example resources of a release, as the server reads them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../../../../src/core/fhir/json';
import type { Release } from '../../../../src/core/fhir/release';

export function readExamples(release: Release): JsonObject[] {
  const file = join(__dirname, '../../../../examples', `${release}.ndjson.gz`);
  return gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line.length > 0)
    .map((line) => parseJson(line, { maxDepth: 200 }).value)
    .filter((value) => isJsonObject(value));
}

export function nameOf(resource: JsonObject): string {
  return `${textOf(resource['resourceType'])}/${textOf(resource['id'])}`;
}

/** A string member; '' when it is none. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
