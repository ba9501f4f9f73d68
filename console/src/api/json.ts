/** JSON whose decimals keep their digits: 1.00 is not 1, and neither is it on the screen. */
import { isLosslessNumber, isSafeNumber, LosslessNumber } from 'lossless-json';
import { readSteps, type Maker } from './json-reader';
import { finish, inSlices, type Steps } from './slices';

export type JsonValue = string | number | boolean | null | LosslessNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** A number whose text is that of JavaScript is a number; any other stays as it was written. */
function toNumber(text: string): number | LosslessNumber {
  return isSafeNumber(text) && String(Number(text)) === text ? Number(text) : new LosslessNumber(text);
}

/** The value of a string with its quotation marks, a number, or a word. */
export function primitiveOf(token: string): string | number | boolean | null | LosslessNumber {
  if (token.startsWith('"')) return JSON.parse(token) as string;
  if (token === 'null') return null;
  return token === 'true' || token === 'false' ? token === 'true' : toNumber(token);
}

const VALUES: Maker<JsonValue> = {
  primitive: primitiveOf,
  array: (items) => items,
  // Unlike an assignment, this makes a member of the name `__proto__`, too.
  object: (members) => Object.fromEntries(members.map(({ name, value }) => [name, value])),
};

/** Shorter texts are read at once. */
const LONG = 50_000;

/** Parses JSON step by step. Throws `SyntaxError`. */
export function valueSteps(text: string): Steps<JsonValue> {
  return readSteps(text, VALUES);
}

/** Parses JSON. Throws `SyntaxError`. */
export function parseJson(text: string): JsonValue {
  return finish(valueSteps(text));
}

/** Parses JSON of any length without stopping the page. Throws `SyntaxError`. */
export function parseLongJson(text: string, signal?: AbortSignal): Promise<JsonValue> {
  return inSlices(valueSteps(text), signal);
}

/** True for a text that is read in slices. */
export function isLong(text: string): boolean {
  return text.length > LONG;
}

/** Values between two pauses. */
const EVERY = 500;

interface Printing {
  readonly parts: string[];
  readonly indent: number;
  values: number;
}

function* printValue(value: JsonValue, before: string, printing: Printing): Steps<void> {
  const { parts, indent } = printing;
  if (++printing.values % EVERY === 0) yield;
  const isList = isArray(value);
  if (!isList && !isObject(value)) {
    parts.push(isLosslessNumber(value) ? value.value : JSON.stringify(value));
    return;
  }
  const inside = indent === 0 ? '' : `${before}${' '.repeat(indent)}`;
  let isFirst = true;
  parts.push(isList ? '[' : '{');
  for (const [name, each] of isList ? value.entries() : Object.entries(value)) {
    if (each === undefined) continue;
    parts.push(isFirst ? inside : `,${inside}`);
    if (typeof name === 'string') parts.push(JSON.stringify(name), indent === 0 ? ':' : ': ');
    isFirst = false;
    yield* printValue(each, inside, printing);
  }
  parts.push(isFirst ? '' : before, isList ? ']' : '}');
}

/** Prints the JSON of a value step by step, with the digits that its numbers were written with. */
export function* jsonSteps(value: JsonValue, indent = 2): Steps<string> {
  const printing: Printing = { parts: [], indent, values: 0 };
  yield* printValue(value, indent === 0 ? '' : '\n', printing);
  return printing.parts.join('');
}

/** The JSON of a value, with the digits that its numbers were written with. */
export function toJson(value: JsonValue, indent = 2): string {
  return finish(jsonSteps(value, indent));
}

/** The beginning of the JSON of a value, of at most this many characters. Cost: that of the beginning. */
export function startOfJson(
  value: JsonValue,
  most: number,
): { readonly text: string; readonly isWhole: boolean } {
  const printing: Printing = { parts: [], indent: 2, values: 0 };
  const steps = printValue(value, '\n', printing);
  let isWhole = false;
  // Between two pauses there are at most EVERY values.
  for (let length = 0; !isWhole && length <= most;) {
    const start = printing.parts.length;
    isWhole = steps.next().done === true;
    for (const part of printing.parts.slice(start)) length += part.length;
  }
  const text = printing.parts.join('');
  return { text: text.slice(0, most), isWhole: isWhole && text.length <= most };
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

export function isArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** The text of a string, number or boolean; undefined for everything else. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null || isObject(value) || isArray(value)) return undefined;
  return String(value);
}

/** The number of a JSON number of any length; undefined for everything else. */
export function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return isLosslessNumber(value) ? Number(value.value) : undefined;
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return isArray(value) ? value.filter(isObject) : [];
}
