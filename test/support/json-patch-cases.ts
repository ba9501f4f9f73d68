/**
 * The cases of json-patch-tests (github.com/json-patch/json-patch-tests, tests.json), rewritten: each document is a
 * member of a resource, and the pointers of its patch begin there.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonValue } from '../../src/core/fhir/json';

/** Title, document, patch (a text where JSON cannot say it twice), and the expected document; without: refused. */
export type JsonPatchCase = [
  title: string,
  document: JsonValue,
  patch: JsonValue[] | string,
  expected?: JsonValue,
];

const FILE = path.join(__dirname, '..', 'core', 'fhir', 'patch-cases', 'json-patch.ndjson');

export const jsonPatchCases = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as JsonPatchCase);

/** The text of a patch whose pointers begin at the member `content`. */
export function moveDown(patch: JsonValue[] | string): string {
  const text = typeof patch === 'string' ? patch : JSON.stringify(patch);
  return text.replace(/"(path|from)":"(?=[/"])/g, '"$1":"/content');
}
