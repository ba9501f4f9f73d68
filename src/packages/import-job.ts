/** Executes jobs that import a package into a tenant, from the registry or as it was sent. */
import {
  AdministrationJobError,
  isRelease,
  type AdministrationJobExecutor,
  type AdministrationJobRun,
  type ByteBudget,
  type Core,
  type HeldBytes,
  type Log,
} from '../core';
import { importWithDependencies } from './import-dependencies';
import type { ImportProgress, ImportSummary } from './import-package';
import { describeImportsBriefly } from './import-report';
import { PackageError, readPackageStream, type PackageFile } from './package-file';
import { PackageSource } from './package-source';
import { parsePackageName } from './registry';

export interface ImportJobOptions {
  readonly core: Core;
  /** Base address of the registry. */
  readonly registry: string;
  /** As for `Outbound`. */
  readonly allowedHosts: readonly string[];
  readonly extensionBase: string;
  readonly maxDepth: number;
  /** Limit on the bytes of a file in a package. */
  readonly maxFileBytes: number;
  /** Limit on the bytes of a package from the registry. */
  readonly maxPackedBytes: number;
  /** Texts of packages count as bodies of requests do. */
  readonly budget: ByteBudget;
  readonly log: Log;
}

/** Fewer than a command has, so that requests wait less for the connections of writes. */
const IN_FLIGHT = 8;
/** A package may fill this part of the memory for bodies. */
const PART_OF_MEMORY = 2;

/**
 * Returns the executor. A request has `package` (`NAME@VERSION`), or the bytes of the file as content, and perhaps
 * `release`, `examples` and `dependencies`.
 */
export function createImportJob(options: ImportJobOptions): AdministrationJobExecutor {
  return async (run) => {
    const held = options.budget.open();
    try {
      return await importOnce(options, run, held);
    } catch (error) {
      throw error instanceof PackageError ? new AdministrationJobError(error.message) : error;
    } finally {
      held.release();
    }
  };
}

async function importOnce(
  { core, registry, allowedHosts, maxFileBytes, maxPackedBytes, budget, ...options }: ImportJobOptions,
  { tenant, request, content, signal, report }: AdministrationJobRun,
  held: HeldBytes,
): Promise<object> {
  const limits = {
    maxFileBytes,
    maxResourceBytes: Math.floor(budget.largestBody / PART_OF_MEMORY),
    count: (bytes: number): void => held.addBody(bytes),
  };
  const packages = new PackageSource({ registry, allowedHosts, maxPackedBytes, signal, ...limits });
  const open = (): Promise<PackageFile> => {
    if (content !== undefined) return readPackageStream('The package', content, limits);
    const { package: named } = request;
    const name = typeof named === 'string' ? parsePackageName(named) : undefined;
    if (name === undefined) throw new PackageError('The request names no package');
    return packages.fetch(name);
  };
  const { release } = request;
  const leftOut: { readonly package: string; readonly reason: string }[] = [];
  let finished: readonly ImportSummary[] = [];
  const summaries = await importWithDependencies(core, {
    file: await open(),
    ...(request['dependencies'] === true ? { fetch: (name) => packages.fetch(name) } : {}),
    imported: (some) => void (finished = some),
    leaveOut: ({ name, version }, reason) => void leftOut.push({ package: `${name}@${version}`, reason }),
    options: {
      ...{ tenant, signal, inFlight: IN_FLIGHT },
      ...{ extensionBase: options.extensionBase, maxDepth: options.maxDepth, log: options.log },
      ...(typeof release === 'string' && isRelease(release) ? { release } : {}),
      withExamples: request['examples'] === true,
      report: (progress: ImportProgress) => report({ ...progress, packages: finished.length }),
    },
  });
  return { packages: describeImportsBriefly(summaries, tenant), leftOut };
}
