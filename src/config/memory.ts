/** Divides the heap of a process, unless settings override it. */
import { getHeapStatistics } from 'node:v8';
import type { Settings } from './settings';

const MEGABYTE = 1024 * 1024;

/** Bytes of the program itself: code, definitions, schemas. */
const OF_PROGRAM = 112 * MEGABYTE;
/** The rest is for objects that are not counted, and for garbage. */
const SHARE = 0.9;
/** The minimum: room for a small request. */
const LEAST = MEGABYTE;

/** Bytes. */
export interface MemoryPlan {
  readonly versions: number;
  readonly searches: number;
  readonly parsed: number;
  /** For all bodies and answers. */
  readonly underWay: number;
}

/**
 * The memory for the caches and the requests of a process. `heap`: the maximum heap size in bytes, by default that of V8
 * (`--max-old-space-size`).
 */
export function planMemory(
  settings: Pick<Settings, 'VERSION_CACHE_MB' | 'SEARCH_CACHE_MB' | 'MAX_BYTES_UNDER_WAY'>,
  heap = getHeapStatistics().heap_size_limit,
): MemoryPlan {
  const { VERSION_CACHE_MB, SEARCH_CACHE_MB, MAX_BYTES_UNDER_WAY } = settings;
  const versions =
    VERSION_CACHE_MB === undefined ? Math.min(128 * MEGABYTE, heap / 16) : VERSION_CACHE_MB * MEGABYTE;
  const searches =
    SEARCH_CACHE_MB === undefined ? Math.min(64 * MEGABYTE, heap / 32) : SEARCH_CACHE_MB * MEGABYTE;
  const parsed = Math.min(48 * MEGABYTE, heap / 32);
  const left = (heap - OF_PROGRAM - versions - searches - parsed) * SHARE;
  return { versions, searches, parsed, underWay: MAX_BYTES_UNDER_WAY ?? Math.max(LEAST, Math.floor(left)) };
}
