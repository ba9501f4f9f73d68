/**
 * Elements in their JSON form: a member, or an item of its array. The id and extensions of a primitive are in a second
 * member beside the value (https://hl7.org/fhir/R4/json.html#primitive).
 */
import type { JsonObject, JsonValue } from '../json';
import type { Access } from '../path/type-node';

/** The content of one element. */
export interface Slot {
  /** Undefined for a primitive that has extensions only. */
  readonly value: JsonValue | undefined;
  /** The id and extensions of a primitive. */
  readonly element: JsonObject | undefined;
}

/** True if the element is present, in any of its types. */
export function isPresent(owner: JsonObject, { choices }: Access): boolean {
  return choices.some(({ key, companionKey, node }) => {
    return owner[key] !== undefined || (node.isPrimitive && owner[companionKey] !== undefined);
  });
}

/** Returns the number of elements in a list; 0 if there is none. */
export function countSlots(owner: JsonObject, access: Access): number {
  const values = lengthOf(owner[access.key]);
  return access.node.isPrimitive ? Math.max(values, lengthOf(owner[access.companionKey])) : values;
}

/** Cost: linear in the elements after it. */
export function insertSlot(owner: JsonObject, access: Access, index: number, slot: Slot): void {
  const length = countSlots(owner, access);
  for (const [member, content] of membersOf(access, slot)) {
    openList(owner, member, length, content)?.splice(index, 0, content ?? null);
  }
}

export function moveSlot(owner: JsonObject, access: Access, source: number, destination: number): void {
  const length = countSlots(owner, access);
  for (const [member] of membersOf(access, NOTHING)) {
    const list = openList(owner, member, length, undefined);
    list?.splice(destination, 0, ...list.splice(source, 1));
  }
}

/** `index`: -1 for an element that is not in a list. */
export function removeSlot(owner: JsonObject, access: Access, index: number): void {
  if (index < 0) writeSingle(owner, access, NOTHING);
  else {
    for (const [member] of membersOf(access, NOTHING)) {
      openList(owner, member, 0, undefined)?.splice(index, 1);
      dropEmptyList(owner, member);
    }
  }
}

/** Replaces an element, perhaps by one of another type of a choice. Keeps the order of members. */
export function replaceSlot(
  owner: JsonObject,
  {
    from,
    index,
    access,
    slot,
  }: { readonly from: Access; readonly index: number; readonly access: Access; readonly slot: Slot },
): void {
  if (index < 0) {
    if (from.key !== access.key) renameMember(owner, from, access);
    writeSingle(owner, access, slot);
    return;
  }
  const length = countSlots(owner, access);
  for (const [member, content] of membersOf(access, slot)) {
    openList(owner, member, length, content)?.splice(index, 1, content ?? null);
    dropEmptyList(owner, member);
  }
}

/** Adds an object for id and extensions to a primitive without one, and returns it. */
export function openElement(owner: JsonObject, access: Access, index: number): JsonObject {
  const made: JsonObject = {};
  if (index < 0) owner[access.companionKey] = made;
  else openList(owner, access.companionKey, countSlots(owner, access), made)?.splice(index, 1, made);
  return made;
}

export function writeSingle(owner: JsonObject, access: Access, slot: Slot): void {
  writeMember(owner, access.key, slot.value);
  if (access.node.isPrimitive) writeMember(owner, access.companionKey, slot.element);
}

const NOTHING: Slot = { value: undefined, element: undefined };

/** Returns the members that hold an element, each with its new content. */
function membersOf(
  { key, companionKey, node }: Access,
  { value, element }: Slot,
): (readonly [member: string, content: JsonValue | undefined])[] {
  return node.isPrimitive
    ? [
        [key, value],
        [companionKey, element],
      ]
    : [[key, value]];
}

function writeMember(owner: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value === undefined) delete owner[name];
  else owner[name] = value;
}

/** Returns the list in a member, padded with null to `length`; creates it only if there is content for it. */
function openList(
  owner: JsonObject,
  member: string,
  length: number,
  content: JsonValue | undefined,
): JsonValue[] | undefined {
  const present = owner[member];
  const list = Array.isArray(present) ? present : content === undefined ? undefined : (owner[member] = []);
  while (list !== undefined && list.length < length) list.push(null);
  return list;
}

function dropEmptyList(owner: JsonObject, member: string): void {
  const list = owner[member];
  if (Array.isArray(list) && list.every((value) => value === null)) delete owner[member];
}

function lengthOf(value: JsonValue | undefined): number {
  return Array.isArray(value) ? value.length : 0;
}

/** The caller writes the value again; the extensions of the old value are removed. */
function renameMember(owner: JsonObject, from: Access, to: Access): void {
  for (const [name, value] of Object.entries(owner)) {
    delete owner[name];
    if (name === from.key) owner[to.key] = value;
    else if (name !== from.companionKey) owner[name] = value;
  }
}
