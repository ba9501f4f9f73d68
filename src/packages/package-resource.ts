import { FhirError, parseJson, type JsonDocument, type JsonObject, type JsonValue } from '../core';
import { isObject, listOf } from './members';
import type { PackageEntry } from './package-file';

/** A resource of a package. */
export interface PackageResource {
  /** Below `package/`. */
  readonly file: string;
  readonly isExample: boolean;
  readonly type: string;
  readonly id: string;
  readonly document: JsonDocument;
  readonly resource: JsonObject;
}

/** A file that is not stored, and why. */
export interface Refusal {
  readonly file: string;
  readonly reason: string;
}

export interface PackageContent {
  readonly resources: readonly PackageResource[];
  readonly refused: readonly Refusal[];
}

/** The resources of the files, each type and id once. */
export function readResources(
  entries: readonly PackageEntry[],
  types: ReadonlySet<string>,
  maxDepth: number,
): PackageContent {
  const byAddress = new Map<string, PackageResource>();
  const refused: Refusal[] = [];
  for (const entry of entries) {
    const read = readResource(entry, types, maxDepth);
    if ('reason' in read) {
      refused.push(read);
      continue;
    }
    const address = `${read.type}/${read.id}`;
    const first = byAddress.get(address);
    if (first === undefined) byAddress.set(address, read);
    else refused.push({ file: entry.name, reason: `${first.file} of the same package is ${address} too` });
  }
  return { resources: [...byAddress.values()], refused };
}

function readResource(
  { name: file, isExample, text }: PackageEntry,
  types: ReadonlySet<string>,
  maxDepth: number,
): PackageResource | Refusal {
  if (text === undefined) return { file, reason: 'it is larger than a resource may be (MAX_BODY_BYTES)' };
  let document: JsonDocument;
  try {
    document = parseJson(text, { maxDepth });
  } catch (error) {
    return { file, reason: reasonOf(error) };
  }
  const resource = document.value;
  const type = isObject(resource) ? resource['resourceType'] : undefined;
  if (!isObject(resource) || typeof type !== 'string') {
    return { file, reason: 'it is not a resource: it has no resourceType' };
  }
  if (!types.has(type)) return { file, reason: `'${type}' is not a resource type of this FHIR release` };
  const { id } = resource;
  if (typeof id !== 'string') return { file, reason: `the ${type} has no id` };
  return { file, isExample, type, id, document, resource };
}

/** StructureDefinitions, those before others that rest on them; where they need each other, in their order. */
export function inOrderOfNeed(structures: readonly PackageResource[]): readonly PackageResource[] {
  const byUrl = new Map(structures.map((each) => [each.resource['url'], each]));
  const ordered: PackageResource[] = [];
  const visited = new Set<PackageResource>();
  const visit = (each: PackageResource): void => {
    if (visited.has(each)) return;
    visited.add(each);
    for (const url of urlsOf(each.resource)) {
      const needed = byUrl.get(url);
      if (needed !== undefined) visit(needed);
    }
    ordered.push(each);
  };
  for (const each of structures) visit(each);
  return ordered;
}

/** The urls that a StructureDefinition rests on: its base, and the profiles of its types. */
function urlsOf(structure: JsonObject): readonly string[] {
  const urls: (JsonValue | undefined)[] = [structure['baseDefinition']];
  const { differential } = structure;
  for (const element of isObject(differential) ? listOf(differential['element']) : []) {
    for (const type of isObject(element) ? listOf(element['type']) : []) {
      if (isObject(type)) urls.push(...listOf(type['profile']));
    }
  }
  return urls.flatMap((url) => (typeof url === 'string' ? [url.replace(/\|[^|]*$/, '')] : []));
}

/** What a refusal says; rethrows what would hinder every other write as well. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof FhirError) || error.status >= 500) throw error;
  const [first, ...others] = error.issues;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const place = first?.expression === undefined ? '' : `${first.expression}: `;
  return `${place}${first?.diagnostics ?? error.message}${more}`;
}
