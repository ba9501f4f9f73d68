import { isJsonObject, type JsonValue } from '../json';

/** A JSON Pointer (RFC 6901). */
export interface Pointer {
  readonly text: string;
  /** Unescaped; empty for the whole document. */
  readonly segments: readonly string[];
}

/** Parses a JSON Pointer; undefined for a text that is not one: no slash at its start, or `~` without 0 or 1. */
export function parsePointer(text: string): Pointer | undefined {
  if (text === '') return { text, segments: [] };
  if (!text.startsWith('/') || /~(?![01])/.test(text)) return undefined;
  const segments = text.slice(1).split('/');
  // RFC 6901 section 4: first ~1, then ~0, so that ~01 is ~1.
  if (!text.includes('~')) return { text, segments };
  return { text, segments: segments.map((segment) => segment.replace(/~1/g, '/').replace(/~0/g, '~')) };
}

/** True if `inner` is `outer` or lies below it. */
export function isAtOrUnder(inner: Pointer, outer: readonly string[]): boolean {
  return (
    inner.segments.length >= outer.length && outer.every((segment, at) => inner.segments[at] === segment)
  );
}

/** Returns the value at a pointer; undefined if there is none. Resolves own members only. */
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

/** Parses an array index by RFC 6901, without leading zeros; undefined for other texts, `-` included. */
export function parseIndex(segment: string): number | undefined {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(segment) ? Number(segment) : undefined;
}
