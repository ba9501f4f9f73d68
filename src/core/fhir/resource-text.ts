/**
 * The stored text of a version. The server's part of `meta` (versionId, lastUpdated, the extensions version-sequence,
 * author and search-parameter-failed) is in columns. The stored text is a whole, valid JSON resource without it, and an
 * offset marks its position. The full text is thus one concatenation.
 */
import { isJsonObject, stringifyJson, type JsonObject, type JsonValue } from './json';
import {
  AUTHOR_EXTENSION,
  clientReference,
  FAILURE_EXTENSION,
  LONG_SEQUENCE_EXTENSION,
  SEQUENCE_EXTENSION,
  SERVER_EXTENSIONS,
} from '../../../packages/fhir-values/server-meta';

export interface StoredText {
  readonly text: string;
  /** Position of the server's part of `meta`, in UTF-16 units (the units of a JavaScript string). */
  readonly metaOffset: number;
}

export interface StoredTextOptions {
  /** The id to write into the text. */
  readonly id: string;
  /** Base url of the server's own extensions, without a trailing slash. */
  readonly extensionBase: string;
}

/** The server's part of `meta`. */
export interface ServerMeta {
  readonly versionId: number;
  /** Milliseconds since 1970. */
  readonly lastUpdated: number;
  readonly sequence: number;
  /** Id of the ClientApplication that made the change. */
  readonly author: string;
  /** Reason why a SearchParameter no longer works in searches. */
  readonly failure?: string | undefined;
}

const CLOSING_BRACKET = 0x5d;
const CLOSING_BRACE = 0x7d;

/**
 * Returns the text to store for a resource that passed `checkResource`. Members stay in the client's order. `id` is set
 * in its position, or after resourceType if there was none; `meta` stays in its position, or follows the id. Removes
 * the client's copies of the server's part from meta. Other extensions come first in meta; the offset then points at
 * the `]` after them, otherwise just after `"meta":{`. Does not change `resource`.
 */
export function toStoredText(resource: JsonObject, marked: boolean, options: StoredTextOptions): StoredText {
  const head: JsonObject = {};
  const tail: JsonObject = {};
  const hasId = resource['id'] !== undefined;
  const hasMeta = resource['meta'] !== undefined;
  let members = head;
  for (const name in resource) {
    const value = resource[name];
    if (value === undefined) continue;
    if (name === 'meta') {
      members = tail;
    } else if (name === 'id') {
      members[name] = options.id;
      if (!hasMeta) members = tail;
    } else {
      members[name] = value;
      if (name === 'resourceType' && !hasId) {
        members['id'] = options.id;
        if (!hasMeta) members = tail;
      }
    }
  }
  const meta = toStoredMeta(resource['meta'], marked, options.extensionBase);
  const headText = stringifyJson(head, marked);
  const tailText = stringifyJson(tail, marked);
  // `{"resourceType":…,"id":…` + `,"meta":` + meta + `,…}`; an empty head or tail is `{}`.
  const before = headText.length === 2 ? '{"meta":' : `${headText.slice(0, -1)},"meta":`;
  const after = tailText.length === 2 ? '}' : `,${tailText.slice(1)}`;
  return { text: before + meta.text + after, metaOffset: before.length + meta.metaOffset };
}

function toStoredMeta(meta: JsonValue | undefined, marked: boolean, extensionBase: string): StoredText {
  if (!isJsonObject(meta)) return { text: '{}', metaOffset: 1 };
  const rest: JsonObject = {};
  let extensions: JsonValue[] | undefined;
  for (const name in meta) {
    const value = meta[name];
    if (value === undefined || name === 'versionId' || name === 'lastUpdated') continue;
    if (name === 'extension' && Array.isArray(value)) {
      extensions = value.filter((extension) => !isServerExtension(extension, extensionBase));
    } else {
      rest[name] = value;
    }
  }
  const restText = stringifyJson(rest, marked);
  if (extensions === undefined || extensions.length === 0) return { text: restText, metaOffset: 1 };
  const first = `{"extension":${stringifyJson(extensions, marked)}`;
  return {
    text: first + (restText.length === 2 ? '}' : `,${restText.slice(1)}`),
    metaOffset: first.length - 1,
  };
}

function isServerExtension(extension: JsonValue, extensionBase: string): boolean {
  const url = isJsonObject(extension) ? extension['url'] : undefined;
  return (
    typeof url === 'string' &&
    url.startsWith(`${extensionBase}/`) &&
    SERVER_EXTENSIONS.includes(url.slice(extensionBase.length + 1))
  );
}

/** Largest `integer` of FHIR. */
const MAX_INTEGER = 2 ** 31 - 1;

/** Returns the extension that has a version-sequence. */
export function sequenceExtension(sequence: number, extensionBase: string): JsonObject {
  return sequence <= MAX_INTEGER
    ? { url: `${extensionBase}/${SEQUENCE_EXTENSION}`, valueInteger: sequence }
    : { url: `${extensionBase}/${LONG_SEQUENCE_EXTENSION}`, valueString: String(sequence) };
}

/** The constant parts of the server's extensions, cached for the one base that a process uses. */
let parts = { extensionBase: '', sequence: '', longSequence: '', author: '' };

function partsOf(extensionBase: string): typeof parts {
  if (parts.extensionBase !== extensionBase) {
    const base = JSON.stringify(extensionBase).slice(0, -1);
    parts = {
      extensionBase,
      sequence: `{"url":${base}/${SEQUENCE_EXTENSION}","valueInteger":`,
      longSequence: `{"url":${base}/${LONG_SEQUENCE_EXTENSION}","valueString":"`,
      author: `},{"url":${base}/${AUTHOR_EXTENSION}","valueReference":{"reference":`,
    };
  }
  return parts;
}

/**
 * Returns the whole resource: the stored text with the server's part of `meta` inserted. Cost: about 0.5 µs, no
 * parsing.
 */
export function toFullText(
  text: string,
  metaOffset: number,
  meta: ServerMeta,
  extensionBase: string,
): string {
  const { sequence, longSequence, author } = partsOf(extensionBase);
  const version = `"versionId":"${meta.versionId}","lastUpdated":"${formatInstant(meta.lastUpdated)}"`;
  const extensions =
    (meta.sequence <= MAX_INTEGER ? sequence + meta.sequence : `${longSequence}${meta.sequence}"`) +
    author +
    JSON.stringify(clientReference(meta.author)) +
    '}}' +
    (meta.failure === undefined ? '' : failureExtension(meta.failure, extensionBase));
  const before = text.slice(0, metaOffset);
  const next = text.charCodeAt(metaOffset);
  if (next === CLOSING_BRACKET) return `${before},${extensions}],${version}${text.slice(metaOffset + 1)}`;
  const comma = next === CLOSING_BRACE ? '' : ',';
  return `${before}${version},"extension":[${extensions}]${comma}${text.slice(metaOffset)}`;
}

function failureExtension(failure: string, extensionBase: string): string {
  return `,${JSON.stringify({ url: `${extensionBase}/${FAILURE_EXTENSION}`, valueString: failure })}`;
}

const MINUTE_MS = 60_000;
/** Cache of the last formatted minute, up to its second colon: instants of a page are close together. */
let lastMinute = NaN;
let lastMinuteText = '';

/** Formats milliseconds since 1970 as `2026-11-21T02:09:18.000+00:00`; the year must have four digits. */
export function formatInstant(milliseconds: number): string {
  const minute = Math.floor(milliseconds / MINUTE_MS);
  if (minute !== lastMinute) {
    lastMinuteText = new Date(minute * MINUTE_MS).toISOString().slice(0, 17);
    lastMinute = minute;
  }
  // 100,000 keeps the leading zeros: 18,000 ms is "118000", of which "18" and "000" are taken.
  const rest = String(milliseconds - minute * MINUTE_MS + 100_000);
  return `${lastMinuteText}${rest.slice(1, 3)}.${rest.slice(3)}+00:00`;
}
