import { loadSettings } from '../../config';
import { isRelease, RELEASE_NAMES } from '../../core';
import type { MissingPackage } from '../../packages/dependencies';
import type { ImportSummary } from '../../packages/import-package';
import { describeImport } from '../../packages/import-report';
import { sumOf } from '../../packages/type-counts';
import type { Command } from '../command';
import { makeLog } from '../log';
import { JSON_OPTION, print } from '../output';
import { textOf, wrongValue } from '../option-values';
import { TENANT_OPTION, withTenant } from '../with-tenant';

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
  const { manifest, requested, release, counts, snapshots, withoutSnapshot, examplesLeftOut, missing } =
    summary;
  const { refused, warned, replaced, renamed, switchedOff } = summary;
  const width = Math.max(0, ...[...counts.keys()].map((type) => type.length));
  const types = [...counts].map(
    ([type, { stored, unchanged }]) =>
      `  ${type.padEnd(width)}  ${String(stored).padStart(5)} stored  ${String(unchanged).padStart(5)} unchanged`,
  );
  return [
    `${manifest.name} ${manifest.version} in tenant ${tenant}, ${release}: ${sumOf(counts, 'stored')} stored, ${sumOf(counts, 'unchanged')} unchanged, ${refused.length} refused`,
    ...types,
    ...(requested === undefined ? [] : [`Requested as ${requested}, which is ${manifest.version} now`]),
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
  usage: 'FILE.tgz|NAME@VERSION',
  summary:
    'Load the npm package of an implementation guide, a file or one of PACKAGE_REGISTRY, into a tenant; code 1 if a resource was refused.',
  options: {
    ...TENANT_OPTION,
    release: { type: 'string', value: 'r4|r4b', help: 'by default that of the package' },
    examples: { type: 'boolean', help: 'also load the examples of the package' },
    dependencies: { type: 'boolean', help: 'first load the packages that it needs, from PACKAGE_REGISTRY' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron import-package hl7.fhir.uv.ips@2.0.0 --tenant acme',
      does: 'Load a package of the registry.',
    },
    {
      line: 'andiron import-package guide.tgz --tenant acme --release r4 --examples',
      does: 'Load a file, with the examples of the guide.',
    },
    {
      line: 'andiron import-package hl7.fhir.uv.ips@2.0.0 --tenant acme --dependencies',
      does: 'Load the packages that it needs, too.',
    },
  ],
  async run(given) {
    const { options } = given;
    const [source = ''] = given.words;
    const release = textOf(options['release']);
    if (release !== undefined && !isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
    const settings = loadSettings(process.env);
    const { PackageSource } = await import('../../packages/package-source.js');
    const { importWithDependencies } = await import('../../packages/import-dependencies.js');
    const packages = new PackageSource({
      registry: settings.packages.registry,
      allowedHosts: settings.core.outboundAllowedHosts,
      maxFileBytes: settings.limits.maxBodyBytes,
    });
    const file = await packages.open(source);
    let refused = 0;
    await withTenant(given, async (core, tenant) => {
      const summaries = await importWithDependencies(core, {
        file,
        ...(options['dependencies'] === true ? { fetch: (name) => packages.fetch(name) } : {}),
        options: {
          tenant,
          ...(release === undefined ? {} : { release }),
          withExamples: options['examples'] === true,
          extensionBase: settings.core.extensionBase,
          maxDepth: settings.limits.maxDepth,
          log: makeLog({ log: { level: 'warn' } }, 2),
        },
      });
      refused = summaries.reduce((total, summary) => total + summary.refused.length, 0);
      print(
        given,
        { packages: summaries.map((summary) => describeImport(summary, tenant)) },
        summaries.flatMap((summary) => toLines(summary, tenant)),
      );
    });
    if (refused > 0) throw new Error(`${refused} resources were refused`);
  },
};
