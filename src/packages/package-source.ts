import { Outbound } from '../core';
import {
  PackageError,
  readPackage,
  readPackageStream,
  type PackageFile,
  type PackageLimits,
} from './package-file';
import { parsePackageName, type PackageName } from './package-name';
import { fetchPackage } from './registry';

export interface PackageSourceOptions extends PackageLimits {
  /** Base address of the registry. */
  readonly registry: string;
  /** As for `Outbound`. */
  readonly allowedHosts: readonly string[];
  /** Limit on the bytes of a fetched file; default 256 MB. */
  readonly maxPackedBytes?: number;
  /** Ends a fetch when it is aborted. */
  readonly signal?: AbortSignal;
  /** As that of `Registry`. */
  readonly admit?: () => Promise<boolean>;
  /** `resolved` of an earlier source whose work this one continues. */
  readonly resolved?: ReadonlyMap<string, string>;
}

/** Opens packages: files, and those of the configured registry. */
export class PackageSource {
  readonly #resolved: Map<string, string>;

  constructor(private readonly options: PackageSourceOptions) {
    this.#resolved = new Map(options.resolved);
  }

  /** The version that each `NAME@latest` or `NAME@2.0.x` was; it stays the same, whatever is published meanwhile. */
  get resolved(): ReadonlyMap<string, string> {
    return this.#resolved;
  }

  /** Opens a file, or fetches `NAME@VERSION`. Throws PackageError. */
  async open(source: string): Promise<PackageFile> {
    const name = parsePackageName(source);
    return name === undefined ? readPackage(source, this.options.maxFileBytes) : this.fetch(name);
  }

  /** Fetches a package from the registry. Throws PackageError, also where the file is another package. */
  async fetch({ name, version: requested }: PackageName): Promise<PackageFile> {
    const { registry, allowedHosts, maxPackedBytes, signal, admit } = this.options;
    const asRequested = `${name}@${requested}`;
    const { bytes, version } = await fetchPackage(
      { outbound: new Outbound(allowedHosts), address: registry, maxPackedBytes, signal, admit },
      { name, version: this.#resolved.get(asRequested) ?? requested },
    );
    if (version !== requested) this.#resolved.set(asRequested, version);
    const file = await readPackageStream(`${name}@${version}`, inPieces(bytes), this.options);
    const { manifest } = file;
    if (manifest.name !== name || manifest.version !== version)
      throw new PackageError(
        `The registry ${registry} sends ${manifest.name} ${manifest.version} for ${name} ${version}`,
      );
    return version === requested ? file : { ...file, requested };
  }
}

const PIECE_BYTES = 1024 * 1024;

/** Pieces of a file, so that no step of unpacking it takes long. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.min(PIECE_BYTES, bytes.length - start));
}
