import { isJsonObject, type JsonValue } from '../json';

/** A JSON Pointer (RFC 6901). */
export interface Pointer {
  readonly text: string;
  /** Unescaped; none for the whole document. */
  readonly segments: readonly string[];
}

/** The pointer that a text is; undefined when it is none: no slash at its start, or `~` without 0 or 1. */
export function parsePointer(text: string): Pointer | undefined {
  if (text === '') return { text, segments: [] };
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const segments = text.slice(1).split('/');
  // RFC 6901 section 4: first ~1, then ~0, so that ~01 is ~1.
  if (!text.includes('~')) return { text, segments };
  return { text, segments: segments.map((segment) => segment.replace(/~1/g, '/').replace(/~0/g, '~')) };
}

/** True when `inner` is `outer` or lies below it. */
export function isAtOrUnder(inner: Pointer, outer: readonly string[]): boolean {
  return (
    inner.segments.length >= outer.length && outer.every((segment, at) => inner.segments[at] === segment)
  );
}

/** The value that is pointed to; undefined when there is none. Sees own members only. */
export function resolvePointer(document: JsonValue, segments: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const segment of segments) {
    if (Array.isArray(value)) {
      const index = parseIndex(segment);
      value = index === undefined ? undefined : value[index];
    } else if (isJsonObject(value) && Object.hasOwn(value, segment)) {
      value = value[segment];
    } else {
      return undefined;
    }
  }
  return value;
}

/** An array index as RFC 6901 writes it, without leading zeros; undefined for other texts, `-` included. */
export function parseIndex(segment: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(segment) ? Number(segment) : undefined;
}
