/** http://hl7.org/fhirpath/N1/#operations */
import { decimalText } from '../json';
import type { Meter } from './allowance';
import { fault, fromTest, one, toTest, type Compiled, type Scope } from './compiled';
import {
  areEqualCollections,
  areEquivalentCollections,
  compareMoments,
  isNumber,
  isTemporal,
  momentOf,
  momentSteps,
} from './equality';
import { distinct, includes } from './membership';
import {
  add,
  compareExact,
  divide,
  divideWhole,
  fromExact,
  multiply,
  negate,
  numberSteps,
  toExact,
  trim,
  type Exact,
} from './number';
import { compareQuantities, toQuantity } from './quantity';
import type { BinaryOperator } from './syntax';
import { addDuration, addToTime, dateTimeText, timeText } from './temporal';
import { SYSTEM_NODES, type TypeNode } from './type-node';
import { EMPTY, isObject, single, type PathNode, type PathNodes } from './value';

type Operate = (left: PathNodes, right: PathNodes, scope: Scope) => PathNodes;
/** Undefined is the empty collection. */
type Decide = (left: PathNodes, right: PathNodes, scope: Scope) => boolean | undefined;

export function compileBinary(operator: BinaryOperator, left: Compiled, right: Compiled): Compiled {
  if (isLogic(operator)) return compileLogic(operator, left, right);
  if (isDecided(operator)) {
    const decide = DECISIONS[operator];
    return fromTest((focus, scope) => decide(left.run(focus, scope), right.run(focus, scope), scope));
  }
  const operate = OPERATORS[operator];
  const members =
    operator === '|' && left.members && right.members
      ? [...new Set([...left.members, ...right.members])]
      : undefined;
  return {
    run: (focus, scope) => operate(left.run(focus, scope), right.run(focus, scope), scope),
    nodes: nodesOf(operator, left, right),
    ...(members && { members }),
  };
}

function nodesOf(operator: BinaryOperator, left: Compiled, right: Compiled): readonly TypeNode[] | undefined {
  if (operator === '|') return left.nodes && right.nodes && [...left.nodes, ...right.nodes];
  return operator === '&' ? [SYSTEM_NODES.String] : undefined;
}

const LOGIC = ['and', 'or', 'xor', 'implies'] as const;
type Logic = (typeof LOGIC)[number];

function isLogic(operator: BinaryOperator): operator is Logic {
  return LOGIC.some((name) => name === operator);
}

/** Three-valued logic; evaluates the right side only if the left one does not decide the result. */
function compileLogic(operator: Logic, left: Compiled, right: Compiled): Compiled {
  const test = toTest(left, operator);
  const otherTest = toTest(right, operator);
  return fromTest((focus, scope) => {
    const one = test(focus, scope);
    if (operator === 'and' && one === false) return false;
    if (operator === 'or' && one === true) return true;
    if (operator === 'implies' && one === false) return true;
    return decide(operator, one, otherTest(focus, scope));
  });
}

function decide(operator: Logic, one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  switch (operator) {
    case 'and':
      return other === false ? false : one === undefined || other === undefined ? undefined : true;
    case 'or':
      return other === true ? true : one === undefined || other === undefined ? undefined : false;
    case 'xor':
      return one === undefined || other === undefined ? undefined : one !== other;
    case 'implies':
      return other === true ? true : one === undefined || other === undefined ? undefined : false;
  }
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

/** An operator of two single values; empty if one of them is. */
function ofSingles(
  name: string,
  operate: (left: PathNode, right: PathNode, scope: Scope) => PathNodes,
): Operate {
  return (left, right, scope) => {
    const [first, second] = [one(left, scope, name), one(right, scope, name)];
    return first && second ? operate(first, second, scope) : EMPTY;
  };
}

function comparison(name: string, accept: (difference: number) => boolean): Decide {
  return (left, right, scope) => {
    const [first, second] = [one(left, scope, name), one(right, scope, name)];
    if (!first || !second) return undefined;
    const difference = compare(first, second, scope);
    if (difference === 'incomparable') {
      fault(scope, `${name} cannot compare ${first.type} with ${second.type}`);
      return undefined;
    }
    return difference === undefined ? undefined : accept(difference);
  };
}

function compare(left: PathNode, right: PathNode, meter: Meter): number | undefined | 'incomparable' {
  const [one, other] = [left.node.kind, right.node.kind];
  if (left.value === null || right.value === null) return undefined;
  if (isNumber(one) && isNumber(other)) {
    meter.spend(numberSteps(left.value) + numberSteps(right.value));
    const [first, second] = [toExact(left.value), toExact(right.value)];
    return first && second ? compareExact(first, second) : undefined;
  }
  if (isTemporal(one) && isTemporal(other)) {
    const result = compareMoments(left, right, meter);
    return result === 'different kinds' ? 'incomparable' : result;
  }
  if (typeof left.value === 'string' && one === 'String' && other === 'String') {
    meter.spend(left.value.length >> 8);
    return left.value < right.value ? -1 : left.value > right.value ? 1 : 0;
  }
  if (one === 'Quantity' || other === 'Quantity') {
    const [first, second] = [toQuantity(left), toQuantity(right)];
    return first && second ? compareQuantities(first, second, meter) : 'incomparable';
  }
  return 'incomparable';
}

/** An arithmetic operator for two numbers. */
function arithmetic(
  name: string,
  operate: (left: Exact, right: Exact) => Exact | undefined,
  type?: 'Integer' | 'Decimal',
): (left: PathNode, right: PathNode, scope: Scope) => PathNodes {
  return (left, right, scope) => {
    const [one, other] = [left.node.kind, right.node.kind];
    if (!isNumber(one) || !isNumber(other))
      return fault(scope, `${name} cannot join ${left.type} and ${right.type}`);
    scope.spend(numberSteps(left.value) + numberSteps(right.value));
    const [first, second] = [toExact(left.value), toExact(right.value)];
    const result = first && second && operate(first, second);
    if (!result) return EMPTY;
    return single(
      fromExact(result),
      type ?? (one === 'Integer' && other === 'Integer' ? 'Integer' : 'Decimal'),
    );
  };
}

const PLUS = arithmetic('+', add);
const MINUS = arithmetic('-', (left, right) => add(left, negate(right)));

function sum(sign: 1 | -1): Operate {
  const name = sign === 1 ? '+' : '-';
  const numbers = sign === 1 ? PLUS : MINUS;
  return ofSingles(name, (left, right, scope) => {
    const [one, other] = [left.node.kind, right.node.kind];
    if (sign === 1 && one === 'String' && other === 'String') {
      if (typeof left.value !== 'string' || typeof right.value !== 'string') return EMPTY;
      scope.makeText(left.value.length + right.value.length);
      return single(left.value + right.value, 'String');
    }
    if (isTemporal(one)) return later(left, right, sign, scope);
    if (one === 'Quantity' && other === 'Quantity') return sumOfQuantities(left, right, sign, scope);
    return numbers(left, right, scope);
  });
}

function later(left: PathNode, right: PathNode, sign: 1 | -1, scope: Scope): PathNodes {
  scope.spend(momentSteps(left));
  const moment = momentOf(left);
  const duration = right.node.kind === 'Quantity' ? toQuantity(right) : undefined;
  const { kind } = left.node;
  if (!moment || !duration || (kind !== 'Date' && kind !== 'DateTime' && kind !== 'Time')) {
    return fault(scope, `Only a duration can be added to ${left.type}`);
  }
  const amount = sign * Number(`${duration.value.unscaled}e${-duration.value.scale}`);
  if (!duration.isCalendar && (duration.unit === 'a' || duration.unit === 'mo')) {
    return fault(scope, `'${duration.unit}' is not a definite duration`);
  }
  const moved =
    kind === 'Time' ? addToTime(moment, amount, duration.unit) : addDuration(moment, amount, duration.unit);
  if (!moved) return fault(scope, `'${duration.unit}' cannot be added to ${left.type}`);
  return single(kind === 'Time' ? timeText(moved) : dateTimeText(moved, kind === 'Date'), kind);
}

function sumOfQuantities(left: PathNode, right: PathNode, sign: 1 | -1, scope: Scope): PathNodes {
  const [first, second] = [toQuantity(left), toQuantity(right)];
  if (!first || !second) return EMPTY;
  if (first.unit !== second.unit) return fault(scope, `${first.unit} and ${second.unit} cannot be added`);
  const value = add(first.value, sign === 1 ? second.value : negate(second.value));
  return single({ value: fromExact(value), [first.isCalendar ? 'unit' : 'code']: first.unit }, 'Quantity');
}

/** Unary plus and minus. */
export function compilePolarity(operator: '+' | '-', operand: Compiled): Compiled {
  return {
    run: (focus, scope) => {
      const node = one(operand.run(focus, scope), scope, operator);
      if (!node) return EMPTY;
      const { kind } = node.node;
      if (kind === 'Quantity' && isObject(node.value)) {
        const value = toExact(node.value['value']);
        if (!value) return EMPTY;
        return operator === '+'
          ? [node]
          : single({ ...node.value, value: fromExact(negate(value)) }, 'Quantity');
      }
      const value = isNumber(kind) ? toExact(node.value) : undefined;
      if (!value) return fault(scope, `${operator} takes a number, not ${node.type}`);
      return operator === '+'
        ? [node]
        : single(fromExact(negate(value)), kind === 'Integer' ? 'Integer' : 'Decimal');
    },
    nodes: operand.nodes,
  };
}

/** Joins strings and numbers; an empty operand counts as ''. */
const concatenate: Operate = (left, right, scope) => {
  const texts = [left, right].map((nodes) => {
    const node = one(nodes, scope, '&');
    if (nodes.length > 1) return undefined;
    if (!node) return '';
    return typeof node.value === 'string' && node.node.kind === 'String'
      ? node.value
      : decimalText(node.value);
  });
  const [first, second] = texts;
  if (first === undefined || second === undefined) return fault(scope, '& joins strings');
  scope.makeText(first.length + second.length);
  return single(first + second, 'String');
};

function membership(whole: PathNodes, part: PathNodes, scope: Scope, name: string): boolean | undefined {
  const wanted = one(part, scope, name);
  return wanted && includes(whole, wanted, scope);
}

const DECISIONS = {
  '=': areEqualCollections,
  '!=': (left, right, scope) => negated(areEqualCollections(left, right, scope)),
  '~': areEquivalentCollections,
  '!~': (left, right, scope) => !areEquivalentCollections(left, right, scope),
  '<': comparison('<', (difference) => difference < 0),
  '<=': comparison('<=', (difference) => difference <= 0),
  '>': comparison('>', (difference) => difference > 0),
  '>=': comparison('>=', (difference) => difference >= 0),
  in: (left, right, scope) => membership(right, left, scope, 'in'),
  contains: (left, right, scope) => membership(left, right, scope, 'contains'),
} as const satisfies Partial<Record<BinaryOperator, Decide>>;
type Decided = keyof typeof DECISIONS;

function isDecided(operator: BinaryOperator): operator is Decided {
  return operator in DECISIONS;
}

const OPERATORS: Readonly<Record<Exclude<BinaryOperator, Decided | Logic>, Operate>> = {
  '|': (left, right, scope) => {
    if (left.length === 0) return distinct(right, scope);
    if (right.length === 0) return distinct(left, scope);
    scope.makeValues(left.length + right.length);
    return distinct([...left, ...right], scope);
  },
  '+': sum(1),
  '-': sum(-1),
  '&': concatenate,
  '*': ofSingles('*', arithmetic('*', multiply)),
  '/': ofSingles(
    '/',
    arithmetic('/', (left, right) => divide(left, right), 'Decimal'),
  ),
  div: ofSingles(
    'div',
    arithmetic('div', (left, right) => divideWhole(left, right)?.quotient, 'Integer'),
  ),
  mod: ofSingles(
    'mod',
    arithmetic('mod', (left, right) => {
      const remainder = divideWhole(left, right)?.remainder;
      return remainder && trim(remainder);
    }),
  ),
};
