/**
 * Makes and opens cursors of connections. A cursor contains the search, so that a client can send it alone
 * (http://hl7.org/fhir/R4/graphql.html#searching). It also contains core's cursor, which is signed together with the
 * search.
 */
import { fhirError, isJsonObject, type JsonValue, parseJson } from '../core/index';
import { CURSOR_SEPARATOR, sizeInCursor } from '../schema/cost';
import type { ListRequest } from '../schema/fhir/handlers';
import type { SearchPair } from '../schema/fhir/search-pair';

/** The search of a connection, without its page. */
export interface ConnectionSearch {
  readonly parameters: readonly SearchPair[];
  readonly fhirpath?: string | undefined;
  readonly count?: number | undefined;
}

/** A search with core's cursor; undefined: the first page. */
export interface OpenedConnection extends ConnectionSearch {
  readonly cursor: string | undefined;
}

/** Cursor of the first page; also the value for the first page of the search beside it. */
const FIRST = 'first';
const MOST_LEVELS = 8;

/**
 * Makes a cursor of a connection.
 * `cursor`: core's cursor; undefined: the first page.
 */
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
 * Returns the search that a request with a cursor continues, and core's cursor. `search` is the search beside the
 * cursor; it must be empty or the same search. Throws `invalidCursor`.
 */
export function openConnection(request: ListRequest, search: OpenedConnection): OpenedConnection {
  const { cursor = FIRST, type, where, asOf } = request;
  if (cursor === FIRST) return beginning(request, search);
  const [size = '', packed = '', inner, ...further] = cursor.split(CURSOR_SEPARATOR);
  const content = contentOf(packed);
  const count = search.count ?? sizeInCursor(`${size}${CURSOR_SEPARATOR}`);
  const isAlone = search.parameters.length === 0 && search.fhirpath === undefined;
  const isSame =
    JSON.stringify([search.parameters, search.fhirpath]) ===
    JSON.stringify([content?.parameters, content?.fhirpath]);
  // The cursor does not contain `where` and `asOf`; the request must repeat them.
  const isWhole = content?.needs !== true || where !== undefined || asOf !== undefined;
  if (content === undefined || inner === undefined || further.length > 0) throw fhirError('invalidCursor');
  if (content.type !== type || !isWhole || !(isAlone || isSame)) throw fhirError('invalidCursor');
  const { parameters, fhirpath } = content;
  const opened = { parameters, fhirpath, count };
  return inner === FIRST
    ? beginning(request, { ...opened, cursor: undefined })
    : { ...opened, cursor: inner };
}

/** Returns the search from its first page. Throws `invalidCursor` for the page before that one. */
function beginning(
  { cursor, isBackward }: Pick<ListRequest, 'cursor' | 'isBackward'>,
  search: OpenedConnection,
): OpenedConnection {
  if (isBackward && cursor !== undefined) throw fhirError('invalidCursor');
  return search;
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
