/**
 * Fetches packages from a registry, of FHIR or of npm: `{registry}/{name}` lists the versions and their files.
 * Source: https://hl7.org/fhir/packages.html, https://github.com/npm/registry (package metadata)
 */
import { createHash } from 'node:crypto';
import { FhirError, OutboundError, parseJson, type JsonObject, type Outbound } from '../core';
import { fitsVersion } from './dependencies';
import { isObject } from './members';
import { MAX_PACKED_BYTES, PackageError } from './package-file';
import { isPackageName, isPackageVersion, type PackageName } from './package-name';

/** It is parsed in one step, which delays requests. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

export interface Registry {
  readonly outbound: Outbound;
  /** Base address. */
  readonly address: string;
  /** Limit on the bytes of a file; default 256 MB. */
  readonly maxPackedBytes?: number | undefined;
  /** Ends a fetch when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Counts a request. False: there were too many; undefined: they are not counted. */
  readonly admit?: (() => Promise<boolean>) | undefined;
}

/** A file that a registry has sent, with the hash that the registry names. */
export interface FetchedPackage {
  readonly bytes: Uint8Array;
  /** The version of the file; the wanted one may be `latest` or `2.0.x`. */
  readonly version: string;
}

/**
 * Fetches the file of a package; the newest version that fits. Throws PackageError if the registry does not have it,
 * cannot be called, or sends another package.
 */
export async function fetchPackage(registry: Registry, wanted: PackageName): Promise<FetchedPackage> {
  const { address, maxPackedBytes = MAX_PACKED_BYTES } = registry;
  const { name } = wanted;
  if (!isPackageName(name)) throw new PackageError(`'${name}' is not the name of a package`);
  const list = isPackageVersion(wanted.version) ? await readList(registry, wanted) : undefined;
  const version = list && findVersion(list, wanted.version);
  const found = version === undefined ? undefined : memberOf(memberOf(list, 'versions'), version);
  const dist = memberOf(found, 'dist');
  const tarball = dist?.['tarball'];
  if (version === undefined || found === undefined || dist === undefined || typeof tarball !== 'string')
    throw new PackageError(`The registry ${address} does not have ${name} ${wanted.version}`);
  checkSame(registry, found, { name, version });
  const bytes = await get(registry, tarball, Math.min(maxPackedBytes, MAX_PACKED_BYTES), wanted);
  if (!hasHash(bytes, dist))
    throw new PackageError(`${tarball} is not the file that the registry ${address} names: its hash differs`);
  return { bytes, version };
}

/** Returns the list of the versions of a package. */
async function readList(registry: Registry, wanted: PackageName): Promise<JsonObject> {
  const bytes = await get(registry, `${registry.address}/${wanted.name}`, MAX_LIST_BYTES, wanted);
  const list = toObject(bytes);
  if (list === undefined)
    throw new PackageError(
      `The registry ${registry.address} sends no list of versions for ${wanted.name} that can be read`,
    );
  checkSame(registry, list, { name: wanted.name });
  return list;
}

function toObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const { value } = parseJson(new TextDecoder().decode(bytes), { maxDepth: 1000 });
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}

/** Throws PackageError where the registry has sent another package, or another version, than it was asked for. */
function checkSame({ address }: Registry, sent: JsonObject, wanted: Partial<PackageName>): void {
  for (const [member, value] of Object.entries(wanted)) {
    if (sent[member] === undefined || sent[member] === value) continue;
    const found = JSON.stringify(sent[member]).slice(0, 100);
    throw new PackageError(`The registry ${address} sends the ${member} ${found} for ${value}`);
  }
}

/** Returns the version that a registry has for the wanted one: itself, what its tag stands for, or the newest that fits. */
function findVersion(list: JsonObject, wanted: string): string | undefined {
  const versions = Object.keys(memberOf(list, 'versions') ?? {}).filter(isPackageVersion);
  if (versions.includes(wanted)) return wanted;
  // A tag is a word: a number is never what a registry makes of it.
  const tagged = /^[a-z]/i.test(wanted) ? memberOf(list, 'dist-tags')?.[wanted] : undefined;
  return versions
    .filter((each) => (typeof tagged === 'string' ? each === tagged : fitsVersion(each, wanted)))
    .sort(byVersion)
    .at(-1);
}

function memberOf(object: JsonObject | undefined, name: string): JsonObject | undefined {
  const member = object?.[name];
  return isObject(member) ? member : undefined;
}

/**
 * True for the file with the hash that the registry names: a SHA-512 of `integrity`, else `shasum`; for any file, where it
 * names none. Source: https://www.w3.org/TR/SRI, 3.5
 */
function hasHash(bytes: Uint8Array, { integrity, shasum }: JsonObject): boolean {
  const hashOf = (algorithm: string, encoding: 'hex' | 'base64'): string =>
    createHash(algorithm).update(bytes).digest(encoding);
  const strong =
    typeof integrity === 'string'
      ? integrity.split(/\s+/).flatMap((each) => /^sha512-([^?]*)/.exec(each)?.[1] ?? [])
      : [];
  if (strong.length > 0) return strong.includes(hashOf('sha512', 'base64'));
  if (typeof shasum === 'string') return hashOf('sha1', 'hex') === shasum.toLowerCase();
  // A hash that cannot be read is not the hash of the file.
  return (integrity ?? shasum) === undefined;
}

function byVersion(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

async function get(
  { outbound, signal: stopped, admit }: Registry,
  url: string,
  maxBytes: number,
  { name, version }: PackageName,
): Promise<Uint8Array> {
  if ((await admit?.()) === false)
    throw new PackageError(
      `${name} ${version} is not fetched: the tenant has fetched too much within a minute; import it again later`,
    );
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
