/** Reads definitions/<release>.json.gz: one gzip member with the core set, one with the base resources. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Release } from '../release';
import type { CoreSet } from './core-set';
import type { BaseResource } from './model';

/** Finds a file of definitions/ in the nearest folder above that has it. */
export function findDefinitionsFile(name: string): string {
  for (let folder = __dirname; ; folder = dirname(folder)) {
    const file = join(folder, 'definitions', name);
    if (existsSync(file)) return file;
    if (folder === dirname(folder)) throw new Error(`definitions/${name} is missing`);
  }
}

/**
 * The length of the first gzip member is in its header's extra field `AD` (RFC 1952, 2.3.1.1), at these offsets. A
 * start therefore need not inflate the base resources, which are ten times larger.
 */
const EXTRA_NAME_OFFSET = 12;
const MEMBER_LENGTH_OFFSET = 16;

function splitMembers(release: Release): { core: Buffer; base: Buffer } {
  const bytes = readFileSync(findDefinitionsFile(`${release}.json.gz`));
  if (bytes.toString('latin1', EXTRA_NAME_OFFSET, EXTRA_NAME_OFFSET + 2) !== 'AD') {
    throw new Error(`definitions/${release}.json.gz was not written by scripts/build-definitions.mjs`);
  }
  const length = bytes.readUInt32LE(MEMBER_LENGTH_OFFSET);
  return { core: bytes.subarray(0, length), base: bytes.subarray(length) };
}

/** Cost: about 15 ms. */
export function readCoreSet(release: Release): CoreSet {
  // The member is `[`, a line feed, the core set.
  const parsed: unknown = JSON.parse(gunzipSync(splitMembers(release).core).toString('utf8', 2));
  if (!isCoreSet(parsed, release)) throw new Error(`definitions/${release}.json.gz does not hold release ${release}`);
  return parsed;
}

function isCoreSet(parsed: unknown, release: Release): parsed is CoreSet {
  return typeof parsed === 'object' && parsed !== null && 'release' in parsed && parsed.release === release;
}

const CHECKSUM_AND_LENGTH = 8;

/**
 * Fingerprint of the definitions file, independent of the compressor: checksum and length of both members (RFC 1952,
 * 2.3.1). Cost: reads the file the first time and inflates nothing; then one lookup, because every expansion needs it.
 */
export function definitionsDigest(release: Release): string {
  let digest = digests.get(release);
  if (digest === undefined) {
    const { core, base } = splitMembers(release);
    digest = [core, base]
      .map((member) => member.toString('hex', member.length - CHECKSUM_AND_LENGTH))
      .join('');
    digests.set(release, digest);
  }
  return digest;
}

const digests = new Map<Release, string>();

/** Fingerprint of the core set alone, without the base resources; as `definitionsDigest`. */
export function coreSetDigest(release: Release): string {
  return definitionsDigest(release).slice(0, CHECKSUM_AND_LENGTH * 2);
}

const LINE_START = /^\{"resourceType":"(\w+)","id":"([^"]+)"/;

/**
 * Reads the conformance resources of the specification, sorted by type and id, each as JSON text without narrative.
 * Cost: 20 MB while it runs, a tenth of a second; no parsing.
 */
export function* readBaseResources(release: Release): Generator<BaseResource> {
  const bytes = gunzipSync(splitMembers(release).base);
  // Begins with `,\n`. Each resource is a line, with a comma at its end if another follows; `]` and nothing are last.
  let start = bytes.indexOf('\n') + 1;
  for (;;) {
    const end = bytes.indexOf('\n', start);
    if (end < 0) return;
    const line = bytes.toString('utf8', start, end);
    start = end + 1;
    const match = LINE_START.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    yield { type: match[1], id: match[2], text: line.endsWith(',') ? line.slice(0, -1) : line };
  }
}
