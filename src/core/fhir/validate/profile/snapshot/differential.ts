/**
 * Reads the elements of a differential into a tree. Their ids give their places. If ids are missing or do not match the
 * paths, path, slice name and order give them: an element after a slice and below its path belongs to the slice.
 * Source: https://hl7.org/fhir/R4/elementdefinition.html#id, https://hl7.org/fhir/R4/profiling.html#slicing
 */
import type { JsonObject } from '../../../json';
import { stringMember } from '../../../terminology/members';
import type { ElementAllowance } from './tree';

export interface DifferentialNode {
  /** Undefined if only something below is constrained. */
  definition: JsonObject | undefined;
  /** Index in `differential.element`; for a node without definition, that of the first element below it. */
  readonly index: number;
  /** By the last part of the path, in order. */
  readonly children: Map<string, DifferentialGroup>;
}

/** The nodes of a differential for the elements of one path. */
export interface DifferentialGroup {
  /** For all of them. */
  entry: DifferentialNode | undefined;
  /** By slice name, in order. */
  readonly slices: Map<string, DifferentialNode>;
}

export interface DifferentialFault {
  readonly index: number;
  readonly reason: string;
}

export interface Differential {
  readonly root: DifferentialNode;
  readonly faults: readonly DifferentialFault[];
}

/** One step of a path: `component:systolic`. */
interface Step {
  readonly name: string;
  readonly slice: string | undefined;
}

/** Paths of the specification have up to 70 characters. */
const LONGEST_PATH = 1_000;

/**
 * @param typeName the first part of all paths
 * @param allowance is charged for each new node
 */
export function readDifferential(
  elements: readonly JsonObject[],
  typeName: string,
  allowance: ElementAllowance,
): Differential {
  const faults: DifferentialFault[] = [];
  const reader = new Reader(allowance);
  const root = reader.makeNode(0);
  const byId = readIds(elements);
  elements.forEach((element, index) => {
    const path = stringMember(element, 'path');
    if (path === undefined || (path !== typeName && !path.startsWith(`${typeName}.`))) {
      faults.push({ index, reason: `the path must begin with '${typeName}'` });
      return;
    }
    if (path.length > LONGEST_PATH) {
      faults.push({ index, reason: `the path is longer than ${LONGEST_PATH} characters` });
      return;
    }
    const steps = byId?.[index];
    const node =
      steps === undefined
        ? reader.findByPath(root, path.split('.').slice(1), stringMember(element, 'sliceName'), index)
        : reader.findBySteps(root, steps, index);
    node.definition = node.definition === undefined ? element : { ...node.definition, ...element };
  });
  return { root, faults };
}

class Reader {
  /** The last node of each path, for differentials without ids. */
  private readonly latest = new Map<DifferentialGroup, DifferentialNode>();

  constructor(private readonly allowance: ElementAllowance) {}

  makeNode(index: number): DifferentialNode {
    this.allowance.take(NOTHING);
    return { definition: undefined, index, children: new Map() };
  }

  findBySteps(root: DifferentialNode, steps: readonly Step[], index: number): DifferentialNode {
    let node = root;
    for (const { name, slice } of steps) node = this.memberOf(groupOf(node, name), slice, index);
    return node;
  }

  findByPath(
    root: DifferentialNode,
    names: readonly string[],
    sliceName: string | undefined,
    index: number,
  ): DifferentialNode {
    let node = root;
    names.forEach((name, position) => {
      const group = groupOf(node, name);
      const isLast = position === names.length - 1;
      node = isLast
        ? this.memberOf(group, sliceName, index)
        : (this.latest.get(group) ?? this.memberOf(group, undefined, index));
      this.latest.set(group, node);
    });
    return node;
  }

  private memberOf(group: DifferentialGroup, slice: string | undefined, index: number): DifferentialNode {
    if (slice === undefined) return (group.entry ??= this.makeNode(index));
    let node = group.slices.get(slice);
    if (node === undefined) group.slices.set(slice, (node = this.makeNode(index)));
    return node;
  }
}

const NOTHING: JsonObject = {};

function groupOf(parent: DifferentialNode, name: string): DifferentialGroup {
  let group = parent.children.get(name);
  if (group === undefined) parent.children.set(name, (group = { entry: undefined, slices: new Map() }));
  return group;
}

/** Returns the steps of each element by its id; undefined if the ids are unreliable. */
function readIds(elements: readonly JsonObject[]): readonly (readonly Step[])[] | undefined {
  const seen = new Set<string>();
  const all: (readonly Step[])[] = [];
  for (const element of elements) {
    const id = stringMember(element, 'id');
    const path = stringMember(element, 'path');
    if (id === undefined || path === undefined || seen.has(id) || path.length > LONGEST_PATH)
      return undefined;
    seen.add(id);
    const steps = id.split('.').map(readStep);
    const names = path.split('.');
    if (steps.length !== names.length) return undefined;
    if (!steps.every(({ name }, position) => fits(name, names[position] ?? ''))) return undefined;
    const sliceName = stringMember(element, 'sliceName');
    if (sliceName !== undefined && steps.at(-1)?.slice !== sliceName) return undefined;
    all.push(steps.slice(1));
  }
  return all;
}

function readStep(text: string): Step {
  const colon = text.indexOf(':');
  return colon < 0
    ? { name: text, slice: undefined }
    : { name: text.slice(0, colon), slice: text.slice(colon + 1) };
}

/** `value[x]` in an id may be `valueQuantity` in the path. */
function fits(idName: string, pathName: string): boolean {
  if (idName === pathName) return true;
  const stem = choiceStem(idName);
  return stem !== undefined && pathName.length > stem.length && pathName.startsWith(stem);
}

/** `value` of `value[x]`; undefined for a name that is no choice. */
export function choiceStem(name: string): string | undefined {
  return name.endsWith('[x]') ? name.slice(0, -3) : undefined;
}
