/** Which values are among others: by a table where comparing each with each would be quadratic. */
import { decimalText, isJsonObject, type JsonValue } from '../json';
import { areEqual, isNumber, isTemporal } from './equality';
import { exactText, parseExact, trim } from './number';
import { areEqualJson } from './same';
import type { PathNode, PathNodes } from './value';

/** From here on a table is quicker than comparing with each. */
const FEW = 12;

type Comparison = (one: PathNode, other: PathNode) => boolean;

const isSame: Comparison = (one, other) => areEqual(one, other) === true;

/**
 * What is left out as a repetition. Quantities of FHIR that are equal but written differently (in other units, of another
 * system) are values of their own: each can be searched for as it stands.
 */
const isRepetition: Comparison = (one, other) =>
  isQuantityOfFhir(one) && isQuantityOfFhir(other)
    ? areEqualJson(one.value, other.value)
    : isSame(one, other);

function isQuantityOfFhir({ node }: PathNode): boolean {
  return node.kind === 'Quantity' && node.namespace === 'FHIR';
}

/** A growing set of values. */
class NodeSet {
  private readonly nodes: PathNode[] = [];
  private readonly keys = new Set<string>();
  /** Dates and quantities, of which no key tells what they equal. */
  private readonly keyless: PathNode[] = [];

  constructor(
    nodes: PathNodes = [],
    private readonly compare: Comparison = isSame,
  ) {
    for (const node of nodes) this.add(node);
  }

  add(node: PathNode): void {
    const key = keyOf(node);
    this.nodes.push(node);
    if (key === undefined) this.keyless.push(node);
    else this.keys.add(key);
  }

  has(node: PathNode): boolean {
    const key = keyOf(node);
    if (key === undefined) return compareWithEach(this.nodes, node, this.compare);
    return this.keys.has(key) || compareWithEach(this.keyless, node, this.compare);
  }

  /** False when it was there already. */
  addNew(node: PathNode): boolean {
    if (this.has(node)) return false;
    this.add(node);
    return true;
  }
}

function compareWithEach(nodes: PathNodes, wanted: PathNode, compare = isSame): boolean {
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index];
    if (node && compare(node, wanted)) return true;
  }
  return false;
}

/** Tables of collections that are asked again and again. */
const tables = new WeakMap<PathNodes, NodeSet | undefined>();

/** Says that the very same collection will be asked for again, so that a table is worth its making. */
export function remember(nodes: PathNodes): void {
  if (nodes.length > FEW && !tables.has(nodes)) tables.set(nodes, undefined);
}

/** Whether one of the values equals `wanted`. Cost: linear, but one lookup for a remembered collection. */
export function includes(nodes: PathNodes, wanted: PathNode): boolean {
  if (nodes.length <= FEW || !tables.has(nodes)) return compareWithEach(nodes, wanted);
  let table = tables.get(nodes);
  if (!table) tables.set(nodes, (table = new NodeSet(nodes)));
  return table.has(wanted);
}

/** Those of `nodes` that are among `others`, or those that are not. */
export function filterMembers(nodes: PathNodes, others: PathNodes, areWanted: boolean): PathNode[] {
  if (nodes.length > FEW) remember(others);
  return nodes.filter((node) => includes(others, node) === areWanted);
}

/** Whether each of `nodes` is among `others`. */
export function areAmong(nodes: PathNodes, others: PathNodes): boolean {
  if (nodes.length > FEW) remember(others);
  return nodes.every((node) => includes(others, node));
}

/** The values without repetitions, in order of first occurrence. */
export function distinct(nodes: PathNodes): PathNodes {
  if (nodes.length < 2) return nodes;
  return newOnes(createRecord(nodes.length > FEW), nodes);
}

/** What was seen so far; tells whether a value is new, and then takes it in. */
type Recorder = (node: PathNode) => boolean;

export function createRecord(isLarge = true): Recorder {
  if (isLarge) {
    const seen = new NodeSet([], isRepetition);
    return (node) => seen.addNew(node);
  }
  const seen: PathNode[] = [];
  return (node) => !compareWithEach(seen, node, isRepetition) && seen.push(node) > 0;
}

function newOnes(isNew: Recorder, nodes: PathNodes): PathNodes {
  return nodes.filter((node) => isNew(node));
}

/** Values that both have keys are equal exactly when the keys are. */
function keyOf({ value, node, element }: PathNode): string | undefined {
  const { kind } = node;
  if (kind === 'Object') return `object ${textOf(value)}`;
  if (isTemporal(kind) || kind === 'Quantity') return undefined;
  if (value === null) return `empty ${textOf(element ?? null)}`;
  if (isNumber(kind)) return `number ${numberText(value)}`;
  return typeof value === 'string' ? `string ${value}` : `other ${textOf(value)}`;
}

/** The same text exactly for what areEqualJson calls equal. */
function textOf(value: JsonValue): string {
  let text = '';
  if (Array.isArray(value)) {
    for (const member of value) text += `${textOf(member)},`;
    return `[${text}]`;
  }
  if (isJsonObject(value)) {
    for (const name of Object.keys(value).sort())
      text += `${JSON.stringify(name)}:${textOf(value[name] ?? null)},`;
    return `{${text}}`;
  }
  return decimalText(value) === undefined ? JSON.stringify(value) : numberText(value);
}

/** Decimals that cannot be computed with are equal only when they are written alike. */
function numberText(value: JsonValue): string {
  const text = decimalText(value) ?? '';
  const exact = parseExact(text);
  return exact ? exactText(trim(exact)) : `'${text}'`;
}
