import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import type { QueryParameter } from '../query-text';
import { parseQueryText } from '../query-text';
import { isValidId } from '../resource';

/** The target of an entry's request url, below `{fhir_root}`. */
export type EntryTarget =
  | { readonly kind: 'system' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'instance'; readonly type: string; readonly id: string }
  | { readonly kind: 'version'; readonly type: string; readonly id: string; readonly versionId: string }
  | { readonly kind: 'history'; readonly type?: string; readonly id?: string }
  | { readonly kind: 'operation'; readonly type?: string; readonly id?: string; readonly code: string }
  /** Searches in the compartment of a resource; `member` undefined means all types (`*`). */
  | { readonly kind: 'compartment'; readonly type: string; readonly id: string; readonly member?: string };

export interface EntryAddress {
  readonly place: EntryTarget;
  readonly query: readonly QueryParameter[];
  /** Path without the query, as the links to further pages have it: `Patient/1/Observation`. */
  readonly path: string;
}

/** Resolves the urls of entries in a space. */
export interface AddressReader {
  /**
   * Returns the part below `{fhir_root}` of an absolute url at one of this server's public addresses; else undefined.
   */
  below(url: string): string | undefined;
  readonly resourceTypes: ReadonlySet<string>;
  /** True for a value of `_format` in which the server can answer. */
  isFormat(name: string): boolean;
}

const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * Parses the url of an entry's request (https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request.url). It
 * is relative to `{fhir_root}`, or absolute at an address of this server that leads to this space. Returns a text that
 * says what is wrong with an unusable url. Throws `invalidValue` for a malformed percent-encoding.
 */
export function readEntryAddress(url: string, reader: AddressReader): EntryAddress | string {
  const relative = ABSOLUTE.test(url) || url.startsWith('//') ? reader.below(url) : url.replace(/^\//, '');
  if (relative === undefined)
    return 'The url is not an address of this server; it must be relative, such as Patient/1';
  const [whole = ''] = relative.split('#', 1);
  const mark = whole.indexOf('?');
  const path = mark === -1 ? whole : whole.slice(0, mark);
  const place = placeOf(path.replace(/\/$/, ''), reader);
  if (typeof place === 'string') return place;
  return { place, path, query: mark === -1 ? [] : parseQueryText(whole.slice(mark + 1)) };
}

function placeOf(path: string, reader: AddressReader): EntryTarget | string {
  if (path === '') return { kind: 'system' };
  if (path === 'metadata') return { kind: 'metadata' };
  if (path === '_history') return { kind: 'history' };
  const [first = '', second, third, fourth, ...more] = path.split('/');
  const code = codeOf(first);
  if (code !== undefined && second === undefined) return { kind: 'operation', code };
  if (!reader.resourceTypes.has(first))
    return `The url must begin with a resource type of this FHIR release${didYouMean(first, reader.resourceTypes)}`;
  const type = first;
  if (second === undefined) return { kind: 'type', type };
  const typeCode = codeOf(second);
  if (third === undefined && typeCode !== undefined) return { kind: 'operation', type, code: typeCode };
  if (third === undefined && second === '_history') return { kind: 'history', type };
  if (!isValidId(second)) return 'The url has no valid id after the type: 1 to 64 of A-Z a-z 0-9 - .';
  const id = second;
  if (third === undefined) return { kind: 'instance', type, id };
  if (third === '_history' && fourth === undefined) return { kind: 'history', type, id };
  if (third === '_history' && fourth !== undefined && isValidId(fourth) && more.length === 0)
    return { kind: 'version', type, id, versionId: fourth };
  const instanceCode = codeOf(third);
  if (fourth === undefined && instanceCode !== undefined)
    return { kind: 'operation', type, id, code: instanceCode };
  if (fourth === undefined && third === '*') return { kind: 'compartment', type, id };
  if (fourth === undefined && reader.resourceTypes.has(third))
    return { kind: 'compartment', type, id, member: third };
  return 'The url does not exist on this server';
}

/** Returns `expand` for `$expand` or `%24expand`. */
function codeOf(segment: string): string | undefined {
  const code = /^(?:\$|%24)(.+)$/.exec(segment)?.[1];
  return code;
}
