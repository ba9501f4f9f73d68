/** Addresses of resources and versions as bound values of statements, and rows in the order of the addresses. */
import { BinaryArray } from '../connection/binary-array';
import type { Row } from '../connection/database';
import type { Bound } from '../connection/statement';
import type { VersionRow } from './version-row';
import type { KeyHalves } from '../key-halves';

export interface ResourceAddress {
  readonly type: number;
  readonly key: KeyHalves;
}

export interface VersionAddress extends ResourceAddress {
  readonly version: number;
}

/** The bound values of `readVersions` in version-statements.ts. */
export function encodeVersions(space: number, addresses: readonly VersionAddress[]): Record<string, Bound> {
  const versions = new BinaryArray('int4');
  for (const { version } of addresses) versions.pushInt4(version);
  return { ...encodeAddresses(space, addresses), versions: versions.finish() };
}

/** The bound values of a statement that reads one row for each address. */
export function encodeAddresses(
  space: number,
  addresses: readonly ResourceAddress[],
): { space: number; types: Buffer; keys: Buffer; limit: number } {
  const types = new BinaryArray('int2');
  const keys = new BinaryArray('int8', 1024);
  for (const { type, key } of addresses) {
    types.pushInt2(type);
    keys.pushInt8(key.high, key.low);
  }
  return { space, types: types.finish(), keys: keys.finish(), limit: addresses.length };
}

/** A number that no version has. */
const NO_VERSION = 0;

/** The bound values of `readUncached` beside the addresses: the cached version of each. */
export function encodeCached(cached: readonly (VersionRow | undefined)[]): Record<string, Bound> {
  const versions = new BinaryArray('int4');
  const times = new BinaryArray('int8');
  const sequences = new BinaryArray('int8');
  for (const row of cached) {
    const { version, lastUpdated, sequence } = row ?? { version: NO_VERSION, lastUpdated: 0, sequence: 0 };
    versions.pushInt4(version);
    times.pushInt8(Math.floor(lastUpdated / 2 ** 32), lastUpdated % 2 ** 32);
    sequences.pushInt8(Math.floor(sequence / 2 ** 32), sequence % 2 ** 32);
  }
  return {
    cached_versions: versions.finish(),
    cached_times: times.finish(),
    cached_sequences: sequences.finish(),
  };
}

/**
 * Puts rows into the order of their addresses. Each row begins with the ordinal of its address, from 1; an address
 * without a row gives undefined.
 */
export function inOrder<R>(
  rows: readonly Row[],
  addresses: readonly ResourceAddress[],
  decode: (row: Row, address: ResourceAddress, index: number) => R,
): (R | undefined)[] {
  const found = new Array<R | undefined>(addresses.length).fill(undefined);
  for (const row of rows) {
    const index = (row[0] as number) - 1;
    const address = addresses[index];
    if (address !== undefined) found[index] = decode(row, address, index);
  }
  return found;
}
