import type { Core } from '../core';
import type { MissingPackage } from './dependencies';
import { findMissing, importPackage, type ImportOptions, type ImportSummary } from './import-package';
import { PackageError, type PackageFile } from './package-file';
import type { PackageName } from './package-name';

/** Limit on the packages that are requested for one: itself, those that it needs, and those that they need. */
const MOST_PACKAGES = 100;

interface WithDependencies {
  readonly file: PackageFile;
  readonly options: ImportOptions;
  /** Undefined: only the package itself is imported. */
  readonly fetch?: (name: PackageName) => Promise<PackageFile>;
  /** Called after each package with all that are imported. */
  readonly imported?: (summaries: readonly ImportSummary[]) => void;
  /** Called with each needed package that cannot be imported; default a warning in the log. */
  readonly leaveOut?: (needed: MissingPackage, reason: string) => void;
}

/**
 * Imports a package after those that it needs and that the tenant does not have. Examples of the others are not
 * imported. One that cannot be fetched, is for another release, or is beyond the limit of packages, is left out. Throws as
 * `importPackage`.
 */
export async function importWithDependencies(
  core: Core,
  { file, options, fetch, imported, leaveOut = warnIn(options.log) }: WithDependencies,
): Promise<readonly ImportSummary[]> {
  const summaries: ImportSummary[] = [];
  const begun = new Set<string>();
  let requested = 1;
  const add = async (each: PackageFile, ofEach: ImportOptions): Promise<void> => {
    const { name, version } = each.manifest;
    if (begun.has(`${name}#${version}`)) return;
    begun.add(`${name}#${version}`);
    if (fetch !== undefined)
      for (const needed of await findMissing(core, each, ofEach)) {
        if (requested >= MOST_PACKAGES) {
          leaveOut(needed, `it, and what follows it, are beyond ${MOST_PACKAGES} packages`);
          break;
        }
        requested += 1;
        try {
          await add(await fetch(needed), { ...options, withExamples: false });
        } catch (error) {
          if (!(error instanceof PackageError)) throw error;
          leaveOut(needed, error.message);
        }
      }
    summaries.push(await importPackage(core, each, ofEach));
    imported?.(summaries);
  };
  await add(file, options);
  return summaries;
}

function warnIn(log: ImportOptions['log']): (needed: MissingPackage, reason: string) => void {
  return ({ name, version }, reason) => log.warn({ reason }, `${name} ${version} was not imported`);
}
