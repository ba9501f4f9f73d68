/**
 * Reads the package file of an implementation guide: gzip, tar, `package/package.json`, and resources in `package/` and
 * `package/example/`.
 * Source: https://hl7.org/fhir/packages.html, https://confluence.hl7.org (NPM Package Specification)
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FhirError, isShownName, parseJson, type JsonValue } from '../core';
import { isObject, listOf } from './members';
import { isDependencyName, isPackageName, isPackageVersion } from './package-name';
import { readTar, TarError } from './tar';

/** The members of `package.json` that the import uses. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  /** FHIR versions such as `4.0.1`; empty where the manifest has none. */
  readonly fhirVersions: readonly string[];
  /** Version by name of each package that this one depends on. */
  readonly dependencies: ReadonlyMap<string, string>;
}

/** A file of the package that may be a resource. */
export interface PackageEntry {
  /** Path below `package/`: `ValueSet-x.json`, `example/Patient-y.json`. */
  readonly name: string;
  readonly isExample: boolean;
  /** Undefined where the file exceeds the limit for a resource. */
  readonly text: string | undefined;
}

export interface PackageFile {
  readonly manifest: PackageManifest;
  readonly entries: readonly PackageEntry[];
  /** The version in the request to the registry, if it was a pattern: `latest`, `2.0.x`. Undefined: the version itself. */
  readonly requested?: string | undefined;
}

/** The file is not a package; the message is one line. */
export class PackageError extends Error {}

export const MAX_PACKED_BYTES = 256 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
const MAX_ENTRIES = 50_000;
/** Limit on the total size of the files that are read into memory. */
const MAX_RESOURCE_BYTES = 512 * 1024 * 1024;

export interface PackageLimits {
  /** Larger files are listed without their text. */
  readonly maxFileBytes: number;
  /** Limit on the total size of the texts; default, and at most, 512 MB. */
  readonly maxResourceBytes?: number | undefined;
  /** Called with the size of each text before it is read; its errors end the reading. */
  readonly count?: ((bytes: number) => void) | undefined;
}
const FOLDER = 'package/';
/** A version, a range of npm, or an address. */
const PRINTABLE = /^[ -~]{1,214}$/;
const MANIFEST = 'package.json';

/** Reads a package file. Throws as `readPackageStream`, and PackageError for more than 256 MB. */
export async function readPackage(path: string, maxFileBytes: number): Promise<PackageFile> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw toPackageError(path, error);
  });
  if (size > MAX_PACKED_BYTES) throw new PackageError(`${path} is larger than ${MAX_PACKED_BYTES} bytes`);
  return readPackageStream(path, createReadStream(path), { maxFileBytes });
}

/**
 * Reads a package from its bytes.
 * Throws PackageError for bytes that are not a package, or for more than any guide has: 1 GB unpacked, 50,000 files, or
 * the limits.
 *
 * @param path names the package in errors
 */
export async function readPackageStream(
  path: string,
  source: AsyncIterable<Buffer>,
  { maxFileBytes, maxResourceBytes = MAX_RESOURCE_BYTES, count }: PackageLimits,
): Promise<PackageFile> {
  const most = Math.min(maxResourceBytes, MAX_RESOURCE_BYTES);
  const files = new Map<string, string | undefined>();
  let total = 0;
  const isWanted = (name: string, bytes: number): boolean => {
    if (nameInPackage(name) === undefined || bytes > maxFileBytes) return false;
    total += bytes;
    if (total > most) throw new TarError(`its resources have more than ${most} bytes`);
    count?.(bytes);
    return true;
  };
  try {
    const limits = { maxEntries: MAX_ENTRIES, maxBytes: MAX_UNPACKED_BYTES };
    for await (const { name: written, content } of readTar(unpack(source), limits, isWanted)) {
      const name = nameInPackage(written);
      if (name === undefined) continue;
      // Administrators read the names of files that were refused or renamed.
      if (!isShownName(name)) throw new TarError('a file in it has a name with control characters');
      files.set(name, content?.toString('utf8'));
    }
  } catch (error) {
    throw toPackageError(path, error);
  }
  const manifestText = files.get(MANIFEST);
  if (manifestText === undefined)
    throw new PackageError(`${path} is no FHIR package: it has no package/package.json`);
  const { manifest, exampleFolder } = readManifest(path, manifestText);
  const entries: PackageEntry[] = [];
  // A fixed order, independent of the archive.
  for (const [name, text] of [...files].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const folder = name.slice(0, Math.max(name.lastIndexOf('/'), 0));
    const isExample = folder === exampleFolder || /^examples?$/.test(folder);
    if (name === MANIFEST || (folder !== '' && !isExample)) continue;
    entries.push({ name, isExample, text });
  }
  return { manifest, entries };
}

/**
 * Returns the name below `package/` of a JSON file. Undefined for other files, and for names that begin with a dot
 * (`.index.json`).
 */
function nameInPackage(written: string): string | undefined {
  const name = written.startsWith('./') ? written.slice(2) : written;
  if (!name.startsWith(FOLDER) || !/\/[^./][^/]*\.json$/.test(name)) return undefined;
  return name.slice(FOLDER.length);
}

async function* unpack(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  // An error of the source destroys `stream`, so that the loop throws it.
  const stream = pipeline(Readable.from(source), createGunzip(), () => undefined);
  for await (const chunk of stream) {
    if (Buffer.isBuffer(chunk)) yield chunk;
  }
}

function toPackageError(path: string, error: unknown): unknown {
  if (error instanceof TarError) return new PackageError(`${path} cannot be read: ${error.message}`);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'ENOENT') return new PackageError(`The file ${path} does not exist`);
  return code.startsWith('Z_')
    ? new PackageError(`${path} cannot be read: it is not a gzip file, or is damaged`)
    : error;
}

/** Quotes a text of a stranger for an error, which is one line. */
function inShort(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function readManifest(
  path: string,
  text: string,
): { readonly manifest: PackageManifest; readonly exampleFolder: string | undefined } {
  const fault = (what: string): PackageError => new PackageError(`${path}: package.json ${what}`);
  let parsed: JsonValue;
  try {
    parsed = parseJson(text).value;
  } catch (error) {
    throw error instanceof FhirError ? fault(`is wrong: ${error.message}`) : error;
  }
  if (!isObject(parsed)) throw fault('is not an object');
  const { name, version, dependencies, directories } = parsed;
  if (typeof name !== 'string' || typeof version !== 'string') throw fault('has no name or no version');
  if (!isPackageName(name)) throw fault(`has the name ${inShort(name)}, which is not the name of a package`);
  if (!isPackageVersion(version))
    throw fault(`has the version ${inShort(version)}, which is not a version of a package`);
  const versions = parsed['fhirVersions'] ?? parsed['fhir-version-list'];
  const named = isObject(dependencies) ? Object.entries(dependencies) : [];
  // They become addresses of the registry and lines of a terminal.
  for (const [needed, ofNeeded] of named) {
    if (!isDependencyName(needed))
      throw fault(`has the dependency ${inShort(needed)}, which is not the name of a package`);
    if (typeof ofNeeded === 'string' && !PRINTABLE.test(ofNeeded))
      throw fault(`has the dependency ${needed} with the version ${inShort(ofNeeded)}, which is not allowed`);
  }
  return {
    manifest: {
      name,
      version,
      fhirVersions: listOf(versions).filter((each) => typeof each === 'string'),
      dependencies: new Map(
        named.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
      ),
    },
    exampleFolder:
      isObject(directories) && typeof directories['example'] === 'string'
        ? directories['example']
        : undefined,
  };
}
