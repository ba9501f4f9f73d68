/** Represents mutations that change resources as plain values: the request of one field, before it is executed. */
import { fhirError, ID } from '../../core/index';
import { isJsonObject, type Json, type JsonObject } from '../../schema/json';

/** A resource by its id, or the one match of a search. */
export type ChangeTarget =
  | { readonly type: string; readonly id: string; readonly criteria?: undefined }
  /** The query string of a search. */
  | { readonly type: string; readonly id?: undefined; readonly criteria: string };

interface ChangeBase {
  /** True: the change is not stored. */
  readonly isDryRun: boolean;
}

interface GuardedChange extends ChangeBase {
  readonly target: ChangeTarget;
  /** Version ids of which one must be the current one; `*`: the resource must exist. Undefined: no condition. */
  readonly ifMatch: readonly string[] | undefined;
}

export interface Creation extends ChangeBase {
  readonly kind: 'create';
  readonly type: string;
  readonly resource: JsonObject;
  /** The query string of a search: nothing is created when it has a match. */
  readonly ifNoneExist: string | undefined;
  /** The urn by which other changes of the same transaction refer to the resource. */
  readonly urn: string | undefined;
}

export interface Update extends GuardedChange {
  readonly kind: 'update';
  readonly resource: JsonObject;
  readonly urn: string | undefined;
}

export interface Patching extends GuardedChange {
  readonly kind: 'patch';
  /** The operations of a JSON Patch, or the Parameters of a FHIRPath Patch. */
  readonly patch: Json[] | JsonObject;
}

export interface Deletion extends GuardedChange {
  readonly kind: 'delete';
}

export type Change = Creation | Update | Patching | Deletion;

/** The arguments of a field, coerced by graphql to the types of the schema. */
export type FieldArguments = Readonly<Record<string, unknown>>;

/**
 * Makes a change from the arguments of a field. Each field that changes resources has one in its extensions
 * (`toChange`), so that `@atomic` can collect the changes of all fields.
 */
export class ChangeMaker {
  /** `make` throws when the arguments do not fit together. */
  constructor(readonly make: (given: FieldArguments) => Change) {}
}

/** `create(resource, ifNoneExist, as, dryRun)` */
export const creation = new ChangeMaker((given) => {
  const resource = requiredObject(given, 'resource');
  return createOf(requiredText(resource, 'resourceType'), resource, given);
});

/** `update(resource, criteria, ifMatch, ifVersion, as, dryRun)` */
export const update = new ChangeMaker((given) => {
  const resource = requiredObject(given, 'resource');
  const type = requiredText(resource, 'resourceType');
  const criteria = queryOf(given, 'criteria');
  const target = criteria === undefined ? { type, id: requiredText(resource, 'id') } : { type, criteria };
  return updateOf(target, resource, given);
});

/** `patch(type, id, criteria, patch, fhirPathPatch, ifMatch, ifVersion, dryRun)` */
export const patching = new ChangeMaker((given) => patchOf(targetOf(given), given));

/** `delete(type, id, criteria, ifMatch, ifVersion, dryRun)` */
export const deletion = new ChangeMaker((given) => deleteOf(targetOf(given), given));

export function createOf(type: string, resource: JsonObject, given: FieldArguments): Creation {
  return {
    kind: 'create',
    type,
    resource,
    ifNoneExist: queryOf(given, 'ifNoneExist'),
    urn: urnOf(given),
    isDryRun: isDryRun(given),
  };
}

export function updateOf(target: ChangeTarget, resource: JsonObject, given: FieldArguments): Update {
  return { kind: 'update', resource, urn: urnOf(given), ...guardedOf(target, given) };
}

export function patchOf(target: ChangeTarget, given: FieldArguments): Patching {
  const { patch: operations, fhirPathPatch } = given;
  const isJsonPatch = Array.isArray(operations);
  if (isJsonPatch === isJsonObject(fhirPathPatch))
    throw wrong("Give either 'patch', the operations of a JSON Patch, or 'fhirPathPatch', and not both");
  const patch = isJsonObject(fhirPathPatch) ? fhirPathPatch : toJsonPatch(isJsonPatch ? operations : []);
  return { kind: 'patch', patch, ...guardedOf(target, given) };
}

export function deleteOf(target: ChangeTarget, given: FieldArguments): Deletion {
  return { kind: 'delete', ...guardedOf(target, given) };
}

/** Returns the target by `id` or `criteria`. Throws when there are both or none. */
export function targetOf(given: FieldArguments): ChangeTarget {
  const type = textOf(given, 'type') ?? '';
  const id = textOf(given, 'id');
  const criteria = queryOf(given, 'criteria');
  if (id !== undefined && criteria === undefined) return { type, id };
  if (id === undefined && criteria !== undefined) return { type, criteria };
  throw wrong("Give either 'id' or 'criteria', and not both");
}

function guardedOf(target: ChangeTarget, given: FieldArguments): GuardedChange {
  return { target, ifMatch: ifMatchOf(given), isDryRun: isDryRun(given) };
}

const ENTITY_TAG = /^(?:W\/)?"([^"]*)"$/;
/** The form of a version id of this server; no other id exists. */
const VERSION = new RegExp(`^(?:\\*|${ID})$`);

function ifMatchOf({ ifMatch, ifVersion }: FieldArguments): readonly string[] | undefined {
  const hasMatch = Array.isArray(ifMatch);
  if (hasMatch && typeof ifVersion === 'string')
    throw wrong("Give either 'ifMatch' or 'ifVersion', and not both");
  if (!hasMatch) return typeof ifVersion === 'string' ? [toVersion(ifVersion)] : undefined;
  if (ifMatch.length === 0) throw wrong("'ifMatch' must name at least one version");
  return ifMatch.map((version: unknown) => toVersion(String(version)));
}

/** Returns the version of an entity tag in the form of REST, or a version id. */
function toVersion(text: string): string {
  const version = ENTITY_TAG.exec(text)?.[1] ?? text;
  if (VERSION.test(version)) return version;
  throw wrong('A version must be an id, such as 3, an entity tag, such as W/"3", or * for any');
}

/** Removes the leading question mark that some clients send. */
function queryOf(given: FieldArguments, name: string): string | undefined {
  return textOf(given, name)?.replace(/^\?/, '');
}

function urnOf(given: FieldArguments): string | undefined {
  const urn = textOf(given, 'as');
  if (urn === undefined || /^urn:[a-z0-9][a-z0-9-]{0,31}:\S+$/i.test(urn)) return urn;
  throw wrong("'as' must be a urn, such as urn:uuid:4f1f3a2e-0000-4000-8000-000000000001");
}

function isDryRun({ dryRun }: FieldArguments): boolean {
  return dryRun === true;
}

/** Removes members that were not given, as RFC 6902 requires; `value: null` counts as given. */
function toJsonPatch(operations: readonly unknown[]): Json[] {
  return operations.filter(isJsonObject).map(({ op = null, path = null, from, value }) => ({
    op,
    path,
    ...(from === undefined || from === null ? {} : { from }),
    ...(value === undefined ? {} : { value }),
  }));
}

function textOf(given: FieldArguments, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

function requiredObject(given: FieldArguments, name: string): JsonObject {
  const value = given[name];
  if (isJsonObject(value)) return value;
  throw wrong(`'${name}' must be a JSON object`);
}

/** Returns `resourceType` or `id` of the resource. Throws `requiredMissing` when it is missing. */
function requiredText(resource: JsonObject, name: 'resourceType' | 'id'): string {
  const value = resource[name];
  if (typeof value === 'string') return value;
  throw fhirError(
    'requiredMissing',
    { reason: `The resource has no '${name}'` },
    name === 'id' ? 'Resource.id' : undefined,
  );
}

function wrong(reason: string): Error {
  return fhirError('invalidValue', { reason });
}
