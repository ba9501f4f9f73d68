/** FHIR JSON as the oracle holds it: numbers keep the digits that were written. */

/** A number as it is written. */
export class Digits {
  constructor(readonly text: string) {}
}

export type Json = string | boolean | Digits | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}
export interface Resource extends JsonObject {
  readonly resourceType: string;
  readonly id: string;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof Digits);

export const isResource = (value: Json): value is Resource =>
  isObject(value) && typeof value['resourceType'] === 'string' && typeof value['id'] === 'string';

export const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value];

export const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

export const digitsOf = (value: Json | undefined): string | undefined =>
  value instanceof Digits ? value.text : undefined;

/** The member of each object in `values`, arrays opened. */
export const membersOf = (values: readonly Json[], name: string): Json[] =>
  values.flatMap((value) => (isObject(value) ? listOf(value[name]) : []));

export const textsOf = (value: Json | undefined, name: string): string[] =>
  membersOf(listOf(value), name).flatMap((text) => textOf(text) ?? []);

/** JSON text, with each number as it was written. */
export function toJsonText(value: Json): string {
  if (value instanceof Digits) return value.text;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}:${toJsonText(member)}`,
    );
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'object') return `[${value.map(toJsonText).join(',')}]`;
  return JSON.stringify(value);
}

/** True when an element has a value, and not only extensions and an id. */
export function hasValue(value: Json): boolean {
  if (isObject(value)) {
    return Object.entries(value).some(
      ([name, member]) => name !== 'extension' && name !== 'id' && !name.startsWith('_') && hasValue(member),
    );
  }
  return typeof value === 'object' && !(value instanceof Digits) ? value.some(hasValue) : true;
}

export type Members = Record<string, Json | undefined>;

const isEmpty = (value: Json): boolean =>
  typeof value === 'object' && !(value instanceof Digits) && Object.keys(value).length === 0;

/** Without undefined members, empty lists and empty objects, in lists too. */
export function tidy(members: Members): JsonObject {
  const present = Object.entries(members)
    .filter((entry): entry is [string, Json] => entry[1] !== undefined)
    .map(([name, value]): [string, Json] => [
      name,
      Array.isArray(value) ? (value as Json[]).filter((one) => !isEmpty(one)) : value,
    ]);
  return Object.fromEntries(present.filter(([, value]) => !isEmpty(value)));
}

/** Converts the result of JSON.parse to the form of the oracle. */
export function toJson(value: unknown): Json {
  if (typeof value === 'number') return new Digits(String(value));
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
  }
  return typeof value === 'boolean' ? value : String(value);
}
