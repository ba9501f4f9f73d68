/**
 * Reference rows: the type and key of a target in this space. A reference elsewhere (to another server, or a urn) is a
 * token row of the whole url under the same parameter; a contained target has none; Reference.identifier is a token row
 * under a number of its own. Where other parameters use these rows for references to one type only (`patient` in the
 * rows of `subject`), identifiers and urns with a declared type also have token rows with that type.
 * Source: https://hl7.org/fhir/R4/search.html#reference
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../fhir/json';
import type { PathValue } from '../../fhir/path';
import { parseReference } from '../../fhir/reference';
import type { Hasher } from './hash';
import { ROW_SCHEME } from './index-rows';
import { keyOf } from './resource-key';
import type { RowCollector, RowSettings } from './collector';
import { visitCodes } from './token';
import { addUriRows } from './uri';

/** Adds the rows of one value of a reference parameter. */
export function addReferenceRows(
  found: PathValue,
  parameter: number,
  settings: RowSettings,
  rows: RowCollector,
): void {
  const { value, type } = found;
  if (typeof value === 'string') {
    const address = addressIn(settings, value);
    if (address === undefined) return;
    addLocalRow(address, parameter, settings, rows);
    addUriRows({ ...found, value: address }, { parameter, hasher: settings.hasher, rows });
  } else if (isJsonObject(value)) {
    const reference = type === 'CodeableReference' ? value['reference'] : value;
    if (isJsonObject(reference) && isReferenceType(type)) {
      addLiteralRow(reference['reference'], parameter, settings, rows);
      addIdentifierRow(reference['identifier'], parameter, settings, rows);
    }
  }
}

/**
 * Returns the text of a target in a composite part: `Type/id` for one of this space, else the reference as written;
 * undefined for none and for contained ones.
 */
export function referenceText(found: PathValue, settings: RowSettings): string | undefined {
  const literal = literalOf(found);
  if (literal === undefined || literal.length === 0 || literal.startsWith('#')) return undefined;
  const reference = addressIn(settings, literal);
  if (reference === undefined) return undefined;
  const local = settings.localReference(reference);
  return local === undefined ? reference : `${local.type}/${local.id}`;
}

/**
 * Returns the type of the resource that a value of a reference parameter refers to, as far as the referring resource
 * shows it: by the literal reference, by the contained resource, or by `Reference.type`.
 */
export function targetTypeOf(
  { value, type }: PathValue,
  resource: JsonObject,
  settings: RowSettings,
): string | undefined {
  let reference: JsonValue | undefined = value;
  if (isJsonObject(reference) && type === 'CodeableReference') reference = reference['reference'];
  if (!isJsonObject(reference))
    return typeof reference === 'string' ? literalType(reference, settings) : undefined;
  const { reference: literal, type: named } = reference;
  if (typeof literal === 'string' && literal.startsWith('#'))
    return containedType(resource, literal.slice(1));
  return literalType(literal, settings) ?? (typeof named === 'string' ? named : undefined);
}

function addressIn({ addressOf }: RowSettings, reference: string): string | undefined {
  return addressOf === undefined ? reference : addressOf(reference);
}

/** Returns the type in a literal reference, local or not. */
function literalType(literal: JsonValue | undefined, { localReference }: RowSettings): string | undefined {
  if (typeof literal !== 'string') return undefined;
  return localReference(literal)?.type ?? parseReference(literal).type;
}

/** The hashed part of a typed reference row: an identifier, or an address. Undefined stands for any. */
export type TypedTarget =
  { readonly address: string } | { readonly system: string | undefined; readonly code: string | undefined };

/** Returns the high half of the hash of a reference with its type; the low half is in `hasher.low`. */
export function typedHash(hasher: Hasher, type: string, target: TypedTarget): number {
  return 'address' in target
    ? hasher.parts('address', type, target.address)
    : hasher.parts('identifier', type, target.system, target.code);
}

/** Adds the rows of one reference with its target type. */
export function addTypedReferenceRows(
  found: PathValue,
  {
    resource,
    parameter,
    settings,
    rows,
  }: {
    readonly resource: JsonObject;
    readonly parameter: number;
    readonly settings: RowSettings;
    readonly rows: RowCollector;
  },
): void {
  const reference =
    isJsonObject(found.value) && found.type === 'CodeableReference' ? found.value['reference'] : found.value;
  if (!isJsonObject(reference)) return;
  const { reference: literal, identifier } = reference;
  const hasType = literalType(literal, settings) !== undefined;
  if (identifier === undefined && (hasType || typeof literal !== 'string')) return;
  const type = targetTypeOf(found, resource, settings);
  if (type === undefined) return;
  const { hasher } = settings;
  const add = (target: TypedTarget): void => {
    const high = typedHash(hasher, type, target);
    rows.token(parameter + ROW_SCHEME.typedReference, high, hasher.low, 0);
  };
  if (!hasType && typeof literal === 'string' && isOutside(literal)) add({ address: literal });
  if (identifier === undefined) return;
  visitCodes(identifier, 'Identifier', undefined, (system = '', code) => {
    add({ system: undefined, code });
    add({ system, code });
    if (system !== '') add({ system, code: undefined });
  });
}

function containedType(resource: JsonObject, id: string): string | undefined {
  return findContained(resource, id)?.type;
}

export interface ContainedResource {
  readonly type: string;
  readonly content: JsonObject;
}

/** Returns a contained resource by its id. */
export function findContained(container: JsonObject, id: string): ContainedResource | undefined {
  const contained = container['contained'];
  if (!Array.isArray(contained)) return undefined;
  for (const content of contained) {
    if (isJsonObject(content) && content['id'] === id && typeof content['resourceType'] === 'string')
      return { type: content['resourceType'], content };
  }
  return undefined;
}

/** Returns the id of the contained resource that a value of a reference parameter refers to; undefined: none. */
export function containedIdOf(found: PathValue): string | undefined {
  const reference = literalOf(found);
  return reference !== undefined && reference.length > 1 && reference.startsWith('#')
    ? reference.slice(1)
    : undefined;
}

/** Returns the literal reference, canonical or uri in a value of a reference parameter; undefined: none. */
export function literalOf({ value, type }: PathValue): string | undefined {
  let reference: JsonValue | undefined = value;
  if (isJsonObject(reference) && type === 'CodeableReference') reference = reference['reference'];
  if (isJsonObject(reference)) reference = reference['reference'];
  return typeof reference === 'string' ? reference : undefined;
}

function isReferenceType(type: string): boolean {
  return type === 'Reference' || type === 'CodeableReference';
}

function addLiteralRow(
  literal: JsonValue | undefined,
  parameter: number,
  settings: RowSettings,
  rows: RowCollector,
): void {
  if (typeof literal !== 'string' || literal.length === 0 || literal.startsWith('#')) return;
  const address = addressIn(settings, literal);
  if (address !== undefined) addAddressRow(address, parameter, settings, rows);
}

/** Adds the row of a resource of this space, or of an address elsewhere; none for anything else. */
export function addAddressRow(
  address: string,
  parameter: number,
  settings: RowSettings,
  rows: RowCollector,
): void {
  if (addLocalRow(address, parameter, settings, rows) || !isOutside(address)) return;
  const high = settings.hasher.text(address);
  rows.token(parameter, high, settings.hasher.low, 0);
}

/** True for an absolute url or a urn, which have a scheme. */
export function isOutside(reference: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(reference);
}

function addLocalRow(
  reference: string,
  parameter: number,
  { hasher, localReference, typeNumber }: RowSettings,
  rows: RowCollector,
): boolean {
  const local = localReference(reference);
  if (local === undefined) return false;
  const targetType = typeNumber(local.type);
  if (targetType === undefined) return false;
  const { high, low } = keyOf(hasher, local.type, local.id);
  rows.reference(parameter, targetType, high, low);
  return true;
}

function addIdentifierRow(
  identifier: JsonValue | undefined,
  parameter: number,
  { hasher }: RowSettings,
  rows: RowCollector,
): void {
  if (identifier === undefined) return;
  visitCodes(identifier, 'Identifier', undefined, (system, code) => {
    const high = hasher.text(code);
    const low = hasher.low;
    const systemHash = system === undefined ? 0 : hasher.cachedShort(system);
    rows.token(parameter + ROW_SCHEME.identifier, high, low, systemHash);
  });
}
