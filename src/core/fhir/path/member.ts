/** Steps from a value to its elements, most of the work of search parameters. */
import type { JsonObject } from '../json';
import { UNMETERED, type Meter } from './allowance';
import { isAbstractResource, type Access, type TypeModel, type TypeNode } from './type-node';
import {
  EMPTY,
  collect,
  hasAny,
  isObject,
  nodeOf,
  sourceOf,
  type Collector,
  type PathNode,
  type PathNodes,
} from './value';

/** One step. It caches its last type, because the next value nearly always has the same. */
export class MemberStep {
  private lastNode: TypeNode | undefined;
  private lastAccesses: readonly Access[] = [];
  private readonly filtered = new Map<TypeNode, readonly Access[]>();

  constructor(
    readonly name: string,
    /** Selects only elements of these types (`value as Quantity`); other members of a choice are not read. */
    private readonly filter?: (node: TypeNode) => boolean,
  ) {}

  withFilter(filter: (node: TypeNode) => boolean): MemberStep {
    const before = this.filter;
    return new MemberStep(this.name, before ? (node) => before(node) && filter(node) : filter);
  }

  /** Returns the members of a value of type `node` that hold the element. */
  accessesOf(node: TypeNode): readonly Access[] {
    if (node === this.lastNode) return this.lastAccesses;
    let accesses = node.accesses(this.name);
    const { filter } = this;
    if (filter) {
      const all = accesses;
      accesses = this.filtered.get(node) ?? all.filter((access) => filter(access.node));
      this.filtered.set(node, accesses);
    }
    this.lastNode = node;
    this.lastAccesses = accesses;
    return accesses;
  }
}

/**
 * Returns the JSON members that the first step reads from values of these types; undefined if unknown at compile time.
 */
export function firstMembers(
  [first]: readonly MemberStep[],
  focus: readonly TypeNode[] | undefined,
): readonly string[] | undefined {
  if (first === undefined || focus === undefined || focus.some(isAbstractResource)) return undefined;
  const accesses = focus.flatMap((node) => first.accessesOf(node));
  return accesses.flatMap(({ key, companionKey, node }) => (node.isPrimitive ? [key, companionKey] : [key]));
}

/** Returns the values that `steps` lead to from each value of `focus`. */
export function selectMembers(
  steps: readonly MemberStep[],
  focus: PathNodes,
  model: TypeModel,
  meter: Meter,
): PathNodes {
  const found: PathNode[] = [];
  const descent: Descent = { steps, model, meter, found };
  for (let index = 0; index < focus.length; index++) {
    const start = focus[index];
    const source = start && sourceOf(start);
    if (!start || !source) continue;
    descend(source, start.node, 0, descent);
  }
  return found.length === 0 ? EMPTY : found;
}

/** As `selectMembers`, from one object whose type is not a primitive. */
export function selectFromRoot(
  steps: readonly MemberStep[],
  root: JsonObject,
  node: TypeNode,
  model: TypeModel,
): PathNodes {
  const found: PathNode[] = [];
  descend(root, node, 0, { steps, model, meter: UNMETERED, found });
  return found.length === 0 ? EMPTY : found;
}

/** True if `selectMembers` would return a value. */
export function selectsAny(
  steps: readonly MemberStep[],
  focus: PathNodes,
  model: TypeModel,
  meter: Meter,
): boolean {
  const descent = { steps, model, meter };
  for (let index = 0; index < focus.length; index++) {
    const start = focus[index];
    const source = start && sourceOf(start);
    if (!start || !source) continue;
    if (descendsToAny(source, start.node, 0, descent)) return true;
  }
  return false;
}

/** State that all levels of one selection share; an object for each level would cost time. */
interface Descent extends Collector {
  readonly steps: readonly MemberStep[];
}

function descendsToAny(
  source: JsonObject,
  node: TypeNode,
  depth: number,
  descent: Omit<Descent, 'found'>,
): boolean {
  const { steps, model, meter } = descent;
  const step = steps[depth];
  if (!step) return false;
  const accesses = step.accessesOf(node);
  // An element of many types, such as Extension.value, takes 50 lookups.
  meter.spend(accesses.length || 1);
  const isLast = depth === steps.length - 1;
  for (let index = 0; index < accesses.length; index++) {
    const access = accesses[index];
    if (!access) continue;
    if (isLast) {
      if (hasAny(source, access)) return true;
      continue;
    }
    const value = source[access.node.isPrimitive ? access.companionKey : access.key];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const child = value[at];
        if (isObject(child) && descendsToAny(child, nodeOf(child, access, model), depth + 1, descent))
          return true;
      }
    } else if (isObject(value) && descendsToAny(value, nodeOf(value, access, model), depth + 1, descent))
      return true;
  }
  return false;
}

function descend(source: JsonObject, node: TypeNode, depth: number, descent: Descent): void {
  const { steps, model, meter } = descent;
  const step = steps[depth];
  if (!step) return;
  const accesses = step.accessesOf(node);
  // An element of many types, such as Extension.value, takes 50 lookups.
  meter.spend(accesses.length || 1);
  const isLast = depth === steps.length - 1;
  for (let index = 0; index < accesses.length; index++) {
    const access = accesses[index];
    if (!access) continue;
    if (isLast) {
      collect(source, access, descent);
      continue;
    }
    // A primitive has only id and extensions below it, in the companion member.
    const value = source[access.node.isPrimitive ? access.companionKey : access.key];
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) {
        const child = value[at];
        if (isObject(child)) descend(child, nodeOf(child, access, model), depth + 1, descent);
      }
    } else if (isObject(value)) descend(value, nodeOf(value, access, model), depth + 1, descent);
  }
}

/** Returns all elements directly below the values. */
export function childrenOf(focus: PathNodes, model: TypeModel, meter: Meter): PathNodes {
  const found: PathNode[] = [];
  const collector: Collector = { model, meter, found };
  for (const parent of focus) {
    const source = sourceOf(parent);
    if (!source) continue;
    // A type has about ten elements, with one lookup each.
    meter.spend(2);
    for (const accesses of parent.node.elements) {
      if (accesses.length > 1) meter.spend(accesses.length);
      for (const access of accesses) collect(source, access, collector);
    }
  }
  return found;
}

/** Returns all elements at any depth below the values. */
export function descendantsOf(focus: PathNodes, model: TypeModel, meter: Meter): PathNodes {
  const found: PathNode[] = [];
  let level = childrenOf(focus, model, meter);
  while (level.length > 0) {
    for (const node of level) found.push(node);
    level = childrenOf(level, model, meter);
  }
  return found;
}
