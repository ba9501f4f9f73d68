/** Reads the bodies and queries of administration, and checks them by the schemas of the table with Fastify's validator. */
import type { TObject } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { didYouMean, fhirError, isJsonObject, parseJson } from '../../core';
import { hasContentType, requireContentType } from '../requests/body';
import type { Json } from '../openapi/components';
import type { AdministrationRoute } from './routes';

/** The options of Fastify's validator: it changes no value, and handlers read instants. `expects` is for messages. */
export const CHECK_OPTIONS = {
  ...{ coerceTypes: false, useDefaults: false, removeAdditional: false, validateFormats: false },
  keywords: ['expects'],
};

const JSON_TYPES = ['application/json', 'application/merge-patch+json'];
const LONGEST_BODY = 256 * 1024;

/**
 * Returns the JSON of a body; undefined where it is a file, or not read. `Body` is the type of the route's schema. Throws
 * `invalidValue`, `invalidJson`, `unsupportedMediaType`, `bodyTooLarge`.
 */
export function readBody<Body>(request: FastifyRequest, route: AdministrationRoute): Body {
  const { body, headers } = request;
  const { file, isBodyOptional, isCheckedByCore, longestBody: limit = LONGEST_BODY } = route;
  if (route.body === undefined || (file !== undefined && hasContentType(headers, [file], 'r4')))
    return fitting(request, undefined, undefined);
  if (isBodyOptional === true && (body === undefined || body === '')) return fitting(request, route.body, {});
  requireContentType(headers, JSON_TYPES, 'r4');
  const text = typeof body === 'string' ? body : '';
  if (Buffer.byteLength(text) > limit) throw fhirError('bodyTooLarge', { limit });
  const { value } = parseJson(text);
  if (!isJsonObject(value)) refuse('The body must be a JSON object');
  requireStorable(value);
  return fitting(request, isCheckedByCore === true ? undefined : route.body, value);
}

/** Returns the parameters of a query; those that are flags as true or false. Throws `invalidValue`. */
export function readQuery<Query>(request: FastifyRequest, { query: schema }: AdministrationRoute): Query {
  if (schema === undefined) return fitting(request, undefined, undefined);
  const given = Object.entries(request.query ?? {}).map(([name, value]: [string, unknown]) => {
    const isFlag = schema.properties[name]?.type === 'boolean' && (value === 'true' || value === 'false');
    return [name, isFlag ? value === 'true' : value];
  });
  requireStorable(given);
  return fitting(request, schema, Object.fromEntries(given));
}

/** Throws `invalidValue` where a text has the character NUL, which PostgreSQL does not store. */
function requireStorable(value: unknown): void {
  if (typeof value === 'string' && value.includes('\0')) refuse('A text must not have the character U+0000');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name.includes('\0')) refuse('A name must not have the character U+0000');
    requireStorable(member);
  }
}

export function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}

/** Returns a value that fits the schema. Throws `invalidValue` for another one. Cost: the first use compiles the schema. */
function fitting<Value>(request: FastifyRequest, schema: TObject | undefined, value: unknown): Value {
  const validate = schema && request.compileValidationSchema(schema);
  const fits = (given: unknown): given is Value => validate === undefined || validate(given);
  if (fits(value)) return value;
  const [fault] = validate?.errors ?? [];
  return refuse(fault === undefined ? 'The request is not valid' : describeFault(schema, fault));
}

interface Fault {
  readonly keyword: string;
  /** The JSON Pointer of the value. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Returns a sentence that names the member and what it must be; it never has a value. */
function describeFault(schema: TObject | undefined, { keyword, instancePath, params }: Fault): string {
  const place = instancePath.split('/').slice(1);
  const found = schemaAt(schema, place);
  if (keyword === 'additionalProperties') {
    const known = Object.keys(membersOf(found));
    const name = String(params['additionalProperty']).slice(0, 40);
    const where = place.length === 0 ? '' : ` in "${toName(place)}"`;
    return `'${name}' is not allowed${where}${didYouMean(name, known, `allowed are ${known.join(', ')}`)}`;
  }
  const isMissing = keyword === 'required';
  const missing = isMissing ? [String(params['missingProperty'])] : [];
  const expected = expectationOf(schemaAt(schema, [...place, ...missing]) ?? {});
  return `"${toName([...place, ...missing])}" must be ${expected}${isMissing ? ', but it is missing' : ''}`;
}

/** Returns `rules[0].types`. */
function toName(place: readonly string[]): string {
  return place
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`))
    .join('');
}

/** Returns the schema of the value at this place; undefined: the place is in none. */
function schemaAt(schema: Json | undefined, place: readonly string[]): Json | undefined {
  const [part, ...rest] = place;
  if (part === undefined || schema === undefined) return schema;
  const inside = /^\d+$/.test(part) ? memberOf(schema, 'items') : membersOf(schema)[part];
  return schemaAt(asSchema(inside) ?? memberOf(schema, 'additionalProperties'), rest);
}

/** The members of an object, or of the one choice that is an object. */
function membersOf(schema: Json | undefined): Readonly<Record<string, unknown>> {
  return memberOf(schema ?? {}, 'properties') ?? {};
}

function memberOf(schema: Json, name: 'items' | 'properties' | 'additionalProperties'): Json | undefined {
  const own = asSchema(schema[name]);
  if (own !== undefined || !Array.isArray(schema['anyOf'])) return own;
  return schema['anyOf']
    .map((choice: unknown) => asSchema(asSchema(choice)?.[name]))
    .find((one) => one !== undefined);
}

function asSchema(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

const WORDS = new Map([
  ['string', 'a text'],
  ['boolean', 'true or false'],
  ['array', 'a list of texts'],
  ['object', 'an object of names and values'],
]);

function expectationOf(schema: Json): string {
  const { expects, enum: words, minLength, maxLength, type } = schema;
  if (typeof expects === 'string') return expects;
  if (Array.isArray(words)) return toChoice(words);
  if (typeof minLength === 'number' && typeof maxLength === 'number')
    return `a text of ${minLength} to ${maxLength} characters`;
  if (type === 'array' && memberOf(schema, 'items')?.['type'] === 'object') return 'a list of objects';
  return toChoice([type].flat().map((each) => WORDS.get(String(each)) ?? String(each)));
}

/** Returns `a, b or c`. */
function toChoice(words: readonly unknown[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
