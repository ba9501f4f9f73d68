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
  readonly versionCacheBytes: number;
  readonly searchCacheBytes: number;
  /** For the cache of parsed resources. */
  readonly parsedBytes: number;
  /** For all bodies and answers. */
  readonly bytesUnderWay: number;
}

/**
 * The memory for the caches and the requests of a process. `heap`: the maximum heap size in bytes, by default that of V8
 * (`--max-old-space-size`).
 */
export function planMemory(
  { versionCacheMb, searchCacheMb, maxBytesUnderWay }: Settings['memory'],
  heap = getHeapStatistics().heap_size_limit,
): MemoryPlan {
  const versionCacheBytes =
    versionCacheMb === undefined ? Math.min(128 * MEGABYTE, heap / 16) : versionCacheMb * MEGABYTE;
  const searchCacheBytes =
    searchCacheMb === undefined ? Math.min(64 * MEGABYTE, heap / 32) : searchCacheMb * MEGABYTE;
  const parsedBytes = Math.min(48 * MEGABYTE, heap / 32);
  const left = (heap - OF_PROGRAM - versionCacheBytes - searchCacheBytes - parsedBytes) * SHARE;
  const bytesUnderWay = maxBytesUnderWay ?? Math.max(LEAST, Math.floor(left));
  return { versionCacheBytes, searchCacheBytes, parsedBytes, bytesUnderWay };
}

/** Room for one Bundle of the largest size beside the program. */
const LEAST_HEAP_OF_WORKER = 512 * MEGABYTE;

/**
 * Returns the greatest size in megabytes of the heap of one of `count` workers. `heap`: that of a process that serves by itself, in
 * bytes. What the settings do not give in bytes is a part of the heap, and is divided by this. Each worker has the program.
 */
export function heapOfWorker(heap: number, count: number): number {
  const share = Math.max(LEAST_HEAP_OF_WORKER, OF_PROGRAM + heap / count);
  return Math.floor(Math.min(heap, share) / MEGABYTE);
}
