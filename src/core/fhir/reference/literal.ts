/**
 * - `relative`: `Patient/1`, `Patient/1/_history/2`
 * - `absolute`: an http or https url; type and id are known when it ends like a relative reference
 * - `fragment`: `#p1`, a contained resource (id `p1`), or `#`, the container (id '')
 * - `urn`: `urn:uuid:…`, `urn:oid:…`
 * - `conditional`: `Patient?identifier=…`
 * - `other`: anything else
 */
export type ReferenceKind = 'relative' | 'absolute' | 'fragment' | 'urn' | 'conditional' | 'other';

export interface ParsedReference {
  readonly kind: ReferenceKind;
  readonly type?: string;
  readonly id?: string;
  readonly versionId?: string;
  /** Of an absolute reference with a type: what stands before `/Type/id`. */
  readonly base?: string;
}

export interface LocalReference {
  readonly type: string;
  readonly id: string;
  readonly versionId?: string;
}

const RELATIVE = /^([A-Z][A-Za-z]{0,63})\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/([A-Za-z0-9\-.]{1,64}))?$/;
const ABSOLUTE_TAIL =
  /^(https?:\/\/.+?)\/([A-Z][A-Za-z]{0,63}\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[A-Za-z0-9\-.]{1,64})?)$/;
const LONGEST_REFERENCE = 2000;

/** What kind of reference a text is (https://hl7.org/fhir/R4/references.html#literal). Never throws. */
export function parseReference(text: string): ParsedReference {
  const relative = parseRelative(text);
  if (relative !== undefined) return { kind: 'relative', ...relative };
  if (text.startsWith('#')) return { kind: 'fragment', id: text.slice(1) };
  if (text.startsWith('urn:')) return { kind: 'urn' };
  if (/^https?:\/\//i.test(text)) {
    const [, base, tail = ''] = text.length <= LONGEST_REFERENCE ? (ABSOLUTE_TAIL.exec(text) ?? []) : [];
    const target = parseRelative(tail);
    return target === undefined ? { kind: 'absolute' } : { kind: 'absolute', base, ...target };
  }
  // Without criteria too: then it is refused for meaning nobody, not stored as if it were a name.
  const [, type] = /^([A-Z][A-Za-z]{0,63})\?/.exec(text) ?? [];
  return type === undefined ? { kind: 'other' } : { kind: 'conditional', type };
}

/** Type, id and version of a relative reference; undefined for any other text. */
export function parseRelative(text: string): LocalReference | undefined {
  // 64 for the type, two ids, and what stands between them.
  if (text.length > 210) return undefined;
  const [, type, id, versionId] = RELATIVE.exec(text) ?? [];
  if (type === undefined || id === undefined || id === '.' || id === '..') return undefined;
  return versionId === undefined ? { type, id } : { type, id, versionId };
}

/** A reference by search criteria. */
export interface ReferenceSearch {
  readonly type: string;
  /** What stands behind the question mark. */
  readonly query: string;
}

/**
 * What a conditional reference searches for (http.html#trules): `Patient?identifier=…`, also with a slash before it or
 * below an address of ours (`below`); undefined for any other text.
 */
export function searchOf(
  text: string,
  below: (url: string) => string | undefined,
): ReferenceSearch | undefined {
  const mark = text.indexOf('?');
  if (mark === -1) return undefined;
  const relative = /^https?:/i.test(text) ? below(text) : text.replace(/^\//, '');
  if (relative === undefined) return undefined;
  // Without criteria too: then it is refused for meaning nobody, not stored as if it were a name.
  const [, type] = /^([A-Z][A-Za-z]{0,63})\?/.exec(relative) ?? [];
  return type === undefined ? undefined : { type, query: text.slice(mark + 1) };
}
