/** `=` and `~` on values and collections, and what distinct and union mean by the same value. */
import { areEqualJson, areEquivalentText } from './same';
import { compareExact, round, toExact, trim } from './number';
import { compareQuantities, toQuantity } from './quantity';
import { compareTemporal, parseDateTime, parseTime, type Temporal } from './temporal';
import type { ValueKind } from './type-node';
import type { PathNode, PathNodes } from './value';

/** Undefined: cannot be told (dates of different precision), which FHIRPath writes as the empty collection. */
export function areEqual(first: PathNode, second: PathNode): boolean | undefined {
  if (first === second) return true;
  const one = first.node.kind;
  const other = second.node.kind;
  if (one === 'Object' || other === 'Object') return one === other && areEqualJson(first.value, second.value);
  if (isTemporal(one) && isTemporal(other)) {
    const result = compareMoments(first, second);
    return result === 'different kinds' ? false : result === undefined ? undefined : result === 0;
  }
  if (isNumber(one) && isNumber(other)) {
    if (first.value === second.value)
      return first.value !== null || areEqualJson(first.element ?? null, second.element ?? null);
    const [left, right] = [toExact(first.value), toExact(second.value)];
    return left !== undefined && right !== undefined && compareExact(left, right) === 0;
  }
  if (one === 'Quantity' || other === 'Quantity') {
    const [left, right] = [toQuantity(first), toQuantity(second)];
    if (!left || !right) return one === other && areEqualJson(first.value, second.value);
    const result = compareQuantities(left, right);
    return result === undefined ? undefined : result === 0;
  }
  if (first.value === null || second.value === null) {
    return first.value === second.value && areEqualJson(first.element ?? null, second.element ?? null);
  }
  return first.value === second.value;
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

export function compareMoments(first: PathNode, second: PathNode): number | undefined | 'different kinds' {
  if ((first.node.kind === 'Time') !== (second.node.kind === 'Time')) return 'different kinds';
  const [one, other] = [momentOf(first), momentOf(second)];
  return one && other ? compareTemporal(one, other) : undefined;
}

/** `=` on collections: the same values in the same order. */
export function areEqualCollections(first: PathNodes, second: PathNodes): boolean | undefined {
  if (first.length === 0 || second.length === 0) return undefined;
  if (first.length !== second.length) return false;
  let result: boolean | undefined = true;
  for (let index = 0; index < first.length; index++) {
    const [one, other] = [first[index], second[index]];
    const areSame = one && other ? areEqual(one, other) : false;
    if (areSame === false) return false;
    if (areSame === undefined) result = undefined;
  }
  return result;
}

/** `~` on values: never undecided. */
export function areEquivalent(first: PathNode, second: PathNode): boolean {
  const one = first.node.kind;
  const other = second.node.kind;
  if (one === 'String' && other === 'String') {
    return (
      typeof first.value === 'string' &&
      typeof second.value === 'string' &&
      areEquivalentText(first.value, second.value)
    );
  }
  if (isNumber(one) && isNumber(other)) {
    const [left, right] = [toExact(first.value), toExact(second.value)];
    if (!left || !right) return false;
    const scale = Math.min(trim(left).scale, trim(right).scale);
    return compareExact(round(left, scale), round(right, scale)) === 0;
  }
  if ((one === 'Quantity' || other === 'Quantity') && one !== 'Object' && other !== 'Object') {
    const [left, right] = [toQuantity(first), toQuantity(second)];
    return left && right ? compareQuantities(left, right, true) === 0 : areEqual(first, second) === true;
  }
  if (one === 'Object' && other === 'Object')
    return areEqualJson(first.value, second.value, areEquivalentText);
  return areEqual(first, second) === true;
}

/** `~` on collections: the same values in any order; two empty ones are equivalent. */
export function areEquivalentCollections(first: PathNodes, second: PathNodes): boolean {
  if (first.length !== second.length) return false;
  const left = [...second];
  return first.every((one) => {
    const index = left.findIndex((other) => areEquivalent(one, other));
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
}
