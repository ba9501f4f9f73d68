import { FhirError, fhirError } from '../../errors';
import { dateRange } from '../../../../packages/fhir-values/date';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { shorten } from '../json/fault';
import { JSON_TYPES } from '../json-format';
import type { QueryParameter } from '../query-text';
import { readEntryAddress, type AddressReader, type EntryTarget } from './entry-address';
import { readSearchBody, searchedPlace, withoutSearch } from './search-entry';

/** The resource that a write changes, given by its id or by search criteria. */
export type WriteTarget =
  | { readonly type: string; readonly id: string; readonly criteria?: undefined }
  | { readonly type: string; readonly id?: undefined; readonly criteria: readonly QueryParameter[] };

/** The preconditions of an entry on the current version; as `VersionGuard` of core/api/core.ts. */
export interface EntryGuard {
  readonly ifMatch?: readonly string[];
  readonly ifNoneMatchAny?: boolean;
}

/** The versions that the client has already; a read need not send them again. */
export interface ClientVersion {
  /** Version ids; `*` for any. */
  readonly tags?: readonly string[];
  /** Milliseconds since 1970. */
  readonly modifiedSince?: number;
}

/** The interaction that an entry requests by its method and url. */
export type EntryRequest =
  | {
      readonly kind: 'create';
      readonly type: string;
      /** Search parameters: nothing is created if they match a resource. */
      readonly ifNoneExist?: string;
    }
  | { readonly kind: 'update'; readonly target: WriteTarget; readonly guard?: EntryGuard }
  | { readonly kind: 'patch'; readonly target: WriteTarget; readonly guard?: EntryGuard }
  | { readonly kind: 'delete'; readonly target: WriteTarget; readonly guard?: EntryGuard }
  | {
      readonly kind: 'get';
      readonly isHead: boolean;
      readonly place: Exclude<EntryTarget, { kind: 'operation' }>;
      readonly query: readonly QueryParameter[];
      /** Path of the address, below `{fhir_root}`. */
      readonly path: string;
      readonly cachedVersion?: ClientVersion;
    }
  | {
      readonly kind: 'invoke';
      /** True for GET and HEAD. */
      readonly isSafe: boolean;
      readonly isHead: boolean;
      readonly place: Extract<EntryTarget, { kind: 'operation' }>;
      readonly query: readonly QueryParameter[];
      readonly path: string;
    };

/** One entry of a batch or transaction. */
export interface BundleEntry {
  /** Position in `Bundle.entry`, from 0. */
  readonly index: number;
  readonly fullUrl: string | undefined;
  readonly request: EntryRequest;
  readonly resource: JsonObject | undefined;
}

/** Returns the FHIRPath of an entry, or of an element inside it. */
export function entryExpression(index: number, below = ''): string {
  return `Bundle.entry[${index}]${below === '' ? '' : `.${below}`}`;
}

/**
 * Parses an entry of a batch or transaction (https://hl7.org/fhir/R4/http.html#transaction). Does not inspect the
 * resource. Throws `invalidResource`, `requiredMissing`, `invalidValue` or `notSupported` with the expression of the
 * invalid element.
 */
export function readEntry(value: JsonValue, index: number, reader: AddressReader): BundleEntry {
  if (!isJsonObject(value)) throw wrong(index, '', 'An entry is an object');
  const { fullUrl, request, resource } = value;
  if (fullUrl !== undefined && typeof fullUrl !== 'string')
    throw wrong(index, 'fullUrl', 'A fullUrl is a string');
  if (resource !== undefined && !isJsonObject(resource))
    throw wrong(index, 'resource', 'A resource is an object');
  if (!isJsonObject(request))
    throw fhirError(
      'requiredMissing',
      { reason: 'An entry of a batch or transaction has a request with method and url' },
      entryExpression(index, 'request'),
    );
  return { index, fullUrl, request: readRequest(request, resource, index, reader), resource };
}

function readRequest(
  request: JsonObject,
  resource: JsonObject | undefined,
  index: number,
  reader: AddressReader,
): EntryRequest {
  const method = readText(request, 'method', index);
  const url = readText(request, 'url', index);
  if (method === undefined)
    throw fhirError('requiredMissing', { reason: 'The method is missing' }, at(index, 'method'));
  if (url === undefined || (url === '' && method === 'DELETE'))
    throw fhirError('requiredMissing', { reason: `A ${shorten(method)} needs an url` }, at(index, 'url'));
  const headers = readHeaders(request, index);
  const searched = method === 'POST' ? withoutSearch(url) : undefined;
  if (searched !== undefined) {
    requireNone(headers, [], method, index);
    return readSearch(readUrl(searched, index, reader), resource, index);
  }
  const { place, query, path } = readUrl(url, index, reader);
  switch (method) {
    case 'POST':
      if (place.kind === 'operation') {
        requireNone(headers, [], method, index);
        return { kind: 'invoke', isSafe: false, isHead: false, place, query, path };
      }
      if (place.kind !== 'type' || query.length > 0)
        throw wrongUrl(index, 'A POST goes to a type, such as Patient, or to an operation');
      requireNone(headers, ['ifNoneExist'], method, index);
      requireResource(resource, index, method);
      return {
        kind: 'create',
        type: place.type,
        ...(headers.ifNoneExist === undefined ? {} : { ifNoneExist: headers.ifNoneExist }),
      };
    case 'PUT':
      requireNone(headers, ['ifMatch', 'ifNoneMatch'], method, index);
      requireResource(resource, index, method);
      return { kind: 'update', target: targetOf(place, query, method, index), ...guardOf(headers, index) };
    case 'PATCH':
      requireNone(headers, ['ifMatch'], method, index);
      requireResource(resource, index, method);
      return { kind: 'patch', target: targetOf(place, query, method, index), ...guardOf(headers, index) };
    case 'DELETE':
      requireNone(headers, ['ifMatch'], method, index);
      return { kind: 'delete', target: targetOf(place, query, method, index), ...guardOf(headers, index) };
    case 'GET':
    case 'HEAD': {
      if (place.kind === 'operation') {
        requireNone(headers, [], method, index);
        return { kind: 'invoke', isSafe: true, isHead: method === 'HEAD', place, query, path };
      }
      requireNone(headers, ['ifNoneMatch', 'ifModifiedSince'], method, index);
      return {
        kind: 'get',
        isHead: method === 'HEAD',
        place,
        query,
        path,
        ...clientVersionOf(headers, index),
      };
    }
    default:
      throw wrong(
        index,
        'request.method',
        `'${shorten(method)}' is not a method of an entry: GET, HEAD, POST, PUT, PATCH, DELETE`,
      );
  }
}

function readSearch(
  { place, query, path }: ReturnType<typeof requireAddress>,
  resource: JsonObject | undefined,
  index: number,
): EntryRequest {
  const searched = searchedPlace(place);
  if (searched === undefined)
    throw wrongUrl(index, 'A search by POST goes to _search below a type, a compartment or the base address');
  const parameters = [...query, ...readSearchBody(resource, entryExpression(index, 'resource'))];
  const searchedPath = place.kind === 'instance' ? `${path}/*` : path;
  return { kind: 'get', isHead: false, place: searched, query: parameters, path: searchedPath };
}

function readUrl(url: string, index: number, reader: AddressReader): ReturnType<typeof requireAddress> {
  try {
    return requireAddress(url, index, reader);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    throw new FhirError(
      error.key,
      error.issues.map((issue) => ({ ...issue, expression: at(index, 'url') })),
    );
  }
}

function requireAddress(
  url: string,
  index: number,
  reader: AddressReader,
): Exclude<ReturnType<typeof readEntryAddress>, string> {
  const address = readEntryAddress(url, reader);
  if (typeof address === 'string') throw wrongUrl(index, address);
  for (const [name, value] of address.query)
    if (name === '_format' && !reader.isFormat(value))
      throw fhirError('notAcceptable', { offered: JSON_TYPES, accept: shorten(value) });
  return { ...address, query: address.query.filter(([name]) => !PRESENTATION.has(name)) };
}

/** Parameters of the format; the layout of the whole Bundle decides that of its entries. */
const PRESENTATION: ReadonlySet<string> = new Set(['_format', '_pretty']);

function targetOf(
  place: EntryTarget,
  query: readonly QueryParameter[],
  method: string,
  index: number,
): WriteTarget {
  // The location that a server returns for a write includes the version.
  if (place.kind === 'instance' || (place.kind === 'version' && method === 'DELETE')) {
    if (query.length > 0) throw wrongUrl(index, `A ${method} of a resource by its id has no parameters`);
    return { type: place.type, id: place.id };
  }
  if (place.kind !== 'type')
    throw wrongUrl(index, `A ${method} goes to a resource, such as Patient/1, or to Patient?identifier=…`);
  if (query.length === 0)
    throw wrongUrl(index, `A ${method} of a whole type is not allowed; name the resource, or search for it`);
  return { type: place.type, criteria: query };
}

/** The elements of a request that correspond to headers. */
const HEADERS = ['ifNoneMatch', 'ifModifiedSince', 'ifMatch', 'ifNoneExist'] as const;
type Header = (typeof HEADERS)[number];
type Headers = Readonly<Partial<Record<Header, string>>>;

function readHeaders(request: JsonObject, index: number): Headers {
  const headers: Partial<Record<Header, string>> = {};
  for (const name of HEADERS) {
    const text = readText(request, name, index);
    if (text !== undefined) headers[name] = text;
  }
  return headers;
}

/** Refuses conditions that do not apply to the method; ignoring one would be unsafe. */
function requireNone(headers: Headers, allowed: readonly Header[], method: string, index: number): void {
  for (const name of HEADERS)
    if (headers[name] !== undefined && !allowed.includes(name))
      throw fhirError(
        'notSupported',
        { reason: `${name} has no meaning for this ${method}` },
        at(index, name),
      );
}

function guardOf(headers: Headers, index: number): { readonly guard?: EntryGuard } {
  const { ifMatch, ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return {};
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*')
    throw fhirError(
      'notSupported',
      { reason: 'ifNoneMatch guards a write only as *; use ifMatch' },
      at(index, 'ifNoneMatch'),
    );
  return {
    guard: {
      ...(ifMatch === undefined ? {} : { ifMatch: readTags(ifMatch, 'ifMatch', index) }),
      ...(ifNoneMatch === undefined ? {} : { ifNoneMatchAny: true }),
    },
  };
}

function clientVersionOf(headers: Headers, index: number): { readonly cachedVersion?: ClientVersion } {
  const { ifNoneMatch, ifModifiedSince } = headers;
  if (ifNoneMatch !== undefined)
    return { cachedVersion: { tags: readTags(ifNoneMatch, 'ifNoneMatch', index) } };
  if (ifModifiedSince === undefined) return {};
  const modifiedSince = dateRange(ifModifiedSince)?.low;
  if (modifiedSince === undefined)
    throw wrong(index, 'request.ifModifiedSince', 'ifModifiedSince is an instant');
  return { cachedVersion: { modifiedSince } };
}

const TAG_LIST = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;

/** Returns entity tags without quotes, weak and strong ones alike (https://hl7.org/fhir/R4/http.html#concurrency). */
function readTags(text: string, name: Header, index: number): readonly string[] {
  const list = text.trim();
  if (list === '*') return ['*'];
  if (!TAG_LIST.test(list))
    throw wrong(index, `request.${name}`, `${name} is a list of entity tags such as W/"3"`);
  return [...list.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag);
}

function readText(request: JsonObject, name: string, index: number): string | undefined {
  const value = request[name];
  if (value === undefined || typeof value === 'string') return value;
  throw wrong(index, `request.${name}`, `${name} is a string`);
}

function requireResource(resource: JsonObject | undefined, index: number, method: string): void {
  if (resource === undefined)
    throw fhirError(
      'requiredMissing',
      { reason: `A ${method} needs a resource` },
      entryExpression(index, 'resource'),
    );
}

function at(index: number, name: string): string {
  return entryExpression(index, `request.${name}`);
}

function wrongUrl(index: number, reason: string): FhirError {
  return fhirError('invalidValue', { reason }, at(index, 'url'));
}

function wrong(index: number, below: string, reason: string): FhirError {
  return fhirError('invalidValue', { reason }, entryExpression(index, below));
}
