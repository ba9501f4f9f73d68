/** `=` and `~` on values and collections. */
import type { Meter } from './allowance';
import { areEqualJson, areEquivalentText } from './same';
import { compareExact, numberSteps, round, toExact, trim } from './number';
import { compareQuantities, toQuantity } from './quantity';
import { compareTemporal, parseDateTime, parseTime, type Temporal } from './temporal';
import type { ValueKind } from './type-node';
import type { PathNode, PathNodes } from './value';

/**
 * True if two values are equal. Undefined if undecided (dates of different precision), which is the empty collection of
 * FHIRPath. NodeSet (node-set.ts) follows the same rules.
 */
export function areEqual(first: PathNode, second: PathNode, meter: Meter): boolean | undefined {
  if (first === second) return true;
  meter.spend(1);
  const one = first.node.kind;
  const other = second.node.kind;
  if (one === 'Object' || other === 'Object')
    return one === other && areEqualJson(first.value, second.value, meter);
  if (isTemporal(one) && isTemporal(other)) {
    const result = compareMoments(first, second, meter);
    return result === 'different kinds' ? false : result === undefined ? undefined : result === 0;
  }
  if (isNumber(one) && isNumber(other)) {
    if (first.value === second.value) return first.value !== null || areEqualElements(first, second, meter);
    meter.spend(numberSteps(first.value) + numberSteps(second.value));
    const [left, right] = [toExact(first.value), toExact(second.value)];
    return left !== undefined && right !== undefined && compareExact(left, right) === 0;
  }
  if (one === 'Quantity' || other === 'Quantity') {
    const [left, right] = [toQuantity(first), toQuantity(second)];
    if (!left || !right) return one === other && areEqualJson(first.value, second.value, meter);
    const result = compareQuantities(left, right, meter);
    return result === undefined ? undefined : result === 0;
  }
  if (first.value === null || second.value === null) {
    return first.value === second.value && areEqualElements(first, second, meter);
  }
  if (typeof first.value === 'string') meter.spend(first.value.length >> 8);
  return first.value === second.value;
}

function areEqualElements({ element: one }: PathNode, { element: other }: PathNode, meter: Meter): boolean {
  return areEqualJson(one ?? null, other ?? null, meter);
}

export function isTemporal(kind: ValueKind): boolean {
  return kind === 'Date' || kind === 'DateTime' || kind === 'Time';
}

export function isNumber(kind: ValueKind): boolean {
  return kind === 'Integer' || kind === 'Decimal';
}

export function momentOf(node: PathNode): Temporal | undefined {
  if (typeof node.value !== 'string') return undefined;
  return node.node.kind === 'Time' ? parseTime(node.value) : parseDateTime(node.value);
}

/** Steps of parsing a date or time; the fraction of a second may have any number of digits. */
export function momentSteps({ value }: PathNode): number {
  return 8 + (typeof value === 'string' ? value.length >> 4 : 0);
}

export function compareMoments(
  first: PathNode,
  second: PathNode,
  meter: Meter,
): number | undefined | 'different kinds' {
  if ((first.node.kind === 'Time') !== (second.node.kind === 'Time')) return 'different kinds';
  meter.spend(momentSteps(first) + momentSteps(second));
  const [one, other] = [momentOf(first), momentOf(second)];
  return one && other ? compareTemporal(one, other) : undefined;
}

/** `=` on collections: the same values in the same order. */
export function areEqualCollections(first: PathNodes, second: PathNodes, meter: Meter): boolean | undefined {
  if (first.length === 0 || second.length === 0) return undefined;
  if (first.length !== second.length) return false;
  let isDecided = true;
  for (let index = 0; index < first.length; index++) {
    const one = first[index];
    const other = second[index];
    if (one === undefined || other === undefined) return false;
    const areSame = areEqual(one, other, meter);
    if (areSame === false) return false;
    if (areSame === undefined) isDecided = false;
  }
  return isDecided ? true : undefined;
}

/** `~` on values: never undecided. */
export function areEquivalent(first: PathNode, second: PathNode, meter: Meter): boolean {
  meter.spend(1);
  const one = first.node.kind;
  const other = second.node.kind;
  if (one === 'String' && other === 'String') {
    return (
      typeof first.value === 'string' &&
      typeof second.value === 'string' &&
      areEquivalentText(first.value, second.value, meter)
    );
  }
  if (isNumber(one) && isNumber(other)) {
    meter.spend(numberSteps(first.value) + numberSteps(second.value));
    const [left, right] = [toExact(first.value), toExact(second.value)];
    if (!left || !right) return false;
    const scale = Math.min(trim(left).scale, trim(right).scale);
    return compareExact(round(left, scale), round(right, scale)) === 0;
  }
  if ((one === 'Quantity' || other === 'Quantity') && one !== 'Object' && other !== 'Object') {
    const [left, right] = [toQuantity(first), toQuantity(second)];
    return left && right
      ? compareQuantities(left, right, meter, true) === 0
      : areEqual(first, second, meter) === true;
  }
  if (one === 'Object' && other === 'Object')
    return areEqualJson(first.value, second.value, meter, areEquivalentText);
  return areEqual(first, second, meter) === true;
}

/** `~` on collections: the same values in any order; two empty ones are equivalent. */
export function areEquivalentCollections(first: PathNodes, second: PathNodes, meter: Meter): boolean {
  if (first.length !== second.length) return false;
  const left = [...second];
  return first.every((one) => {
    const index = left.findIndex((other) => areEquivalent(one, other, meter));
    if (index < 0) return false;
    meter.spend((left.length - index) >> 8);
    left.splice(index, 1);
    return true;
  });
}
