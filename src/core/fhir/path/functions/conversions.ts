/** http://hl7.org/fhirpath/N1/#conversion */
import { one, type Compiled, type FunctionTable } from '../compiled';
import type { Meter } from '../allowance';
import { isNumber } from '../equality';
import { decimalText } from '../../json';
import { parseExact, toJsonNumber } from '../number';
import type { SystemType } from '../syntax';
import { parseDateTime, parseTime } from '../temporal';
import { SYSTEM_NODES } from '../type-node';
import { EMPTY, FALSE, isObject, makeValue, TRUE, type PathNode } from '../value';

type Convert = (node: PathNode) => PathNode | undefined;

const TRUE_TEXTS: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', '1', '1.0']);
const FALSE_TEXTS: ReadonlySet<string> = new Set(['false', 'f', 'no', 'n', '0', '0.0']);
const MAX_INTEGER = 2_147_483_647;

function toBooleanNode(node: PathNode): PathNode | undefined {
  if (node.node.kind === 'Boolean') return node;
  const text = isNumber(node.node.kind)
    ? decimalText(node.value)
    : typeof node.value === 'string'
      ? node.value
      : undefined;
  if (text === undefined) return undefined;
  const number = isNumber(node.node.kind) ? Number(text) : undefined;
  if (number === 1 || TRUE_TEXTS.has(text.toLowerCase())) return TRUE[0];
  return number === 0 || FALSE_TEXTS.has(text.toLowerCase()) ? FALSE[0] : undefined;
}

function toInteger(node: PathNode): PathNode | undefined {
  if (node.node.kind === 'Integer') return node;
  if (node.node.kind === 'Boolean') return makeValue(node.value === true ? 1 : 0, 'Integer');
  if (node.node.kind !== 'String' || typeof node.value !== 'string' || !/^[+-]?\d+$/.test(node.value))
    return undefined;
  const number = Number(node.value);
  return Math.abs(number) <= MAX_INTEGER ? makeValue(number, 'Integer') : undefined;
}

function toDecimal(node: PathNode): PathNode | undefined {
  if (node.node.kind === 'Decimal') return node;
  if (node.node.kind === 'Integer') return makeValue(node.value, 'Decimal');
  if (node.node.kind === 'Boolean')
    return makeValue(toJsonNumber(node.value === true ? '1.0' : '0.0'), 'Decimal');
  if (node.node.kind !== 'String' || typeof node.value !== 'string' || !/^[+-]?\d+(\.\d+)?$/.test(node.value))
    return undefined;
  return makeValue(toJsonNumber(node.value.replace(/^\+/, '')), 'Decimal');
}

function toText(node: PathNode): PathNode | undefined {
  const { value } = node;
  if (node.node.kind === 'Quantity') return quantityText(node);
  if (isNumber(node.node.kind)) {
    const text = decimalText(value);
    return text === undefined ? undefined : makeValue(text, 'String');
  }
  if (typeof value === 'string') return makeValue(value, 'String');
  return typeof value === 'boolean' ? makeValue(String(value), 'String') : undefined;
}

function quantityText({ value }: PathNode): PathNode | undefined {
  if (!isObject(value)) return undefined;
  const number = decimalText(value['value']);
  const { code, unit } = value;
  if (number === undefined) return undefined;
  if (typeof code === 'string') return makeValue(`${number} '${code}'`, 'String');
  return makeValue(typeof unit === 'string' ? `${number} ${unit}` : number, 'String');
}

function toMoment(type: 'Date' | 'DateTime' | 'Time'): Convert {
  return ({ node, value }) => {
    if (typeof value !== 'string') return undefined;
    if (node.kind !== 'String' && node.kind !== 'Date' && node.kind !== 'DateTime' && node.kind !== 'Time')
      return undefined;
    if (type === 'Time')
      return node.kind !== 'Date' && parseTime(value) ? makeValue(value.replace(/^T/, ''), type) : undefined;
    const parsed = parseDateTime(value);
    if (!parsed) return undefined;
    return makeValue(type === 'Date' ? value.slice(0, 10).replace(/T.*/, '') : value, type);
  };
}

const QUANTITY = /^([+-]?\d+(?:\.\d+)?)\s*(?:'([^']+)'|([a-zA-Z]+))?$/;
const CALENDAR = /^(year|month|week|day|hour|minute|second|millisecond)s?$/;

function toQuantityNode(node: PathNode): PathNode | undefined {
  const { kind } = node.node;
  if (kind === 'Quantity') return node;
  if (kind === 'Boolean')
    return makeValue({ value: toJsonNumber(node.value === true ? '1.0' : '0.0'), code: '1' }, 'Quantity');
  if (kind === 'Integer' || kind === 'Decimal')
    return makeValue({ value: node.value, code: '1' }, 'Quantity');
  const match = kind === 'String' && typeof node.value === 'string' ? QUANTITY.exec(node.value) : null;
  if (!match?.[1] || !parseExact(match[1])) return undefined;
  const value = toJsonNumber(match[1].replace(/^\+/, ''));
  if (match[3] === undefined) return makeValue({ value, code: match[2] ?? '1' }, 'Quantity');
  return CALENDAR.test(match[3])
    ? makeValue({ value, unit: match[3].replace(/s$/, '') }, 'Quantity')
    : undefined;
}

const CONVERSIONS_TO: Readonly<Record<SystemType, Convert>> = {
  Boolean: toBooleanNode,
  Integer: toInteger,
  Decimal: toDecimal,
  String: toText,
  Date: toMoment('Date'),
  DateTime: toMoment('DateTime'),
  Time: toMoment('Time'),
  Quantity: toQuantityNode,
};

function converted(node: PathNode, convert: Convert, meter: Meter): PathNode | undefined {
  meter.spend(CONVERSION_STEPS + (typeof node.value === 'string' ? node.value.length >> 4 : 0));
  return convert(node);
}
const CONVERSION_STEPS = 4;

function conversion(on: Compiled, type: SystemType, name: string): Compiled {
  const convert = CONVERSIONS_TO[type];
  return {
    run: (focus, scope) => {
      const node = one(on.run(focus, scope), scope, name);
      const result = node && converted(node, convert, scope);
      return result ? [result] : EMPTY;
    },
    nodes: [SYSTEM_NODES[type]],
  };
}

function convertibility(on: Compiled, type: SystemType, name: string): Compiled {
  const convert = CONVERSIONS_TO[type];
  return {
    run: (focus, scope) => {
      const node = one(on.run(focus, scope), scope, name);
      return node ? (converted(node, convert, scope) ? TRUE : FALSE) : EMPTY;
    },
    nodes: [SYSTEM_NODES.Boolean],
  };
}

const TYPES: readonly SystemType[] = [
  'Boolean',
  'Integer',
  'Decimal',
  'String',
  'Date',
  'DateTime',
  'Time',
  'Quantity',
];

export const CONVERSIONS: FunctionTable = Object.fromEntries(
  TYPES.flatMap((type) => [
    // The optional unit argument of toQuantity() is not supported.
    [`to${type}`, [0, 0, ({ on }) => conversion(on, type, `to${type}()`)] satisfies FunctionTable[string]],
    [
      `convertsTo${type}`,
      [0, 0, ({ on }) => convertibility(on, type, `convertsTo${type}()`)] satisfies FunctionTable[string],
    ],
  ]),
);
