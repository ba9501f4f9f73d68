import { ID } from '../../../../packages/fhir-values/id';
import { parseRelative } from '../../../../packages/fhir-values/reference';

/**
 * - `relative`: `Patient/1`, `Patient/1/_history/2`
 * - `absolute`: an http or https url; has type and id if it ends like a relative reference
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
  /** The part before `/Type/id` of an absolute reference with a type. */
  readonly base?: string;
}

const ABSOLUTE_TAIL = new RegExp(`^(https?://.+?)/([A-Z][A-Za-z]{0,63}/${ID}(?:/_history/${ID})?)$`);
const LONGEST_REFERENCE = 2000;

/** Parses a reference (https://hl7.org/fhir/R4/references.html#literal). Never throws. */
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
  // Conditional even without criteria, so that it is refused and not stored as if it were an address.
  const [, type] = /^([A-Z][A-Za-z]{0,63})\?/.exec(text) ?? [];
  return type === undefined ? { kind: 'other' } : { kind: 'conditional', type };
}

/** A reference by search criteria. */
export interface ReferenceSearch {
  readonly type: string;
  /** The text after the question mark. */
  readonly query: string;
}

/**
 * Parses a conditional reference (http.html#trules): `Patient?identifier=…`, also with a leading slash or below an
 * address of this server (`below`); undefined for any other text.
 */
export function searchOf(
  text: string,
  below: (url: string) => string | undefined,
): ReferenceSearch | undefined {
  const mark = text.indexOf('?');
  if (mark === -1) return undefined;
  const relative = /^https?:/i.test(text) ? below(text) : text.replace(/^\//, '');
  if (relative === undefined) return undefined;
  // Conditional even without criteria, so that it is refused and not stored as if it were an address.
  const [, type] = /^([A-Z][A-Za-z]{0,63})\?/.exec(relative) ?? [];
  return type === undefined ? undefined : { type, query: text.slice(mark + 1) };
}
