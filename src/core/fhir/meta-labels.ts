/**
 * Profiles, tags and security labels of a resource as sets (https://hl7.org/fhir/R4/resource-operation-meta-add.html).
 * System and code identify a tag or label, its whole content one without a code; the whole url identifies a profile.
 */
import { isJsonObject, type JsonObject, type JsonValue } from './json';

const LABELS = ['profile', 'security', 'tag'] as const;
type LabelName = (typeof LABELS)[number];

/** Labels to add or delete. */
export interface LabelChange {
  readonly kind: 'add' | 'delete';
  /** Only `profile`, `security` and `tag` count. */
  readonly meta: JsonObject;
}

/** Returns the JSON Patch that makes the change to a resource with this meta; empty if nothing changes. */
export function toLabelPatch(meta: JsonObject, change: LabelChange): readonly JsonObject[] {
  return LABELS.flatMap((name): JsonObject[] => {
    const present = listOf(meta, name);
    const next = changed(present, listOf(change.meta, name), change.kind);
    if (next.length === present.length) return [];
    const path = `/meta/${name}`;
    return next.length === 0 ? [{ op: 'remove', path }] : [{ op: 'add', path, value: [...next] }];
  });
}

function changed(
  present: readonly JsonValue[],
  given: readonly JsonValue[],
  kind: LabelChange['kind'],
): readonly JsonValue[] {
  if (kind === 'delete') {
    const named = new Set(given.map(identityOf));
    return present.filter((label) => !named.has(identityOf(label)));
  }
  const existing = new Set(present.map(identityOf));
  const added = given.filter((label) => {
    const identity = identityOf(label);
    return !existing.has(identity) && existing.add(identity);
  });
  return [...present, ...added];
}

/**
 * Returns the resource with each profile, tag and security label once, the first of equal ones; the same object if none
 * is there twice.
 */
export function withUniqueLabels(resource: JsonObject): JsonObject {
  const { meta } = resource;
  if (!isJsonObject(meta)) return resource;
  let unique: JsonObject | undefined;
  for (const name of LABELS) {
    // The extensions of primitives are counted by their positions.
    if (meta[`_${name}`] !== undefined) continue;
    const labels = listOf(meta, name);
    if (labels.length < 2) continue;
    const distinct = changed([], labels, 'add');
    if (distinct.length < labels.length) unique = { ...(unique ?? meta), [name]: [...distinct] };
  }
  return unique === undefined ? resource : { ...resource, meta: unique };
}

function identityOf(label: JsonValue): string {
  if (!isJsonObject(label) || label['code'] === undefined) return JSON.stringify(label);
  return JSON.stringify([label['system'] ?? null, label['code'] ?? null]);
}

function listOf(meta: JsonObject, name: LabelName): readonly JsonValue[] {
  const value = meta[name];
  return Array.isArray(value) ? value : [];
}
