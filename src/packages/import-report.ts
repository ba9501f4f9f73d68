/** Describes imports of packages as JSON for programs. */
import type { Refusal } from './package-resource';
import type { ImportSummary } from './import-package';
import { sumOf } from './type-counts';

/** The files that an import names, by what became of them. */
const LISTS = ['withoutSnapshot', 'renamed', 'replaced', 'switchedOff', 'warned', 'refused'] as const;
const MOST_LISTED = 500;
const LONGEST_REASON = 300;

/** The result of one package; lists have every file. */
export function describeImport(
  { manifest, requested, counts, ...summary }: ImportSummary,
  tenant: string,
): object {
  const { release, snapshots, examplesLeftOut, missing } = summary;
  const { refused, warned, replaced, renamed, switchedOff, withoutSnapshot } = summary;
  return {
    ...{ name: manifest.name, version: manifest.version },
    ...(requested === undefined ? {} : { requested }),
    ...{ tenant, release },
    ...{ stored: sumOf(counts, 'stored'), unchanged: sumOf(counts, 'unchanged') },
    types: [...counts].map(([type, { stored, unchanged }]) => ({ type, stored, unchanged })),
    ...{ snapshots, examplesLeftOut, missing },
    ...{ withoutSnapshot, renamed, replaced, switchedOff, warned, refused },
  };
}

/**
 * Describes packages in at most some hundred kilobytes: 500 files in all, with short reasons. `notListed` is the number of
 * further files of a package.
 */
export function describeImportsBriefly(summaries: readonly ImportSummary[], tenant: string): object[] {
  let left = MOST_LISTED;
  return summaries.map((summary) => {
    let notListed = 0;
    const shorten = (files: readonly Refusal[]): readonly Refusal[] => {
      const listed = files.slice(0, left);
      left -= listed.length;
      notListed += files.length - listed.length;
      return listed.map(({ file, reason }) => ({ file, reason: toShort(reason) }));
    };
    // Refusals first, because they matter most.
    const lists = Object.fromEntries([...LISTS].reverse().map((name) => [name, shorten(summary[name])]));
    return { ...describeImport(summary, tenant), ...lists, notListed };
  });
}

function toShort(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
}
