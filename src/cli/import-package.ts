import { loadSettings } from '../config';
import { isRelease } from '../core';
import type { ImportSummary } from '../packages/import-package';
import { type Command, UsageError } from './command';
import { makeLog } from './log';
import { withApp } from './with-app';

const USAGE = 'FILE.tgz --tenant NAME [--release r4|r4b] [--examples]';

/** Further files are only counted. */
const MAX_PRINTED = 1_000;

function toList(title: string, files: ImportSummary['refused']): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length - MAX_PRINTED;
  return [
    title,
    ...files.slice(0, MAX_PRINTED).map(({ file, reason }) => `  ${file}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function toLines(summary: ImportSummary, tenant: string): readonly string[] {
  const { manifest, release, counts, snapshots, withoutSnapshot, examplesLeftOut, missing } = summary;
  const { refused, warned, replaced, renamed, switchedOff } = summary;
  const all = [...counts.values()];
  const sum = (name: 'stored' | 'unchanged') => all.reduce((total, count) => total + count[name], 0);
  const width = Math.max(0, ...[...counts.keys()].map((type) => type.length));
  const types = [...counts].map(
    ([type, { stored, unchanged }]) =>
      `  ${type.padEnd(width)}  ${String(stored).padStart(5)} stored  ${String(unchanged).padStart(5)} unchanged`,
  );
  return [
    `${manifest.name} ${manifest.version} in tenant ${tenant}, ${release}: ${sum('stored')} stored, ${sum('unchanged')} unchanged, ${refused.length} refused`,
    ...types,
    ...(snapshots > 0 ? [`Snapshots made from differentials: ${snapshots}`] : []),
    ...(examplesLeftOut > 0 ? [`Examples not loaded: ${examplesLeftOut} (--examples loads them)`] : []),
    ...(missing.length > 0 ? [`Required packages that the tenant does not have: ${missing.join(', ')}`] : []),
    ...toList('Stored without a snapshot, because none can be made:', withoutSnapshot),
    ...toList('Stored under another id than in the package:', renamed),
    ...toList('Replaced from an earlier import:', replaced),
    ...toList('Subscriptions stored as off:', switchedOff),
    ...toList('Stored with warnings:', warned),
    ...toList('Refused:', refused),
  ];
}

export const importPackage: Command = {
  name: 'import-package',
  usage: USAGE,
  summary: 'Load the npm package of an implementation guide into a tenant; code 1 if a resource was refused.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    release: { type: 'string', help: 'r4 or r4b; by default that of the package' },
    examples: { type: 'boolean', help: 'also load the examples of the package' },
  },
  async run({ words, options }) {
    const [path, ...more] = words;
    const { tenant, release } = options;
    const isValidRelease = release === undefined || (typeof release === 'string' && isRelease(release));
    if (path === undefined || more.length > 0 || typeof tenant !== 'string' || !isValidRelease)
      throw new UsageError(`andiron import-package ${USAGE}`);
    const settings = loadSettings(process.env);
    const { readPackage } = await import('../packages/package-file.js');
    const { importPackage: load } = await import('../packages/import-package.js');
    const file = await readPackage(path, settings.MAX_BODY_BYTES);
    let refused = 0;
    await withApp(async ({ core }) => {
      const summary = await load(core, file, {
        tenant,
        ...(release === undefined ? {} : { release }),
        withExamples: options['examples'] === true,
        extensionBase: settings.FHIR_EXTENSION_BASE,
        maxDepth: settings.MAX_DEPTH,
        log: makeLog({ LOG_LEVEL: 'warn' }, 2),
      });
      refused = summary.refused.length;
      process.stdout.write(`${toLines(summary, tenant).join('\n')}\n`);
    });
    if (refused > 0) throw new Error(`${refused} resources were refused`);
  },
};
