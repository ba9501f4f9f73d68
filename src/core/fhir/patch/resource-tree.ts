import { isJsonObject, type JsonObject, type JsonValue } from '../json';

interface Parent {
  readonly owner: JsonObject;
  readonly member: string;
}

/** The objects of a resource that a patch changes, each with its parent object. */
export class ResourceTree {
  private readonly parents = new Map<JsonObject, Parent>();

  /** Cost: linear in the resource. */
  constructor(readonly root: JsonObject) {
    this.adoptAll([root]);
  }

  /** False for an object that an expression created: it may look like a resource, but is not part of this one. */
  has(object: JsonObject): boolean {
    return object === this.root || this.parents.has(object);
  }

  /** Adds an object that a member of `owner` now holds, with all objects below it. */
  adopt(object: JsonObject, owner: JsonObject, member: string): void {
    this.parents.set(object, { owner, member });
    this.adoptAll([object]);
  }

  /** Returns the element names on the path from the root to an object, without indexes. */
  wayTo(object: JsonObject): string[] {
    const way: string[] = [];
    for (let at = this.parents.get(object); at !== undefined; at = this.parents.get(at.owner))
      way.push(toElementName(at.member));
    return way.reverse();
  }

  /** Removes an empty object, and each parent that becomes empty: FHIR has no empty elements. */
  prune(object: JsonObject): void {
    let empty = object;
    while (Object.keys(empty).length === 0) {
      const parent = this.parents.get(empty);
      if (parent === undefined) return;
      removeFrom(parent, empty);
      empty = parent.owner;
    }
  }

  private adoptAll(open: JsonObject[]): void {
    for (let owner = open.pop(); owner !== undefined; owner = open.pop()) {
      for (const member of Object.keys(owner)) {
        for (const child of objectsIn(owner[member])) {
          this.parents.set(child, { owner, member });
          open.push(child);
        }
      }
    }
  }
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.filter((element) => isJsonObject(element));
  return isJsonObject(value) ? [value] : NONE;
}
const NONE: readonly JsonObject[] = [];

/** `_birthDate`, which holds the extensions of a primitive, belongs to the element `birthDate`. */
function toElementName(member: string): string {
  return member.startsWith('_') ? member.slice(1) : member;
}

function removeFrom({ owner, member }: Parent, object: JsonObject): void {
  const list = owner[member];
  if (!Array.isArray(list)) {
    delete owner[member];
    return;
  }
  const index = list.indexOf(object);
  if (!member.startsWith('_')) {
    list.splice(index, 1);
    if (list.length === 0) delete owner[member];
    return;
  }
  // The extensions of a primitive in a list: the item is removed only if the primitive has no value either.
  const name = toElementName(member);
  const values = owner[name];
  list[index] = null;
  const isGone = !Array.isArray(values) || (values[index] ?? null) === null;
  if (isGone) {
    list.splice(index, 1);
    if (Array.isArray(values)) values.splice(index, 1);
  }
  if (list.every((element) => element === null)) delete owner[member];
  if (Array.isArray(values) && values.every((value) => value === null)) delete owner[name];
}
