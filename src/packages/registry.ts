/**
 * Fetches packages from a registry, of FHIR or of npm: `{registry}/{name}` lists the versions and their files.
 * Source: https://hl7.org/fhir/packages.html, https://github.com/npm/registry (package metadata)
 */
import { createHash } from 'node:crypto';
import { OutboundError, parseJson, type JsonObject, type JsonValue, type Outbound } from '../core';
import { fitsVersion } from './dependencies';
import { isObject } from './members';
import { MAX_PACKED_BYTES, PackageError } from './package-file';

/** It is parsed in one step, which delays requests. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
const NAME = /^(?:@[a-z0-9._-]+\/)?[a-z0-9][a-z0-9._-]*$/i;

/** A name with a version, such as `hl7.fhir.uv.ips@2.0.0`. */
export interface PackageName {
  readonly name: string;
  /** As in dependencies: `2.0.0`, `2.0.x`, `latest`. */
  readonly version: string;
}

/** Parses `NAME@VERSION`; undefined for any other text, such as the path of a file. */
export function parsePackageName(text: string): PackageName | undefined {
  const at = text.lastIndexOf('@');
  const [name, version] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  return NAME.test(name) && /^[A-Za-z0-9.+-]+$/.test(version) && !version.endsWith('.tgz')
    ? { name, version }
    : undefined;
}

export interface Registry {
  readonly outbound: Outbound;
  /** Base address. */
  readonly address: string;
  /** Limit on the bytes of a file; default 256 MB. */
  readonly maxPackedBytes?: number | undefined;
  /** Ends a fetch when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches the file of a package; the newest version that fits. Throws PackageError if the registry does not have it, or
 * cannot be called.
 */
export async function fetchPackage(registry: Registry, wanted: PackageName): Promise<Uint8Array> {
  const { address, maxPackedBytes = MAX_PACKED_BYTES } = registry;
  const list = parseJson(
    new TextDecoder().decode(await get(registry, `${address}/${wanted.name}`, MAX_LIST_BYTES, wanted)),
    { maxDepth: 1000 },
  ).value;
  const dist = findVersion(list, wanted);
  const { tarball } = dist ?? {};
  if (dist === undefined || typeof tarball !== 'string')
    throw new PackageError(`The registry ${address} does not have ${wanted.name} ${wanted.version}`);
  const bytes = await get(registry, tarball, Math.min(maxPackedBytes, MAX_PACKED_BYTES), wanted);
  const { shasum } = dist;
  if (typeof shasum === 'string' && createHash('sha1').update(bytes).digest('hex') !== shasum.toLowerCase())
    throw new PackageError(`${tarball} is not the file that the registry ${address} names: its hash differs`);
  return bytes;
}

function findVersion(list: JsonValue, { version }: PackageName): JsonObject | undefined {
  const { versions, 'dist-tags': tags } = isObject(list) ? list : {};
  if (!isObject(versions)) return undefined;
  const tagged = isObject(tags) ? tags[version] : undefined;
  const newest = Object.keys(versions)
    .filter((each) => (typeof tagged === 'string' ? each === tagged : fitsVersion(each, version)))
    .sort(byVersion)
    .at(-1);
  const found = newest === undefined ? undefined : versions[newest];
  const dist = isObject(found) ? found['dist'] : undefined;
  return isObject(dist) ? dist : undefined;
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

async function get(
  { outbound, signal: stopped }: Registry,
  url: string,
  maxBytes: number,
  { name, version }: PackageName,
): Promise<Uint8Array> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
  let response: Response;
  try {
    response = await outbound.get({ url, accept: '*/*', signal, maxBytes });
  } catch (error) {
    const reason = error instanceof OutboundError || error instanceof Error ? error.message : String(error);
    throw new PackageError(`${name} ${version} cannot be fetched from ${url}: ${reason}`);
  }
  if (response.status === 200) return new Uint8Array(await response.arrayBuffer());
  throw new PackageError(`${name} ${version} cannot be fetched: ${url} answers ${response.status}`);
}
