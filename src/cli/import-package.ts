import { loadSettings } from '../config';
import { isRelease } from '../core';
import type { MissingPackage } from '../packages/dependencies';
import type { ImportSummary } from '../packages/import-package';
import { type Command, UsageError } from './command';
import { makeLog } from './log';
import { withApp } from './with-app';

const USAGE = 'FILE.tgz|NAME@VERSION --tenant NAME [--release r4|r4b] [--examples] [--dependencies]';

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

function toText({ name, version, present }: MissingPackage): string {
  return `${name} ${version}${present.length === 0 ? '' : `, but ${present.join(' and ')}`}`;
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
    ...(missing.length > 0
      ? [
          `Required packages that were not imported: ${missing.map(toText).join(', ')} (--dependencies imports them)`,
        ]
      : []),
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
  summary:
    'Load the npm package of an implementation guide, a file or one of PACKAGE_REGISTRY, into a tenant; code 1 if a resource was refused.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    release: { type: 'string', help: 'r4 or r4b; by default that of the package' },
    examples: { type: 'boolean', help: 'also load the examples of the package' },
    dependencies: { type: 'boolean', help: 'first load the packages that it needs, from PACKAGE_REGISTRY' },
  },
  async run({ words, options }) {
    const [source, ...more] = words;
    const { tenant, release } = options;
    const isKnown = release === undefined || (typeof release === 'string' && isRelease(release));
    if (source === undefined || more.length > 0 || typeof tenant !== 'string' || !isKnown)
      throw new UsageError(`andiron import-package ${USAGE}`);
    const settings = loadSettings(process.env);
    const { PackageSource } = await import('../packages/package-source.js');
    const { importWithDependencies } = await import('../packages/import-dependencies.js');
    const packages = new PackageSource({
      registry: settings.PACKAGE_REGISTRY,
      allowedHosts: settings.OUTBOUND_ALLOWED_HOSTS,
      maxFileBytes: settings.MAX_BODY_BYTES,
    });
    const file = await packages.open(source);
    let refused = 0;
    await withApp(async ({ core }) => {
      const summaries = await importWithDependencies(core, {
        file,
        ...(options['dependencies'] === true ? { fetch: (name) => packages.fetch(name) } : {}),
        options: {
          tenant,
          ...(release === undefined ? {} : { release }),
          withExamples: options['examples'] === true,
          extensionBase: settings.FHIR_EXTENSION_BASE,
          maxDepth: settings.MAX_DEPTH,
          log: makeLog({ LOG_LEVEL: 'warn' }, 2),
        },
      });
      for (const summary of summaries) {
        refused += summary.refused.length;
        process.stdout.write(`${toLines(summary, tenant).join('\n')}\n`);
      }
    });
    if (refused > 0) throw new Error(`${refused} resources were refused`);
  },
};
