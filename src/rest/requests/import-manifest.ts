/**
 * The manifest of an import by addresses (https://github.com/smart-on-fhir/bulk-import/blob/master/import-manifest.md): as JSON, or
 * as Parameters with parameters of the same names; and the Parameters of an import of a code system.
 */
import { fhirError, isJsonObject, type JsonObject, type JsonValue, type NewImport } from '../../core';

export const NDJSON_TYPES = [
  'application/fhir+ndjson',
  'application/ndjson',
  'application/x-ndjson',
  'ndjson',
];

const MEMBERS = ['inputFormat', 'inputSource', 'storageDetail', 'input'];
const INPUT_MEMBERS = ['type', 'url'];
const LONGEST_TEXT = 2_048;

/** Returns the files of a manifest, and its `inputSource`. Throws `invalidValue`, naming the member. */
export function readManifest(value: JsonValue): Pick<NewImport, 'files' | 'source'> {
  if (!isJsonObject(value)) refuse('The manifest must be a JSON object, or a Parameters resource');
  const manifest = value['resourceType'] === 'Parameters' ? fromParameters(value) : value;
  requireMembers(manifest, MEMBERS);
  const { inputFormat, inputSource, storageDetail, input } = manifest;
  if (typeof inputFormat !== 'string' || !NDJSON_TYPES.includes(inputFormat))
    refuse(`"inputFormat" must be ${NDJSON_TYPES[0]}`);
  if (inputSource !== undefined && typeof inputSource !== 'string') refuse('"inputSource" must be a URL');
  if (storageDetail !== undefined) requireHttps(storageDetail);
  if (!Array.isArray(input) || input.length === 0)
    refuse('"input" must be a list of files, each with "type" and "url"');
  const files = input.map((file) => {
    if (!isJsonObject(file)) refuse('"input" must be a list of files, each with "type" and "url"');
    requireMembers(file, INPUT_MEMBERS);
    const { type, url } = file;
    if (typeof type !== 'string') refuse('"type" of a file must be a resource type');
    if (typeof url !== 'string') refuse('"url" of a file must be its address');
    return { name: url, type, url };
  });
  return inputSource === undefined ? { files } : { files, source: inputSource };
}

const CODE_SYSTEM_MEMBERS = ['format', 'url', 'version', 'name', 'input'];

/** Returns what the Parameters of `CodeSystem/$import` ask for. Throws `invalidValue`, naming the parameter. */
export function readCodeSystemParameters(value: JsonValue): Pick<NewImport, 'files' | 'codeSystem'> {
  if (!isJsonObject(value) || value['resourceType'] !== 'Parameters')
    refuse('The body must be a Parameters resource');
  const given = fromParameters(value);
  requireMembers(given, CODE_SYSTEM_MEMBERS);
  const text = (name: string): string | undefined => {
    const found = given[name];
    if (found !== undefined && (typeof found !== 'string' || found === '' || found.length > LONGEST_TEXT))
      refuse(`"${name}" must be a text of 1 to ${LONGEST_TEXT} characters`);
    return found;
  };
  const { input } = given;
  const [file, another] = Array.isArray(input) ? input : [];
  if (!isJsonObject(file) || another !== undefined) refuse('There must be one "input", with the part "url"');
  requireMembers(file, ['url']);
  const { url } = file;
  if (typeof url !== 'string') refuse('"url" of the input must be the address of the file');
  const codeSystem = { format: text('format') ?? 'ndjson', url: text('url') };
  return {
    // Administrators and messages see the name; the query may be a secret.
    files: [{ name: url.replace(/[?#].*$/, ''), url }],
    codeSystem: { ...codeSystem, version: text('version'), name: text('name') },
  };
}

function requireHttps(detail: JsonValue): void {
  const type = isJsonObject(detail) ? detail['type'] : undefined;
  if (type !== 'https') refuse('"storageDetail.type" must be https: other stores are not supported');
}

function requireMembers(object: JsonObject, allowed: readonly string[]): void {
  const unknown = Object.keys(object).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    refuse(`'${unknown.slice(0, 40)}' is not allowed; allowed are ${allowed.join(', ')}`);
}

/** Returns the members of a manifest that is written as Parameters. */
function fromParameters({ parameter }: JsonObject): JsonObject {
  const manifest: JsonObject = {};
  const input: JsonValue[] = [];
  for (const each of Array.isArray(parameter) ? parameter : []) {
    if (!isJsonObject(each) || typeof each['name'] !== 'string') refuse('Each parameter must have a name');
    const { name } = each;
    if (name === 'input') input.push(partsOf(each));
    else manifest[name] = name === 'storageDetail' ? partsOf(each) : valueOf(each);
  }
  return { ...manifest, input };
}

function partsOf({ part }: JsonObject): JsonObject {
  const parts: JsonObject = {};
  for (const each of Array.isArray(part) ? part : [])
    if (isJsonObject(each) && typeof each['name'] === 'string') parts[each['name']] = valueOf(each);
  return parts;
}

/** The value of a parameter, of any type that is a text. */
function valueOf(parameter: JsonObject): JsonValue {
  const [, value = null] = Object.entries(parameter).find(([name]) => name.startsWith('value')) ?? [];
  return value;
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
