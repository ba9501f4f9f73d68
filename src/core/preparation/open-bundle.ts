import { FhirError, fhirError, toIssue } from '../errors';
import { entryExpression, readEntry, type BundleEntry } from '../fhir/bundle/entry';
import { findReference, noteConditionalReferences, type ConditionalReference } from '../fhir/bundle/links';
import {
  isJsonObject,
  stringifyJson,
  type JsonDocument,
  type JsonObject,
  type JsonValue,
} from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import { isJsonFormat } from '../fhir/json-format';
import type { ReferenceResolver } from '../fhir/reference';
import { createCopyBudget, createPathBudget, createShortPathBudget } from '../fhir/patch';
import type { TenantSpace } from '../context';
import type {
  BundleLimits,
  BundleOutline,
  BundleTask,
  OpenBundle,
  OutlinedEntry,
  Refusal,
  RefusedEntry,
} from './bundle';
import type { BundleType } from '../api/bundle';
import { readPatch } from './entry-patch';
import { inEntry, throwRefusals } from './entry-refusal';
import { prepareVersions, type OpenedBundle } from './entry-versions';
import type { PreparationTools } from './prepare';
import type { Preparer } from './preparer';
import { refusalOf } from './refusal';
import { isLong, toDocument } from './resource-input';

/**
 * Parses a Bundle and reads the requests of its entries. Throws the errors of the parser, `invalidValue` for anything
 * but a batch or transaction, `tooManyEntries`, and for a transaction the errors in its entries.
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
  const isBatch = type === 'batch';
  const resources = new Map<number, JsonObject>();
  const fullUrls = new Map<string, number>();
  const references = new Map<string, ConditionalReference>();
  const named = isBatch ? fullUrlsOf(entries) : fullUrls;
  const { below } = tools.references(task.space);
  const outlined = entries.map((entry, index): OutlinedEntry | RefusedEntry => {
    const refusal = refused.get(index);
    if (refusal !== undefined) return { index, refusal };
    try {
      const read = readEntry(entry, index, {
        below,
        resourceTypes: tools.releaseTypes(task.space),
        isFormat: (name) => isJsonFormat(name, task.space.release),
      });
      const { resource } = read;
      if (isBatch) requireIndependent(index, resource, named);
      else requireUnique(read, fullUrls);
      if (resource !== undefined) resources.set(index, resource);
      return outlineEntry(
        read,
        describe(read, references, { marked: document.marked, isBatch, limits, below }),
      );
    } catch (error) {
      if (error instanceof FhirError) return { index, refusal: { key: error.key, issues: error.issues } };
      throw error;
    }
  });
  if (!isBatch) throwRefusals(outlined.flatMap((entry) => ('refusal' in entry ? [entry] : [])));
  const { marked } = document;
  // A large Bundle is opened in the worker thread.
  const paths = isLong(task.input) ? createPathBudget() : createShortPathBudget();
  const copies = createCopyBudget();
  const bundle: OpenedBundle = { tools, preparer, limits, marked, resources, outlined, copies, paths };
  return {
    outline: { type, entries: outlined, conditionalReferences: references },
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
 * Returns structural errors of the entries by index, without their resources. Throws the errors of the Bundle itself.
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
    const existing = refusals.get(Number(index));
    const issues = [...(existing?.issues ?? []), ...refusal.issues];
    refusals.set(Number(index), { key: existing?.key ?? refusal.key, issues });
  }
  return refusals;
}

const NO_REFUSALS: ReadonlyMap<number, Refusal> = new Map();

function withoutResource(entry: JsonValue): JsonValue {
  if (!isJsonObject(entry) || !isJsonObject(entry['resource'])) return entry;
  const { resource: _resource, ...rest } = entry;
  return rest;
}

/** bdl-7: a fullUrl names one resource in a Bundle. */
function requireUnique(
  { index, fullUrl }: { index: number; fullUrl?: string },
  existing: Map<string, number>,
): void {
  if (fullUrl === undefined) return;
  const other = existing.get(fullUrl);
  existing.set(fullUrl, other ?? index);
  if (other === undefined) return;
  const reason = `Entry ${other} has the same fullUrl; in a transaction each has its own`;
  throw fhirError('invalidValue', { reason }, entryExpression(index, 'fullUrl'));
}

/** Returns the indexes of entries by their urn fullUrls. */
function fullUrlsOf(entries: readonly JsonValue[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [index, entry] of entries.entries()) {
    const fullUrl = isJsonObject(entry) ? entry['fullUrl'] : undefined;
    if (typeof fullUrl === 'string' && fullUrl.startsWith('urn:')) found.set(fullUrl, index);
  }
  return found;
}

/** Refuses references to other entries of a batch, whose ids do not exist yet (http.html#brules). */
function requireIndependent(
  index: number,
  resource: JsonObject | undefined,
  named: ReadonlyMap<string, number>,
): void {
  if (resource === undefined || named.size === 0) return;
  const found = findReference(resource, (reference) => (named.get(reference) ?? index) !== index);
  if (found === undefined) return;
  const reason = `Entry ${named.get(found.reference)} has this as its fullUrl; entries of a batch cannot refer to each other; send a transaction`;
  const issue = toIssue('invalidValue', { reason }, found.expression);
  throw new FhirError('invalidValue', inEntry([issue], index, /^\w*/.exec(found.expression)?.[0] ?? ''));
}

type EntryDescription = Pick<OutlinedEntry, 'resourceId' | 'isCanonical' | 'refersByCriteria' | 'input'>;

/**
 * Properties are named because a spread beside others makes four hidden classes of V8 for every entry, which are
 * never freed.
 */
function outlineEntry(
  { index, fullUrl, request }: BundleEntry,
  { resourceId, isCanonical, refersByCriteria, input }: EntryDescription,
): OutlinedEntry {
  return { index, fullUrl, request, resourceId, isCanonical, refersByCriteria, input };
}

function describe(
  { index, request, fullUrl, resource }: BundleEntry,
  references: Map<string, ConditionalReference>,
  {
    marked,
    isBatch,
    limits,
    below,
  }: {
    readonly marked: boolean;
    readonly isBatch: boolean;
    readonly limits: BundleLimits;
    readonly below: ReferenceResolver['below'];
  },
): EntryDescription {
  const isNeeded = isBatch || request.kind === 'invoke';
  const input = resource === undefined || !isNeeded ? undefined : { value: resource, marked };
  const { kind } = request;
  if (isBatch && kind === 'patch' && resource !== undefined)
    return { ...NO_RESOURCE_INFO, input: patchOf(resource, index, limits, marked) };
  if (resource === undefined || isBatch || (kind !== 'create' && kind !== 'update' && kind !== 'patch'))
    return { ...NO_RESOURCE_INFO, input };
  const { id, url } = resource;
  return {
    resourceId: typeof id === 'string' ? id : '',
    isCanonical: url !== undefined && url === fullUrl,
    refersByCriteria:
      kind !== 'patch' &&
      noteConditionalReferences(resource, entryExpression(index, 'resource'), references, below),
    input,
  };
}

const NO_RESOURCE_INFO = { resourceId: '', isCanonical: false, refersByCriteria: false };

/** As `readPatch`, with errors at the entry. */
function patchOf(resource: JsonObject, index: number, limits: BundleLimits, marked: boolean): JsonDocument {
  try {
    return readPatch(resource, limits, marked);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    throw new FhirError(error.key, inEntry(error.issues, index, 'Binary'));
  }
}

/** Returns the outline with resources as text, so that it can be sent to another thread. */
export function withTexts(outline: BundleOutline): BundleOutline {
  return {
    ...outline,
    entries: outline.entries.map((entry) =>
      'refusal' in entry || entry.input === undefined || !('value' in entry.input)
        ? entry
        : { ...entry, input: { text: stringifyJson(entry.input.value, entry.input.marked) } },
    ),
  };
}
