/** Executes jobs that import a package into a tenant, from the registry or as it was sent. */
import {
  AdministrationJobError,
  isRelease,
  type AdministrationJobExecutor,
  type AdministrationJobRun,
  type ByteBudget,
  type Core,
  type HeldBytes,
  type JsonObject,
  type Log,
} from '../core';
import { importWithDependencies } from './import-dependencies';
import type { ImportProgress, ImportSummary } from './import-package';
import { describeImportsBriefly } from './import-report';
import { isObject, listOf } from './members';
import { PackageError, readPackageStream, type PackageFile } from './package-file';
import { parsePackageName, type PackageName } from './package-name';
import { PackageSource } from './package-source';

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
  { tenant, request, by, earlier, content, signal, report, admitFetch }: AdministrationJobRun,
  held: HeldBytes,
): Promise<object> {
  const limits = {
    maxFileBytes,
    maxResourceBytes: Math.floor(budget.largestBody / PART_OF_MEMORY),
    count: (bytes: number): void => held.addBody(bytes),
  };
  const resolved = readResolved(earlier);
  const packages = new PackageSource({
    registry,
    allowedHosts,
    maxPackedBytes,
    signal,
    resolved,
    admit: admitFetch,
    ...limits,
  });
  let finished: readonly ImportSummary[] = [];
  const reportNow = (progress: ImportProgress): void =>
    report({ ...progress, packages: finished.length, resolved: describeResolved(packages.resolved) });
  const fetch = async (name: PackageName): Promise<PackageFile> => {
    const file = await packages.fetch(name);
    // Before anything is stored, so that a repeated run chooses the same versions.
    const counts = { resources: 0, stored: 0, unchanged: 0, refused: 0 };
    reportNow({ package: `${file.manifest.name}@${file.manifest.version}`, ...counts });
    return file;
  };
  const open = (): Promise<PackageFile> => {
    if (content !== undefined) return readPackageStream('The package', content, limits);
    const { package: named } = request;
    const name = typeof named === 'string' ? parsePackageName(named) : undefined;
    if (name === undefined) throw new PackageError('The request names no package');
    return fetch(name);
  };
  const { release } = request;
  const leftOut: { readonly package: string; readonly reason: string }[] = [];
  const summaries = await importWithDependencies(core, {
    file: await open(),
    ...(request['dependencies'] === true ? { fetch } : {}),
    imported: (some) => void (finished = some),
    leaveOut: ({ name, version }, reason) => void leftOut.push({ package: `${name}@${version}`, reason }),
    options: {
      ...{ tenant, signal, by, inFlight: IN_FLIGHT },
      ...{ extensionBase: options.extensionBase, maxDepth: options.maxDepth, log: options.log },
      ...(typeof release === 'string' && isRelease(release) ? { release } : {}),
      withExamples: request['examples'] === true,
      report: reportNow,
    },
  });
  return { packages: describeImportsBriefly(summaries, tenant), leftOut };
}

/** Returns `PackageSource.resolved` as a report has it. */
function describeResolved(resolved: ReadonlyMap<string, string>): JsonObject[] {
  return [...resolved].map(([asRequested, version]) => ({ package: asRequested, version }));
}

/** Returns what `describeResolved` made; empty for other reports. */
function readResolved(report: JsonObject | undefined): ReadonlyMap<string, string> {
  const resolved = new Map<string, string>();
  for (const each of listOf(report?.['resolved'])) {
    if (!isObject(each)) continue;
    const { package: asRequested, version } = each;
    if (typeof asRequested === 'string' && typeof version === 'string') resolved.set(asRequested, version);
  }
  return resolved;
}
