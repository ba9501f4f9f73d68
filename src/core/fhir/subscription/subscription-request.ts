/**
 * Reads the request for notifications from a Subscription: the topic-based kind of the Subscriptions R5 Backport guide
 * and the classic kind of R4, whose criteria are a search.
 * Source: https://hl7.org/fhir/uv/subscriptions-backport/ and https://hl7.org/fhir/R4/subscription.html
 */
import { FhirError, toIssue, type ErrorKey, type Issue } from '../../errors';
import { dateRange } from '../../../../packages/fhir-values/date';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { shorten } from '../json/fault';
import { fitsRelease } from '../json-format';
import { parseMediaRange } from '../media-range';
import { parseQueryText, type QueryParameter } from '../query-text';
import { RELEASES, type Release } from '../release';
import { RESERVED_HEADERS } from './reserved-headers';

/** A condition that the client adds to a topic. */
export interface SubscriptionFilter {
  /** The resource type that the client writes before the parameter. */
  readonly type: string | undefined;
  /** Name with its modifier: `code:in`. */
  readonly parameter: string;
  /** Percent-decoded. */
  readonly value: string;
  /** FHIRPath of the extension that holds the filter. */
  readonly expression: string;
}

/** The amount of data in a topic-based notification. */
export type NotificationContent = 'empty' | 'id-only' | 'full-resource';

/** The notifications that a Subscription requests. */
export interface SubscriptionRequest {
  readonly kind: 'topic' | 'classic';
  /** Canonical of the topic, `url` or `url|version`; undefined for the classic kind. */
  readonly topic: string | undefined;
  /** Search of the classic kind, percent-decoded; undefined for the topic-based kind. */
  readonly criteria: { readonly type: string; readonly parameters: readonly QueryParameter[] } | undefined;
  /** Filters of the topic-based kind; an event must meet all. */
  readonly filters: readonly SubscriptionFilter[];
  readonly channel: 'rest-hook' | 'websocket';
  /** Absolute http or https URL; defined for `rest-hook` only. */
  readonly endpoint: string | undefined;
  /** `Name: value`, as in the resource; a value may be a secret. */
  readonly headers: readonly string[];
  /** The media type in `channel.payload`, as sent; visible ASCII and blanks only. */
  readonly mime: string | undefined;
  /** For the classic kind: `full-resource` if requests have a body, else `empty`. */
  readonly content: NotificationContent;
  /** At least 1. */
  readonly heartbeatSeconds: number | undefined;
  /** 1 to 60. */
  readonly timeoutSeconds: number | undefined;
  /** Maximum number of events in a notification. */
  readonly maxCount: number | undefined;
  /** Milliseconds since 1970; may be in the past. */
  readonly end: number | undefined;
  /** The HTTP method with which the classic kind sends a resource. */
  readonly classicMethod: 'PUT' | 'POST';
}

/** Replaces the value of a header in texts for clients other than the author. */
export const MASKED_VALUE = '***';

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-';
const METHOD_EXTENSION = 'https://andiron.example/fhir/StructureDefinition/subscription-method';

const MAX_FILTERS = 20;
const MAX_ENDPOINT_LENGTH = 2000;
const MAX_HEADER_BYTES = 4096;
const MAX_TIMEOUT_SECONDS = 60;
/** Maximum of FHIR's unsignedInt and positiveInt. */
const MAX_INTEGER = 2_147_483_647;

/** Returns the header with its value masked: `Authorization: ***`; only `***` if it has no valid name. */
export function maskHeader(header: string): string {
  const name = HEADER_NAME.exec(header)?.[1];
  return name === undefined ? MASKED_VALUE : `${name}: ${MASKED_VALUE}`;
}

const MASKED = /^\*{3,}$/;

/**
 * True for a header whose value is masked, which a client may send back: a result of `maskHeader`, or a value of an
 * earlier program, masked in its length (migrations/0044-masked-headers.ts).
 */
export function isMaskedHeader(header: string): boolean {
  return MASKED.test(header.slice(header.indexOf(':') + 1).trim());
}

/**
 * Returns the request in a Subscription, or the reasons why the server cannot fulfil it. The resource is valid FHIR. The
 * caller checks that topic, filters, types and search parameters exist, and that the endpoint may be called.
 */
export function readSubscription(
  resource: JsonObject,
  release: Release,
): { readonly request: SubscriptionRequest } | { readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const channel = isJsonObject(resource['channel']) ? resource['channel'] : {};
  const extensions = extensionsOf(channel, 'Subscription.channel');
  const subject = readSubject(resource, issues);
  const type = readChannelType(channel, issues);
  const mime = readMime(channel, { kind: subject.kind, release }, issues);
  const level = readContent(channel, subject.kind, issues);
  const isClassicWithBody = subject.kind === 'classic' && type === 'rest-hook' && mime !== undefined;
  const timeout = readInteger(extensions, { name: 'timeout', member: 'valueUnsignedInt' }, issues);
  const options = {
    endpoint: type === 'rest-hook' ? readEndpoint(channel, issues) : undefined,
    headers: readHeaders(channel, issues),
    mime,
    content: isClassicWithBody ? 'full-resource' : level,
    heartbeatSeconds: readInteger(
      extensions,
      { name: 'heartbeat-period', member: 'valueUnsignedInt' },
      issues,
    ),
    timeoutSeconds: timeout === undefined ? undefined : Math.min(timeout, MAX_TIMEOUT_SECONDS),
    maxCount: readInteger(extensions, { name: 'max-count', member: 'valuePositiveInt' }, issues),
    end: readEnd(resource, issues),
    classicMethod: readMethod(extensions, issues),
  } as const;
  if (issues.length > 0 || type === undefined) return { issues };
  return { request: { ...subject, channel: type, ...options } };
}

type Kind = SubscriptionRequest['kind'];

/** The resources and events that a Subscription is about. */
type Subject = Pick<SubscriptionRequest, 'kind' | 'topic' | 'criteria' | 'filters'>;

const ABSOLUTE = /^(?:https?:\/\/|urn:)/i;
const SEARCH = /^([A-Z][A-Za-z]*)(?:\?(.*))?$/s;

function readSubject(resource: JsonObject, issues: Issue[]): Subject {
  const { criteria } = resource;
  const sent = extensionsOf(resource['_criteria'], CRITERIA);
  const extensions = sent.slice(0, MAX_FILTERS);
  if (sent.length > MAX_FILTERS) refuse(issues, CRITERIA, TOO_MANY_FILTERS);
  const text = typeof criteria === 'string' ? criteria : '';
  if (ABSOLUTE.test(text)) {
    if (/\s/.test(text)) refuse(issues, CRITERIA, 'The canonical URL of a topic must not contain blanks');
    const filters = readFilters(extensions, issues);
    return { kind: 'topic', topic: text, criteria: undefined, filters };
  }
  for (const { url, place } of extensions) {
    const reason =
      url === `${BACKPORT}filter-criteria`
        ? 'Filters are for topic-based subscriptions: write these conditions into the search in criteria'
        : unknownExtension(url);
    refuse(issues, place, reason);
  }
  return { kind: 'classic', topic: undefined, criteria: readSearch(text, issues), filters: [] };
}

function readSearch(text: string, issues: Issue[]): SubscriptionRequest['criteria'] {
  const [, type, query = ''] = SEARCH.exec(text) ?? [];
  if (type === undefined) {
    const reason =
      'Criteria must be the canonical URL of a topic (http://…, https://… or urn:…), or a search such as Observation?code=1234-5';
    refuse(issues, CRITERIA, reason);
    return undefined;
  }
  return { type, parameters: readConditions(query, CRITERIA, issues) };
}

function readFilters(extensions: readonly LocatedExtension[], issues: Issue[]): SubscriptionFilter[] {
  const filters: SubscriptionFilter[] = [];
  for (const { url, place, extension } of extensions) {
    const { valueString } = extension;
    if (url !== `${BACKPORT}filter-criteria`) refuse(issues, place, unknownExtension(url));
    else if (typeof valueString !== 'string') refuse(issues, place, FILTER_FORMS);
    else filters.push(...readFilter(valueString, place, issues));
  }
  if (filters.length > MAX_FILTERS) refuse(issues, CRITERIA, TOO_MANY_FILTERS);
  return filters;
}

const TOO_MANY_FILTERS = `A subscription may have at most ${MAX_FILTERS} filters`;
const FILTER_FORMS =
  'A filter must have a valueString of the form parameter=value, parameter:modifier=value, Type.parameter=value or Type?parameter=value';
const TYPE_AND_QUERY = /^([A-Z][A-Za-z]*)\?(.*)$/s;
const TYPE_AND_PARAMETER = /^([A-Z][A-Za-z]*)\.(.+)$/;

function readFilter(text: string, expression: string, issues: Issue[]): SubscriptionFilter[] {
  const [, common, query = text] = TYPE_AND_QUERY.exec(text) ?? [];
  const conditions = readConditions(query, expression, issues);
  if (query.trim() === '') refuse(issues, expression, FILTER_FORMS);
  return conditions.map(([name, value]) => {
    if (common !== undefined) return { type: common, parameter: name, value, expression };
    const [, type, parameter = name] = TYPE_AND_PARAMETER.exec(name) ?? [];
    return { type, parameter, value, expression };
  });
}

const PARAMETER_NAME = /^[A-Za-z_][\w.:-]*$/;

/** A search would ignore a parameter without a value; a subscription would then send more than was asked for. */
function readConditions(query: string, place: string, issues: Issue[]): QueryParameter[] {
  let parameters: QueryParameter[];
  try {
    parameters = parseQueryText(query);
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    refuse(issues, place, error.message);
    return [];
  }
  if (parameters.length > MAX_FILTERS) {
    refuse(issues, place, `At most ${MAX_FILTERS} conditions are allowed`);
    return [];
  }
  if (parameters.every(([name, value]) => PARAMETER_NAME.test(name) && value !== '')) return parameters;
  refuse(issues, place, 'Each condition must have the form parameter=value or parameter:modifier=value');
  return [];
}

function unknownExtension(url: string): string {
  return `The extension '${shorten(url)}' is not supported here; allowed is ${BACKPORT}filter-criteria`;
}

function readChannelType(channel: JsonObject, issues: Issue[]): SubscriptionRequest['channel'] | undefined {
  const { type } = channel;
  const place = 'Subscription.channel.type';
  for (const { url, place: where } of extensionsOf(channel['_type'], place)) {
    if (url === `${BACKPORT}channel-type`)
      refuse(issues, where, `Further channel types are not supported; ${CHANNELS}`, 'notSupported');
  }
  if (type === 'rest-hook' || type === 'websocket') return type;
  const name = typeof type === 'string' ? `'${shorten(type)}'` : 'without a type';
  refuse(issues, place, `The channel ${name} is not supported; ${CHANNELS}`, 'notSupported');
  return undefined;
}

const CHANNELS = 'allowed are rest-hook and websocket';

const JSON_TYPES: ReadonlySet<string> = new Set(['application/fhir+json', 'application/json']);
const VISIBLE_ASCII = /^[\x20-\x7e]+$/;

function readMime(
  channel: JsonObject,
  { kind, release }: { readonly kind: Kind; readonly release: Release },
  issues: Issue[],
): string | undefined {
  const { payload } = channel;
  const { mimeVersion } = RELEASES[release];
  const allowed = `allowed are application/fhir+json and application/json, with charset=utf-8 and fhirVersion=${mimeVersion}`;
  if (typeof payload !== 'string') {
    if (kind === 'topic')
      refuse(
        issues,
        PAYLOAD,
        `A topic-based subscription must have the media type of its payload; ${allowed}`,
      );
    return undefined;
  }
  if (isSupportedMime(payload, release)) return payload;
  const reason = `The media type '${shorten(payload)}' is not supported; ${allowed}`;
  refuse(issues, PAYLOAD, reason, 'notSupported');
  return undefined;
}

/** The text becomes a `Content-Type`: it has no parameters that the parser skips, and no line breaks. */
function isSupportedMime(text: string, release: Release): boolean {
  const range = VISIBLE_ASCII.test(text) ? parseMediaRange(text) : undefined;
  if (range === undefined || !JSON_TYPES.has(`${range.type}/${range.subtype}`)) return false;
  if (range.parameters.size !== text.split(';').length - 1 || !fitsRelease(range, release)) return false;
  return [...range.parameters].every(
    ([name, value]) => name === 'fhirversion' || (name === 'charset' && value === 'utf-8'),
  );
}

function readContent(channel: JsonObject, kind: Kind, issues: Issue[]): NotificationContent {
  const extensions = extensionsOf(channel['_payload'], PAYLOAD);
  const found = singleExtension(extensions, `${BACKPORT}payload-content`, issues);
  if (found === undefined) return 'empty';
  const { place, extension } = found;
  if (kind === 'classic') {
    const reason =
      'The content level is for topic-based subscriptions: others send the whole resource with channel.payload, and no body without it';
    refuse(issues, place, reason);
    return 'empty';
  }
  const { valueCode } = extension;
  if (valueCode === 'empty' || valueCode === 'id-only' || valueCode === 'full-resource') return valueCode;
  refuse(issues, place, 'The content level must be a valueCode empty, id-only or full-resource');
  return 'empty';
}

function readEndpoint(channel: JsonObject, issues: Issue[]): string | undefined {
  const { endpoint } = channel;
  const fault = typeof endpoint === 'string' ? endpointFault(endpoint) : ENDPOINT_RULE;
  if (fault !== undefined) refuse(issues, 'Subscription.channel.endpoint', fault);
  return typeof endpoint === 'string' ? endpoint : undefined;
}

const ENDPOINT_RULE =
  'The endpoint of a rest-hook must be an absolute http or https URL in ASCII, such as https://client.example/notifications';

/** `URL` accepts and removes backslashes, tabs and line breaks, which would hide the destination. */
const HTTP_URL = /^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/i;
const USER_INFO = /^[a-z]+:\/\/[^/?#]*@/i;

function endpointFault(endpoint: string): string | undefined {
  if (endpoint.length > MAX_ENDPOINT_LENGTH)
    return `The endpoint may have at most ${MAX_ENDPOINT_LENGTH} characters`;
  if (!HTTP_URL.test(endpoint) || !URL.canParse(endpoint)) return ENDPOINT_RULE;
  if (USER_INFO.test(endpoint))
    return 'The endpoint must not contain a user or password; credentials belong into channel.header';
  return endpoint.includes('#') ? 'The endpoint must not have a fragment (#)' : undefined;
}

/** A token of RFC 9110 and the colon. */
const HEADER_NAME = /^([\w!#$%&'*+.^`|~-]+):/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers by which the server describes the body. */
const BODY_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

function readHeaders({ header }: JsonObject, issues: Issue[]): string[] {
  const place = 'Subscription.channel.header';
  const sent = Array.isArray(header) ? header : [];
  // A value that is not a string counts too, so that the number of issues has a limit.
  const bytes = sent.reduce<number>(
    (sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 1),
    0,
  );
  if (bytes > MAX_HEADER_BYTES) {
    refuse(issues, place, `All headers together may have at most ${MAX_HEADER_BYTES} bytes`);
    return [];
  }
  const headers: string[] = [];
  for (const [index, text] of sent.entries()) {
    const fault = typeof text === 'string' ? headerFault(text) : HEADER_RULE;
    if (fault !== undefined) refuse(issues, `${place}[${index}]`, fault);
    else if (typeof text === 'string') headers.push(text);
  }
  return headers;
}

const HEADER_RULE =
  'A header must be a valid name, a colon and a value of visible ASCII characters, blanks and tabs, such as Authorization: Bearer …';

/** The text never contains the value, which is often a secret. */
function headerFault(header: string): string | undefined {
  const name = HEADER_NAME.exec(header)?.[1];
  if (name === undefined || !HEADER_VALUE.test(header)) return HEADER_RULE;
  const lower = name.toLowerCase();
  if (!RESERVED_HEADERS.has(lower) && !BODY_HEADERS.has(lower) && !lower.startsWith('proxy-'))
    return undefined;
  return `The header ${shorten(name)} is not allowed: the server sets it, or it concerns the connection`;
}

function readEnd({ end }: JsonObject, issues: Issue[]): number | undefined {
  if (end === undefined) return undefined;
  const moment = typeof end === 'string' ? dateRange(end)?.low : undefined;
  if (moment === undefined) {
    refuse(issues, 'Subscription.end', 'The end must be an instant such as 2030-12-31T12:00:00Z');
    return undefined;
  }
  return Math.floor(moment);
}

function readMethod(extensions: readonly LocatedExtension[], issues: Issue[]): 'PUT' | 'POST' {
  const found = singleExtension(extensions, METHOD_EXTENSION, issues);
  if (found === undefined) return 'PUT';
  const { valueCode } = found.extension;
  if (valueCode !== 'put' && valueCode !== 'post')
    refuse(issues, found.place, 'The method must be a valueCode put or post');
  return valueCode === 'post' ? 'POST' : 'PUT';
}

interface IntegerExtension {
  /** The url behind `backport-`. */
  readonly name: string;
  readonly member: 'valueUnsignedInt' | 'valuePositiveInt';
}

function readInteger(
  extensions: readonly LocatedExtension[],
  { name, member }: IntegerExtension,
  issues: Issue[],
): number | undefined {
  const found = singleExtension(extensions, BACKPORT + name, issues);
  if (found === undefined) return undefined;
  const value = found.extension[member];
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INTEGER)
    return value;
  refuse(issues, found.place, `backport-${name} must have a ${member} of at least 1`);
  return undefined;
}

interface LocatedExtension {
  readonly url: string;
  readonly extension: JsonObject;
  /** FHIRPath of the extension. */
  readonly place: string;
}

/** Returns the extensions of an element, or of the companion (`_criteria`) of a primitive one. */
function extensionsOf(element: JsonValue | undefined, place: string): LocatedExtension[] {
  const found: LocatedExtension[] = [];
  const extensions = isJsonObject(element) ? element['extension'] : undefined;
  if (!Array.isArray(extensions)) return found;
  for (const [index, extension] of extensions.entries()) {
    if (!isJsonObject(extension)) continue;
    const { url } = extension;
    found.push({
      url: typeof url === 'string' ? url : '',
      extension,
      place: `${place}.extension[${index}]`,
    });
  }
  return found;
}

function singleExtension(
  extensions: readonly LocatedExtension[],
  url: string,
  issues: Issue[],
): LocatedExtension | undefined {
  const [first, second] = extensions.filter((extension) => extension.url === url);
  if (second !== undefined)
    refuse(issues, second.place, `The extension ${url.slice(url.lastIndexOf('/') + 1)} may occur only once`);
  return first;
}

const CRITERIA = 'Subscription.criteria';
const PAYLOAD = 'Subscription.channel.payload';

function refuse(issues: Issue[], place: string, reason: string, key: ErrorKey = 'ruleViolated'): void {
  issues.push(toIssue(key, { reason }, place));
}
