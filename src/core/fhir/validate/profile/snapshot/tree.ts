/**
 * The elements of a snapshot as a tree. Its structure replaces paths and slice names, so that a part can be copied to
 * another place. Source: https://hl7.org/fhir/R4/elementdefinition.html#id
 */
import type { JsonObject } from '../../../json';
import { stringMember } from '../../../terminology/members';

/** One element. Definitions are shared between trees and never changed, only replaced. */
export interface ElementNode {
  /** Without `id` and `path`, which follow from the place. */
  definition: JsonObject;
  /** By the last part of the path (`value[x]`), in order; empty if the content is that of the type. */
  readonly children: Map<string, ElementNode>;
  /** By slice name, in order. */
  readonly slices: Map<string, ElementNode>;
}

/** Limits the number of elements, so that slices of slices of slices end. */
export interface ElementAllowance {
  /** Counts one element with this definition. Throws if the limit is exceeded. */
  take(definition: JsonObject): void;
}

export function makeNode(definition: JsonObject, allowance: ElementAllowance): ElementNode {
  allowance.take(definition);
  return { definition: withoutPlace(definition), children: new Map(), slices: new Map() };
}

export function copyNode(node: ElementNode, allowance: ElementAllowance): ElementNode {
  allowance.take(node.definition);
  const copy: ElementNode = { definition: node.definition, children: new Map(), slices: new Map() };
  for (const [name, child] of node.children) copy.children.set(name, copyNode(child, allowance));
  for (const [name, slice] of node.slices) copy.slices.set(name, copyNode(slice, allowance));
  return copy;
}

/** Adds copies of all children of `from` to `to`. */
export function copyChildren(from: ElementNode, to: ElementNode, allowance: ElementAllowance): void {
  for (const [name, child] of from.children) to.children.set(name, copyNode(child, allowance));
}

export function sliceNameOf(node: ElementNode): string | undefined {
  return stringMember(node.definition, 'sliceName');
}

function withoutPlace(definition: JsonObject): JsonObject {
  const rest: JsonObject = {};
  for (const name in definition) {
    const value = definition[name];
    if (name !== 'id' && name !== 'path' && value !== undefined) rest[name] = value;
  }
  return rest;
}

/**
 * Returns the tree of `snapshot.element`; undefined for an unusable list: no elements, a path without a parent. An
 * element with a slice name is a slice of the element before it with the same path, if there is one.
 */
export function readTree(
  elements: readonly JsonObject[],
  allowance: ElementAllowance,
): ElementNode | undefined {
  /** The nodes above the current place, with the path of each. */
  const above: { readonly path: string; readonly node: ElementNode }[] = [];
  for (const element of elements) {
    const path = stringMember(element, 'path');
    if (path === undefined) return undefined;
    const node = makeNode(element, allowance);
    const dot = path.lastIndexOf('.');
    if (above.length === 0) {
      if (dot >= 0) return undefined;
    } else {
      const parentPath = path.slice(0, Math.max(dot, 0));
      while (above.length > 0 && above.at(-1)?.path !== parentPath) above.pop();
      const parent = above.at(-1)?.node;
      if (parent === undefined) return undefined;
      place(parent, path.slice(dot + 1), node);
    }
    above.push({ path, node });
  }
  return above[0]?.node;
}

function place(parent: ElementNode, name: string, node: ElementNode): void {
  const sliceName = sliceNameOf(node);
  const entry = parent.children.get(name);
  if (sliceName === undefined || entry === undefined) parent.children.set(name, node);
  else entry.slices.set(sliceName, node);
}

/**
 * The cardinality that each element of a snapshot must have (sdf-3). It must also have a definition; the stored
 * definitions of the specification have only `short`, which writeElement uses for it.
 */
const COMPLETE: JsonObject = { min: 0, max: '*' };

/** Returns the elements of the tree in the order of a snapshot, with `id` and `path`. */
export function writeTree(node: ElementNode, typeName: string): JsonObject[] {
  const elements: JsonObject[] = [];
  writeElement(node, typeName, typeName, elements);
  return elements;
}

function writeElement(node: ElementNode, id: string, path: string, into: JsonObject[]): void {
  into.push({ id, path, ...COMPLETE, definition: node.definition['short'] ?? path, ...node.definition });
  for (const [name, child] of node.children) {
    const sliceName = sliceNameOf(child);
    // An element can have a slice name without being sliced.
    const childId = sliceName === undefined ? `${id}.${name}` : `${id}.${name}:${sliceName}`;
    writeElement(child, childId, `${path}.${name}`, into);
    for (const [slice, sliceNode] of inOrder(child.slices)) {
      writeElement(sliceNode, `${id}.${name}:${slice}`, `${path}.${name}`, into);
    }
  }
}

/** Orders slices so that slices of a slice (`a/b`) follow it. */
function inOrder(slices: ReadonlyMap<string, ElementNode>): Iterable<readonly [string, ElementNode]> {
  const names = [...slices.keys()];
  if (!names.some((name) => name.includes('/'))) return slices;
  const below = new Map<string, string[]>();
  const roots: string[] = [];
  for (const name of names) {
    const parent = parentSlice(name);
    if (parent === undefined || !slices.has(parent)) {
      roots.push(name);
      continue;
    }
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [name]);
    else siblings.push(name);
  }
  const ordered: [string, ElementNode][] = [];
  const visit = (name: string): void => {
    const node = slices.get(name);
    if (node !== undefined) ordered.push([name, node]);
    for (const inner of below.get(name) ?? []) visit(inner);
  };
  for (const name of roots) visit(name);
  return ordered;
}

/** `a/b` of `a/b/c`: the slice that is sliced again (https://hl7.org/fhir/R4/profiling.html#reslicing). */
export function parentSlice(name: string): string | undefined {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? undefined : name.slice(0, slash);
}
