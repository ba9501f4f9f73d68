import { Outbound } from '../core';
import { readPackage, readPackageStream, type PackageFile, type PackageLimits } from './package-file';
import { fetchPackage, parsePackageName, type PackageName } from './registry';

export interface PackageSourceOptions extends PackageLimits {
  /** Base address of the registry. */
  readonly registry: string;
  /** As for `Outbound`. */
  readonly allowedHosts: readonly string[];
  /** Limit on the bytes of a fetched file; default 256 MB. */
  readonly maxPackedBytes?: number;
  /** Ends a fetch when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Opens packages: files, and those of the configured registry. */
export class PackageSource {
  constructor(private readonly options: PackageSourceOptions) {}

  /** Opens a file, or fetches `NAME@VERSION`. Throws PackageError. */
  async open(source: string): Promise<PackageFile> {
    const name = parsePackageName(source);
    return name === undefined ? readPackage(source, this.options.maxFileBytes) : this.fetch(name);
  }

  /** Fetches a package from the registry. Throws PackageError. */
  async fetch(name: PackageName): Promise<PackageFile> {
    const { registry, allowedHosts, maxPackedBytes, signal } = this.options;
    const bytes = await fetchPackage(
      { outbound: new Outbound(allowedHosts), address: registry, maxPackedBytes, signal },
      name,
    );
    return readPackageStream(`${name.name}@${name.version}`, inPieces(bytes), this.options);
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Pieces of a file, so that no step of unpacking it takes long. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(PIECE_BYTES, bytes.length - start));
}
