import type { Core } from '../core';
import { findMissing, importPackage, type ImportOptions, type ImportSummary } from './import-package';
import { PackageError, type PackageFile } from './package-file';
import type { PackageName } from './registry';

/** Limit on the packages that one package needs, with those that they need. */
const MOST_PACKAGES = 100;

interface WithDependencies {
  readonly file: PackageFile;
  readonly options: ImportOptions;
  /** Undefined: only the package itself is imported. */
  readonly fetch?: (name: PackageName) => Promise<PackageFile>;
}

/**
 * Imports a package after those that it needs and that the tenant does not have. Examples of the others are not
 * imported. One that cannot be fetched, or is for another release, is left out with a warning in the log. Throws as
 * `importPackage`.
 */
export async function importWithDependencies(
  core: Core,
  { file, options, fetch }: WithDependencies,
): Promise<readonly ImportSummary[]> {
  const summaries: ImportSummary[] = [];
  const begun = new Set<string>();
  const add = async (each: PackageFile, ofEach: ImportOptions): Promise<void> => {
    const { name, version } = each.manifest;
    if (begun.has(`${name}#${version}`)) return;
    begun.add(`${name}#${version}`);
    if (begun.size > MOST_PACKAGES)
      throw new PackageError(`${name} is one of more than ${MOST_PACKAGES} packages`);
    if (fetch !== undefined)
      for (const needed of await findMissing(core, each, ofEach)) {
        try {
          await add(await fetch(needed), { ...options, withExamples: false });
        } catch (error) {
          if (!(error instanceof PackageError)) throw error;
          options.log.warn({ reason: error.message }, `${needed.name} ${needed.version} was not imported`);
        }
      }
    summaries.push(await importPackage(core, each, ofEach));
  };
  await add(file, options);
  return summaries;
}
