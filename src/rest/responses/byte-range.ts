/** Ranges of content (RFC 9110, section 14). Content of a version never changes, so its weak ETag is as good as a strong one. */
import type { IncomingHttpHeaders } from 'node:http';
import type { StoredVersion } from '../../core';
import { parseEntityTags } from './entity-tag';

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the range that a GET asks for. Undefined: the whole, because it asks for none or for several, because the header is
 * malformed, or because If-Range names another version. `unsatisfiable`: the range is outside of the content.
 */
export function rangeOf(
  { range, 'if-range': ifRange }: IncomingHttpHeaders & { readonly 'if-range'?: string },
  version: StoredVersion,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  if (range === undefined || (ifRange !== undefined && !isOf(ifRange, version))) return undefined;
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}

function isOf(ifRange: string, { versionId, lastUpdated }: StoredVersion): boolean {
  if (ifRange.includes('"')) {
    const tags = parseEntityTags(ifRange);
    return tags !== undefined && tags !== '*' && tags.length === 1 && tags.includes(String(versionId));
  }
  return ifRange === new Date(lastUpdated).toUTCString();
}
