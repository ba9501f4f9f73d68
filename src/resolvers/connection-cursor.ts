/**
 * Cursors of connections. They hold what was searched, so that they can be sent alone
 * (http://hl7.org/fhir/R4/graphql.html#searching), and core's cursor, which is signed together with that.
 */
import { fhirError, isJsonObject, type JsonValue, parseJson } from '../core/index';
import { CURSOR_SEPARATOR, sizeInCursor } from '../schema/cost';
import type { ListRequest, SearchPair } from '../schema/fhir/handlers';

/** What a search of a connection asks, but for which page. */
export interface ConnectionSearch {
  readonly parameters: readonly SearchPair[];
  readonly fhirpath?: string | undefined;
  readonly count?: number | undefined;
}

/** With core's cursor; undefined: of the first page. */
export interface OpenedConnection extends ConnectionSearch {
  readonly cursor: string | undefined;
}

/** Also the first page of the search that is asked for beside it. */
const FIRST = 'first';
const MOST_LEVELS = 8;

/** `cursor`: core's; undefined: of the first page. */
export function sealConnection(
  { type, where, asOf }: ListRequest,
  { parameters, fhirpath, count }: ConnectionSearch,
  cursor: string | undefined,
): string {
  const needs = where !== undefined || asOf !== undefined;
  const content = { type, parameters, fhirpath, needs };
  const packed = Buffer.from(JSON.stringify(content)).toString('base64url');
  return [count === undefined ? '' : String(count), packed, cursor ?? FIRST].join(CURSOR_SEPARATOR);
}

/**
 * The search that a request with a cursor goes on with, and core's cursor; `asked` is what stands beside the cursor, which is
 * nothing or the same. Throws invalidCursor.
 */
export function openConnection(request: ListRequest, asked: OpenedConnection): OpenedConnection {
  const { cursor = FIRST, type, where, asOf } = request;
  if (cursor === FIRST) return asked;
  const [size = '', packed = '', inner, ...further] = cursor.split(CURSOR_SEPARATOR);
  const content = contentOf(packed);
  const count = asked.count ?? sizeInCursor(`${size}${CURSOR_SEPARATOR}`);
  const isAlone = asked.parameters.length === 0 && asked.fhirpath === undefined;
  const isSame =
    JSON.stringify([asked.parameters, asked.fhirpath]) ===
    JSON.stringify([content?.parameters, content?.fhirpath]);
  // `where` and `asOf` are no part of it: they stand beside it again.
  const isWhole = content?.needs !== true || where !== undefined || asOf !== undefined;
  if (content === undefined || inner === undefined || further.length > 0) throw fhirError('invalidCursor');
  if (content.type !== type || !isWhole || !(isAlone || isSame)) throw fhirError('invalidCursor');
  const { parameters, fhirpath } = content;
  return { parameters, fhirpath, count, cursor: inner === FIRST ? undefined : inner };
}

interface Content extends Pick<ConnectionSearch, 'parameters' | 'fhirpath'> {
  readonly type: string;
  readonly needs: boolean;
}

function contentOf(packed: string): Content | undefined {
  const content = readJson(Buffer.from(packed, 'base64url').toString('utf8'));
  if (!isJsonObject(content)) return undefined;
  const { type, parameters, fhirpath, needs } = content;
  if (typeof type !== 'string' || typeof needs !== 'boolean' || !Array.isArray(parameters)) return undefined;
  const pairs = parameters.filter(isPair);
  if (pairs.length < parameters.length) return undefined;
  return {
    type,
    needs,
    parameters: pairs,
    ...(typeof fhirpath === 'string' ? { fhirpath } : {}),
  };
}

function isPair(value: JsonValue): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

function readJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text, { maxDepth: MOST_LEVELS }).value;
  } catch {
    // A client's cursor may be any text.
    return undefined;
  }
}
