/** JSON whose decimals keep their digits: 1.00 is not 1, and neither is it on the screen. */
import { isLosslessNumber, isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json';

export type JsonValue = string | number | boolean | null | LosslessNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}

/** A number whose text is that of JavaScript is a number; any other stays as it was written. */
function toNumber(text: string): number | LosslessNumber {
  return isSafeNumber(text) && String(Number(text)) === text ? Number(text) : new LosslessNumber(text);
}

/** Parses JSON. Throws `SyntaxError`. */
export function parseJson(text: string): JsonValue {
  return parse(text, null, toNumber) as JsonValue;
}

/** The JSON of a value, with the digits that its numbers were written with. */
export function toJson(value: JsonValue, indent = 2): string {
  return stringify(value, null, indent) ?? 'null';
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
