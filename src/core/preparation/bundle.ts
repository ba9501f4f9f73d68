/**
 * Batches and transactions between the parser and the storage: which entries there are and what each asks for, and then
 * the versions that the entries of a transaction become. The same runs in the server's own thread and, for long Bundles,
 * in the worker, which keeps the parsed Bundle from the first step to the second.
 */
import { isUtf8 } from 'node:buffer';
import type { TenantSpace } from '../context';
import { FhirError, fhirError, toIssue, type ErrorKey, type Issue } from '../errors';
import { entryExpression, readEntry, type BundleEntry } from '../fhir/bundle/entry';
import {
  conditionalReferences,
  findReference,
  Links,
  rewriteLinks,
  type ConditionalReference,
  type LinkTarget,
} from '../fhir/bundle/links';
import { rewritePatch } from '../fhir/bundle/patch-links';
import { loadDefinitions } from '../fhir/definitions';
import {
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
} from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import { createPathBudget, createShortPathBudget, type PathBudget } from '../fhir/patch';
import type { IdMode } from '../fhir/resource';
import type { Limits } from '../services';
import type { Bound } from '../storage/statement';
import { encodeWrites, NO_ROWS, type KeyHalves, type VersionWrite } from '../storage/version-write';
import { prepareVersion, type PreparationTools, type PreparedVersion } from './prepare';
import { toDocument, type Preparer, type ResourceInput } from './preparer';
import { refusalOf } from './refusal';

/** A batch or transaction as it came; plain values, so that it can be sent to another thread. */
export interface BundleTask {
  readonly space: TenantSpace;
  readonly input: ResourceInput;
  /** Another one is refused: by its url a transaction is not told from a batch. */
  readonly types: readonly BundleType[];
}

export type BundleType = 'batch' | 'transaction';

/** An entry as far as it must be known before its resource is looked at. */
export interface OutlinedEntry extends Omit<BundleEntry, 'resource'> {
  /** Of a write, what stands in the resource; '' where it says nothing. */
  readonly resourceId: string;
  /** See `LinkTarget`. */
  readonly isCanonical: boolean;
  /** By their texts. */
  readonly conditionalReferences: ReadonlyMap<string, ConditionalReference>;
  /**
   * The resource of an operation, and in a batch every one: parsed, or as text where it comes from another thread.
   */
  readonly input: ResourceInput | undefined;
}

/** An error as a plain value. */
export interface Refusal {
  readonly key: ErrorKey;
  readonly issues: readonly Issue[];
}

export interface RefusedEntry {
  readonly index: number;
  readonly refusal: Refusal;
}

export interface BundleOutline {
  readonly type: BundleType;
  /** In the order of the Bundle. Those of a transaction are all good: else it was refused as a whole. */
  readonly entries: readonly (OutlinedEntry | RefusedEntry)[];
}

/** What an entry of a transaction writes. */
export interface EntryVersion {
  readonly index: number;
  /** Tells the versions of one transaction apart: an entry may delete several resources. */
  readonly member: number;
  readonly type: string;
  readonly id: string;
  readonly idMode: IdMode;
  readonly change: VersionWrite['change'];
  readonly typeNumber: number;
  readonly key: KeyHalves;
  /** As `VersionWrite.id`. */
  readonly storedId: string | null;
  readonly expected: number;
  /** The stored text that is replaced; undefined where there is none or it was a deletion. */
  readonly replaced?: string;
  /** What a patch is applied to: the resource as a read gives it. */
  readonly current?: string;
}

/** What is to be made of some entries of a transaction. */
export interface VersionsTask {
  readonly space: TenantSpace;
  /** In the order in which they are written. */
  readonly versions: readonly EntryVersion[];
  /** What fullUrls of entries mean from now on. */
  readonly targets: readonly LinkTarget[];
  /** What conditional references mean, by their texts. */
  readonly conditional: readonly (readonly [text: string, reference: string])[];
  /** As `VersionWrite.author`. */
  readonly author: string | null;
}

/** What is stored for an entry; deletions have none. */
export interface PreparedEntry extends Pick<
  PreparedVersion,
  'text' | 'metaOffset' | 'warnings' | 'pairs' | 'targets'
> {
  readonly index: number;
  /** As `EntryVersion.member`. */
  readonly member: number;
}

/** Some versions as the values of one `write_versions`. */
export interface EncodedWrites {
  /** As `EntryVersion.member`, in the order of the members of the statement. */
  readonly members: readonly number[];
  readonly bound: Readonly<Record<string, Bound>>;
}

export interface PreparedVersions {
  readonly entries: readonly PreparedEntry[];
  readonly writes: readonly EncodedWrites[];
}

/** A Bundle that was parsed and is kept until it is closed. */
export interface OpenBundle {
  readonly outline: BundleOutline;
  /**
   * Throws one `FhirError` with the faults of the first entries that have any, their expressions beginning with
   * `Bundle.entry[n]`.
   */
  prepare(task: VersionsTask): Promise<PreparedVersions>;
  close(): void;
}

/** More entries are refused (contract.md, default limits). */
type BundleLimits = Pick<Limits, 'maxBundleEntries' | 'maxBodyBytes' | 'maxDepth'>;

/**
 * Parses a Bundle and reads what its entries ask for. Throws what the parser finds, `invalidValue` for anything but a
 * batch or transaction, `tooManyEntries`, and for a transaction what is wrong with its entries.
 */
export function openBundle(
  tools: PreparationTools,
  preparer: Pick<Preparer, 'patch' | 'rows'>,
  limits: BundleLimits,
  task: BundleTask,
): OpenBundle {
  const document = toDocument(task.input, limits);
  const { type, entries } = readBundle(document.value, task.types, limits.maxBundleEntries);
  const refused = structuralRefusals(tools, task.space, document.value);
  const isAlone = type === 'batch';
  const resources = new Map<number, JsonObject>();
  const fullUrls = new Map<string, number>();
  const named = isAlone ? fullUrlsOf(entries) : fullUrls;
  const outlined = entries.map((entry, index): OutlinedEntry | RefusedEntry => {
    const refusal = refused.get(index);
    if (refusal !== undefined) return { index, refusal };
    try {
      const { resource, ...rest } = readEntry(entry, index, {
        below: (url) => tools.references(task.space).below(url),
        isResourceType: (name) => tools.releaseTypes(task.space).has(name),
      });
      if (isAlone) requireIndependent(index, resource, named);
      else requireUnique(rest, fullUrls);
      if (resource !== undefined) resources.set(index, resource);
      return { ...rest, ...describe(rest, resource, document.marked, isAlone) };
    } catch (error) {
      if (error instanceof FhirError) return { index, refusal: { key: error.key, issues: error.issues } };
      throw error;
    }
  });
  if (!isAlone) throwRefusals(outlined.flatMap((entry) => ('refusal' in entry ? [entry] : [])));
  const { marked } = document;
  // A long Bundle is open in a thread of its own.
  const paths = 'text' in task.input ? createPathBudget() : createShortPathBudget();
  const bundle: Opened = { tools, preparer, limits, marked, resources, outlined, paths };
  return {
    outline: { type, entries: outlined },
    prepare: (versions) => prepareVersions(bundle, versions),
    close: () => undefined,
  };
}

function readBundle(
  bundle: JsonValue,
  types: readonly BundleType[],
  maxEntries: number,
): { type: BundleType; entries: readonly JsonValue[] } {
  const given = isJsonObject(bundle) ? bundle['resourceType'] : undefined;
  if (!isJsonObject(bundle) || given !== 'Bundle') {
    const found = typeof given === 'string' ? `a '${shorten(given)}'` : 'none';
    const reason = `The body must be a Bundle of the type ${types.join(' or ')}, and is ${found}`;
    throw fhirError('invalidValue', { reason }, 'Bundle.resourceType');
  }
  const type = types.find((each) => each === bundle['type']);
  if (type === undefined) {
    const { type: other } = bundle;
    const found = typeof other === 'string' ? `'${shorten(other)}'` : 'missing';
    const reason = `The type of the Bundle must be ${types.join(' or ')} here, and is ${found}`;
    throw fhirError('invalidValue', { reason }, 'Bundle.type');
  }
  const { entry = [] } = bundle;
  if (!Array.isArray(entry)) throw fhirError('invalidValue', { reason: 'entry is a list' }, 'Bundle.entry');
  if (entry.length > maxEntries) throw fhirError('tooManyEntries', { limit: maxEntries }, 'Bundle.entry');
  return { type, entries: entry };
}

const IN_ENTRY = /^Bundle\.entry\[(\d+)\]/;

/**
 * By index, what is wrong with entries as parts of a Bundle; their resources are not looked at. Throws what is wrong
 * with the Bundle itself.
 */
function structuralRefusals(
  tools: PreparationTools,
  space: TenantSpace,
  bundle: JsonValue,
): ReadonlyMap<number, Refusal> {
  if (!isJsonObject(bundle)) return NO_REFUSALS;
  const shell: JsonObject = { ...bundle };
  const { entry } = bundle;
  if (Array.isArray(entry) && entry.length > 0) shell['entry'] = entry.map(withoutResource);
  const { findings } = tools.validator(space).validate(shell, { isFull: false });
  if (findings.length === 0) return NO_REFUSALS;
  const refusals = new Map<number, Refusal>();
  for (const finding of findings) {
    const index = IN_ENTRY.exec(finding.expression)?.[1];
    const refusal = refusalOf([finding]);
    if (refusal === undefined) continue;
    if (index === undefined) throw refusal;
    const known = refusals.get(Number(index));
    const issues = [...(known?.issues ?? []), ...refusal.issues];
    refusals.set(Number(index), { key: known?.key ?? refusal.key, issues });
  }
  return refusals;
}

const NO_REFUSALS: ReadonlyMap<number, Refusal> = new Map();

function withoutResource(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry) || !isJsonObject(entry['resource'])) return entry;
  const { resource: _resource, ...rest } = entry;
  return rest;
}

/** bdl-7: in one Bundle a fullUrl names one resource. */
function requireUnique(
  { index, fullUrl }: { index: number; fullUrl?: string },
  known: Map<string, number>,
): void {
  if (fullUrl === undefined) return;
  const other = known.get(fullUrl);
  known.set(fullUrl, other ?? index);
  if (other === undefined) return;
  const reason = `Entry ${other} has the same fullUrl; in a transaction each has its own`;
  throw fhirError('invalidValue', { reason }, entryExpression(index, 'fullUrl'));
}

/** By the urns that name entries, their indexes. */
function fullUrlsOf(entries: readonly JsonValue[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const fullUrl = isJsonObject(entry) ? entry['fullUrl'] : undefined;
    if (typeof fullUrl === 'string' && fullUrl.startsWith('urn:')) found.set(fullUrl, index);
  }
  return found;
}

/** What another entry of a batch will be called, nobody knows (http.html#brules). */
function requireIndependent(
  index: number,
  resource: JsonObject | undefined,
  named: ReadonlyMap<string, number>,
): void {
  if (resource === undefined || named.size === 0) return;
  const found = findReference(resource, (reference) => (named.get(reference) ?? index) !== index);
  if (found === undefined) return;
  const reason = `Entry ${named.get(found.reference)} has this as its fullUrl; entries of a batch do not know each other, send a transaction`;
  const issue = toIssue('invalidValue', { reason }, found.expression);
  throw new FhirError('invalidValue', inEntry([issue], index, /^\w*/.exec(found.expression)?.[0] ?? ''));
}

function describe(
  { request, fullUrl }: Omit<BundleEntry, 'resource'>,
  resource: JsonObject | undefined,
  marked: boolean,
  isAlone: boolean,
): Pick<OutlinedEntry, 'resourceId' | 'isCanonical' | 'conditionalReferences' | 'input'> {
  const isNeeded = isAlone || request.kind === 'invoke';
  const input = resource === undefined || !isNeeded ? undefined : { value: resource, marked };
  const { kind } = request;
  if (resource === undefined || isAlone || (kind !== 'create' && kind !== 'update' && kind !== 'patch'))
    return { resourceId: '', isCanonical: false, conditionalReferences: NO_REFERENCES, input };
  const { id, url } = resource;
  return {
    resourceId: typeof id === 'string' ? id : '',
    isCanonical: url !== undefined && url === fullUrl,
    conditionalReferences: kind === 'patch' ? NO_REFERENCES : conditionalReferences(resource),
    input,
  };
}

const NO_REFERENCES: ReadonlyMap<string, ConditionalReference> = new Map();

/** So many issues are told of a transaction that is refused. */
const MOST_ISSUES = 100;

function throwRefusals(refused: readonly RefusedEntry[]): void {
  const [first] = refused;
  if (first === undefined) return;
  // What makes the Bundle no FHIR at all decides (contract.md, REST answers).
  const { refusal } = refused.find(({ refusal: { key } }) => new FhirError(key, []).status === 400) ?? first;
  const issues = refused.flatMap((each) => each.refusal.issues).slice(0, MOST_ISSUES);
  throw new FhirError(refusal.key, issues);
}

/** A Bundle that is open. */
interface Opened {
  readonly tools: PreparationTools;
  readonly preparer: Pick<Preparer, 'patch' | 'rows'>;
  readonly limits: BundleLimits;
  readonly marked: boolean;
  readonly resources: ReadonlyMap<number, JsonObject>;
  readonly outlined: readonly (OutlinedEntry | RefusedEntry)[];
  /** Of all FHIRPath Patches together. */
  readonly paths: PathBudget;
}

/** Entries that are prepared at the same time: what they ask of the database is asked together. */
const AT_ONCE = 256;

async function prepareVersions(bundle: Opened, task: VersionsTask): Promise<PreparedVersions> {
  const links = new Links(task.targets, new Map(task.conditional));
  const entries: PreparedEntry[] = [];
  const refused: RefusedEntry[] = [];
  const writer = new ChunkWriter(task.space.number);
  for (let start = 0; start < task.versions.length; start += AT_ONCE) {
    const slice = task.versions.slice(start, start + AT_ONCE);
    const outcomes = await Promise.all(slice.map((version) => prepareEntry(bundle, task, version, links)));
    for (const outcome of outcomes) {
      if ('refusal' in outcome) {
        refused.push(outcome);
        continue;
      }
      const { write, prepared, index, member } = outcome;
      if (refused.length === 0) writer.add(write, member);
      if (prepared === undefined) continue;
      const { text, metaOffset, warnings, pairs, targets } = prepared;
      const more = {
        ...(pairs === undefined ? {} : { pairs }),
        ...(targets === undefined ? {} : { targets }),
      };
      entries.push({ index, member, text, metaOffset, warnings, ...more });
    }
    if (refused.length >= MOST_ISSUES) break;
  }
  throwRefusals(refused);
  return { entries, writes: writer.finish() };
}

interface Outcome {
  readonly index: number;
  readonly member: number;
  readonly write: VersionWrite;
  readonly prepared: PreparedVersion | undefined;
}

async function prepareEntry(
  bundle: Opened,
  { space, author }: VersionsTask,
  version: EntryVersion,
  links: Links,
): Promise<Outcome | RefusedEntry> {
  const { index, member, type, change, replaced } = version;
  try {
    const prepared = change === 'delete' ? undefined : await prepareResource(bundle, space, version, links);
    const write: VersionWrite = {
      type: version.typeNumber,
      key: version.key,
      id: version.storedId,
      expected: version.expected,
      change,
      body: prepared?.text ?? null,
      metaOffset: prepared?.metaOffset ?? 0,
      author,
      rows: prepared?.rows ?? NO_ROWS,
      ...(version.expected === 0
        ? {}
        : {
            replaced:
              replaced === undefined ? NO_ROWS : await bundle.preparer.rows({ space, type, body: replaced }),
          }),
    };
    return { index, member, write, prepared };
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return { index, refusal: { key: error.key, issues: inEntry(error.issues, index, type) } };
  }
}

function prepareResource(
  bundle: Opened,
  space: TenantSpace,
  { index, type, id, idMode, current }: EntryVersion,
  links: Links,
): Promise<PreparedVersion> {
  const { tools, preparer, limits, marked } = bundle;
  const definitions = loadDefinitions(space.release);
  const resource = bundle.resources.get(index) ?? {};
  if (current !== undefined) {
    const operations = rewritePatch(readPatch(resource, limits, marked), links, definitions);
    return preparer.patch({ space, type, id, current, operations, paths: bundle.paths });
  }
  const entry = bundle.outlined[index];
  const fullUrl = entry === undefined || 'refusal' in entry ? undefined : entry.fullUrl;
  const value = rewriteLinks(resource, fullUrl, links, definitions);
  return prepareVersion(tools, { space, type, id, idMode, document: { value, marked } });
}

const PATCH_TYPES: ReadonlySet<unknown> = new Set([
  'application/json-patch+json',
  'application/json',
  'application/fhir+json',
]);

/**
 * The patch in an entry (https://hl7.org/fhir/R4/http.html#patch): a Binary that holds a JSON Patch, or the Parameters
 * of a FHIRPath Patch. Throws `patchInvalid`.
 */
function readPatch(resource: JsonObject, limits: BundleLimits, marked: boolean): JsonDocument {
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

/** The same issues, seen from the Bundle. */
export function inEntry(issues: readonly Issue[], index: number, type: string): readonly Issue[] {
  return issues.map((issue) => ({ ...issue, expression: placeInEntry(issue.expression, index, type) }));
}

function placeInEntry(expression: string | undefined, index: number, type: string): string {
  if (expression === undefined || expression === '') return entryExpression(index);
  if (expression.startsWith('Bundle.entry[')) return expression;
  const root = /^[A-Z][A-Za-z]*/.exec(expression)?.[0] ?? '';
  if (root !== type && root !== 'Binary' && root !== 'Parameters') return entryExpression(index, 'resource');
  return entryExpression(index, `resource${expression.slice(root.length)}`);
}

/** Members of one statement: their texts are found by walking an array from its beginning. */
const CHUNK_MEMBERS = 500;
/** Characters of the texts of one statement. */
const CHUNK_SIZE = 2 * 1024 * 1024;

/** Gathers writes into statements of bounded size. What is new and what is replaced go apart: the one is quicker alone. */
class ChunkWriter {
  private readonly chunks: EncodedWrites[] = [];
  private writes: VersionWrite[] = [];
  private members: number[] = [];
  private size = 0;

  constructor(private readonly space: number) {}

  add(write: VersionWrite, member: number): void {
    const size = write.body?.length ?? 0;
    const [first] = this.writes;
    const isOther = first !== undefined && (first.expected === 0) !== (write.expected === 0);
    if (isOther || this.writes.length >= CHUNK_MEMBERS || this.size + size > CHUNK_SIZE) this.close();
    this.writes.push(write);
    this.members.push(member);
    this.size += size;
  }

  finish(): readonly EncodedWrites[] {
    this.close();
    return this.chunks;
  }

  private close(): void {
    if (this.writes.length === 0) return;
    this.chunks.push({ members: this.members, bound: encodeWrites(this.space, this.writes) });
    this.writes = [];
    this.members = [];
    this.size = 0;
  }
}

/** What an outline says of a Bundle, with the resources of its entries as text: to be sent to another thread. */
export function withTexts(outline: BundleOutline): BundleOutline {
  return {
    ...outline,
    entries: outline.entries.map((entry) =>
      'refusal' in entry || entry.input === undefined || 'text' in entry.input
        ? entry
        : { ...entry, input: { text: stringifyJson(entry.input.value, entry.input.marked) } },
    ),
  };
}
