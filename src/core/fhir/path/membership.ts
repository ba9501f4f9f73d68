/** Membership of values in collections, by a table where comparing all pairs would be quadratic. */
import type { Meter } from './allowance';
import { areEqual } from './equality';
import { isQuantityOfFhir, NodeSet } from './node-set';
import { areEqualJson } from './same';
import type { PathNode, PathNodes } from './value';

/** Above this size a table is faster than comparing with each. */
const FEW = 12;

type Comparison = (one: PathNode, other: PathNode, meter: Meter) => boolean;

const isSame: Comparison = (one, other, meter) => areEqual(one, other, meter) === true;

/** See `Sameness`. */
const isRepetition: Comparison = (one, other, meter) =>
  isQuantityOfFhir(one) && isQuantityOfFhir(other)
    ? areEqualJson(one.value, other.value, meter)
    : isSame(one, other, meter);

function compareWithEach(nodes: PathNodes, wanted: PathNode, meter: Meter, compare = isSame): boolean {
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node && compare(node, wanted, meter)) return true;
  }
  return false;
}

/** Tables of collections that are searched repeatedly. */
const tables = new WeakMap<PathNodes, NodeSet | undefined>();

/** Marks a collection that will be searched repeatedly, so that a table is worth its cost. */
export function markSearched(nodes: PathNodes): void {
  if (nodes.length > FEW && !tables.has(nodes)) tables.set(nodes, undefined);
}

/** True if one of the values equals `wanted`. Cost: linear, but one lookup for a marked collection. */
export function includes(nodes: PathNodes, wanted: PathNode, meter: Meter): boolean {
  if (nodes.length <= FEW || !tables.has(nodes)) return compareWithEach(nodes, wanted, meter);
  let table = tables.get(nodes);
  if (!table) {
    table = new NodeSet('equal');
    for (const node of nodes) table.add(node, meter);
    tables.set(nodes, table);
  }
  return table.has(wanted, meter);
}

/** Returns the values of `nodes` that are among `others`, or those that are not. */
export function filterMembers(
  nodes: PathNodes,
  others: PathNodes,
  isMember: boolean,
  meter: Meter,
): PathNode[] {
  if (nodes.length > FEW) markSearched(others);
  return nodes.filter((node) => includes(others, node, meter) === isMember);
}

/** True if each of `nodes` is among `others`. */
export function areAmong(nodes: PathNodes, others: PathNodes, meter: Meter): boolean {
  if (nodes.length > FEW) markSearched(others);
  return nodes.every((node) => includes(others, node, meter));
}

/** Returns the values without repetitions, in order of first occurrence. */
export function distinct(nodes: PathNodes, meter: Meter): PathNodes {
  if (nodes.length < 2) return nodes;
  return newOnes(createRecord(meter, nodes.length > FEW), nodes);
}

/** Returns whether a value is new, and records it. */
type Recorder = (node: PathNode) => boolean;

export function createRecord(meter: Meter, isLarge = true): Recorder {
  if (isLarge) {
    const seen = new NodeSet('repetition');
    return (node) => seen.addNew(node, meter);
  }
  const seen: PathNode[] = [];
  return (node) => !compareWithEach(seen, node, meter, isRepetition) && seen.push(node) > 0;
}

function newOnes(isNew: Recorder, nodes: PathNodes): PathNodes {
  return nodes.filter((node) => isNew(node));
}
