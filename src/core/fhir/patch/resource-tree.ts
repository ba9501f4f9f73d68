import { isJsonObject, type JsonObject, type JsonValue } from '../json';

interface Parent {
  readonly owner: JsonObject;
  readonly member: string;
}

/** The objects of a resource that is being changed, each with the object that has it. */
export class ResourceTree {
  private readonly parents = new Map<JsonObject, Parent>();

  /** Cost: linear in the resource. */
  constructor(readonly root: JsonObject) {
    this.adoptAll([root]);
  }

  /** False for an object that an expression made: it may look like a resource, but is nowhere in this one. */
  has(object: JsonObject): boolean {
    return object === this.root || this.parents.has(object);
  }

  /** Takes in the object that now stands in a member of `owner`, with all below it. */
  adopt(object: JsonObject, owner: JsonObject, member: string): void {
    this.parents.set(object, { owner, member });
    this.adoptAll([object]);
  }

  /** The names of the elements that lead from the root to an object; indexes are left out. */
  wayTo(object: JsonObject): string[] {
    const way: string[] = [];
    for (let at = this.parents.get(object); at !== undefined; at = this.parents.get(at.owner))
      way.push(toElementName(at.member));
    return way.reverse();
  }

  /** Removes an object that has become empty, and what becomes empty thereby: FHIR has no empty elements. */
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

/** The member with the extensions of a primitive belongs to the element without the underscore. */
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
  // The extensions of one primitive in a list: it goes with them only where it has no value.
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
