import {
  FhirError,
  parseJson,
  switchedOff,
  turns,
  type Issue,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
} from '../core';
import { isObject, listOf } from './members';
import type { PackageEntry } from './package-file';

/** A resource of a package. */
export interface PackageResource {
  /** Path below `package/`. */
  readonly file: string;
  readonly isExample: boolean;
  readonly type: string;
  /** The id in the package. */
  readonly id: string | undefined;
  /** Canonical url; undefined for resources that have none. */
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly document: JsonDocument;
  /** Characters of its text. */
  readonly length: number;
  readonly resource: JsonObject;
  /** True for a Subscription that requested notifications and is now switched off. */
  readonly isSwitchedOff: boolean;
}

/** A file that is not stored, with the reason. */
export interface Refusal {
  readonly file: string;
  readonly reason: string;
}

export interface PackageContent {
  readonly resources: readonly PackageResource[];
  readonly refused: readonly Refusal[];
}

/**
 * Reads the resources of the files, and lets other requests come first between them. Each canonical url and version
 * occurs once; of resources without a url, each id.
 */
export async function readResources(
  entries: readonly PackageEntry[],
  types: ReadonlySet<string>,
  maxDepth: number,
): Promise<PackageContent> {
  const byAddress = new Map<string, PackageResource>();
  const refused: Refusal[] = [];
  for (const entry of entries) {
    await turns.take();
    const read = readResource(entry, types, maxDepth);
    if ('reason' in read) {
      refused.push(read);
      continue;
    }
    const name = nameOf(read);
    const first = byAddress.get(name);
    if (first === undefined) byAddress.set(name, read);
    else refused.push({ file: entry.name, reason: `${first.file} of the same package is ${name} too` });
  }
  return { resources: [...byAddress.values()], refused };
}

function nameOf({ type, id, url, version, file }: PackageResource): string {
  if (url !== undefined) return `${type} ${url}${version === undefined ? '' : `|${version}`}`;
  return `${type}/${id ?? file}`;
}

function readResource(
  { name: file, isExample, text: content }: PackageEntry,
  types: ReadonlySet<string>,
  maxDepth: number,
): PackageResource | Refusal {
  if (content === undefined) return { file, reason: 'it is larger than a resource may be (MAX_BODY_BYTES)' };
  let document: JsonDocument;
  try {
    document = parseJson(content, { maxDepth });
  } catch (error) {
    return { file, reason: reasonOf(error) };
  }
  const off = switchedOff(document.value);
  if (off !== undefined) document = { ...document, value: off };
  const resource = document.value;
  const type = isObject(resource) ? resource['resourceType'] : undefined;
  if (!isObject(resource) || typeof type !== 'string') {
    return { file, reason: 'it is not a resource: it has no resourceType' };
  }
  if (!types.has(type)) return { file, reason: `'${type}' is not a resource type of this FHIR release` };
  const text = (name: string): string | undefined => {
    const value = resource[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [id, url, version] = [text('id'), text('url'), text('version')];
  const { length } = content;
  const isSwitchedOff = off !== undefined;
  return { file, isExample, type, id, url, version, document, length, resource, isSwitchedOff };
}

/**
 * Sorts StructureDefinitions so that each follows those it depends on. Those that depend on each other stay in their
 * order.
 */
export function inOrderOfNeed<Structure extends PackageResource>(
  structures: readonly Structure[],
): readonly Structure[] {
  const byUrl = new Map(structures.map((each) => [each.resource['url'], each]));
  const ordered: Structure[] = [];
  const visited = new Set<Structure>();
  // Not by recursion: a package decides how long the chains are.
  const open: { readonly each: Structure; readonly needs: string[] }[] = [];
  const visit = (each: Structure | undefined): void => {
    if (each === undefined || visited.has(each)) return;
    visited.add(each);
    open.push({ each, needs: [...urlsOf(each.resource)].reverse() });
  };
  for (const structure of structures) {
    visit(structure);
    for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
      const url = last.needs.pop();
      if (url !== undefined) visit(byUrl.get(url));
      else ordered.push(...open.splice(-1).map(({ each }) => each));
    }
  }
  return ordered;
}

/** Returns the urls that a StructureDefinition depends on: its base, and the profiles of its types. */
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

/** Returns the first error of a refused write. Rethrows errors that would also prevent every other write. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof FhirError) || error.status >= 500) throw error;
  const errors = error.issues.filter(({ severity }) => severity === 'error' || severity === 'fatal');
  return inWords(errors) ?? error.message;
}

/** Returns the first issue as text, with the number of further ones; undefined where there is none. */
export function inWords([first, ...others]: readonly Issue[]): string | undefined {
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const place = first.expression === undefined ? '' : `${first.expression}: `;
  return `${place}${first.diagnostics}${more}`;
}
