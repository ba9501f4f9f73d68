import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Outbound } from '../core';
import { readPackage, type PackageFile } from './package-file';
import { fetchPackage, parsePackageName, type PackageName } from './registry';

export interface PackageSourceOptions {
  /** Base address of the registry. */
  readonly registry: string;
  /** As for `Outbound`. */
  readonly allowedHosts: readonly string[];
  /** As for `readPackage`. */
  readonly maxFileBytes: number;
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
    const { registry, allowedHosts, maxFileBytes } = this.options;
    const bytes = await fetchPackage(new Outbound(allowedHosts), registry, name);
    const folder = await mkdtemp(path.join(tmpdir(), 'andiron-package-'));
    try {
      const file = path.join(folder, 'package.tgz');
      await writeFile(file, bytes);
      return await readPackage(file, maxFileBytes);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
