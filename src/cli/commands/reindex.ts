import {
  describeDifference,
  isRelease,
  ReindexReport,
  RELEASE_NAMES,
  type Core,
  type IndexDifference,
  type ReindexScope,
} from '../../core';
import type { Arguments, Command } from '../command';
import { JSON_OPTION, print } from '../output';
import { textOf, wrongValue } from '../option-values';
import { createStatusLine } from '../status-line';
import { withApp } from '../with-app';
import { noTenant } from '../with-tenant';

/** Further differences are only counted. */
const MAX_PRINTED = 1_000;

function ownerOf({ tenant, release }: { readonly tenant: string; readonly release: string }): string {
  return `${tenant === '' ? 'base resources' : tenant} ${release}`;
}

function toLines(difference: IndexDifference): readonly string[] {
  const { type, id, table, missing, superfluous } = difference;
  return [
    `${ownerOf(difference)} ${type}/${id} ${table}`,
    ...missing.map((row) => `  missing      ${row}`),
    ...superfluous.map((row) => `  superfluous  ${row}`),
  ];
}

/** Prints differences as they are found, or collects the first ones for a JSON document. */
class FoundDifferences {
  count = 0;
  readonly first: object[] = [];

  constructor(private readonly isJson: boolean) {}

  add(difference: IndexDifference): void {
    this.count += 1;
    if (this.count > MAX_PRINTED) return;
    if (this.isJson) this.first.push(describeDifference(difference));
    else process.stdout.write(`${toLines(difference).join('\n')}\n`);
  }
}

function toScope({ options }: Arguments): ReindexScope {
  const [tenant, release] = [textOf(options['tenant']), textOf(options['release'])];
  if (release !== undefined && !isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
  return { ...(tenant === undefined ? {} : { tenant }), ...(release === undefined ? {} : { release }) };
}

async function checkTenant({ tenants }: Core, { tenant }: ReindexScope): Promise<void> {
  if (tenant === undefined) return;
  const all = await tenants.list();
  if (!all.some(({ name }) => name === tenant)) throw await noTenant(tenants, tenant);
}

async function verify(core: Core, scope: ReindexScope, given: Arguments): Promise<void> {
  const found = new FoundDifferences(given.options['json'] === true);
  for await (const difference of core.jobs.verifyIndex(scope)) found.add(difference);
  const { count, first } = found;
  print(given, { count, differences: first }, count === 0 ? ['The index matches the stored versions'] : []);
  if (count > 0) throw new Error(`${count} differences between the index and the stored versions`);
}

async function rebuild(core: Core, scope: ReindexScope, given: Arguments): Promise<void> {
  const isJson = given.options['json'] === true;
  const { now } = await core.health.outdatedIndex();
  const releases = RELEASE_NAMES.filter(
    (release) => scope.release === undefined || scope.release === release,
  );
  if (!isJson)
    for (const release of releases) process.stdout.write(`Indexing ${release} with ${now[release]}\n`);
  const status = createStatusLine(process.stdout, !isJson);
  const report = new ReindexReport();
  const lost = new FoundDifferences(isJson);
  for await (const progress of core.jobs.reindex(scope)) {
    report.add(progress);
    if (progress.losses.length > 0) status.clear();
    for (const loss of progress.losses) lost.add(loss);
    const { compared, resources, repaired } = progress;
    status.show(`${ownerOf(progress)}: ${compared} of ${resources} resources compared, ${repaired} repaired`);
  }
  status.clear();
  const { compared, repaired, added, removed } = report.totals;
  print(given, { compared, repaired, added, removed, count: lost.count, losses: lost.first }, [
    `${compared} resources compared, ${repaired} repaired: ${added} rows added, ${removed} removed`,
  ]);
  if (lost.count > 0)
    throw new Error(
      `${lost.count} versions or heads are missing: a reindex cannot repair this; restore a backup`,
    );
}

export const reindex: Command = {
  name: 'reindex',
  usage: '',
  summary: 'Repair the search index from the stored versions while the server runs, or only compare.',
  options: {
    verify: { type: 'boolean', help: 'change nothing and print each difference; code 1 if there is one' },
    tenant: {
      ...{ type: 'string', value: 'NAME' },
      help: 'only the data of this tenant; default all tenants and the base resources',
    },
    release: { type: 'string', value: 'r4|r4b', help: 'only the data of this release' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron reindex --verify',
      does: 'Compare the index with the stored versions, for example after a restore.',
    },
    { line: 'andiron reindex', does: 'Repair it, after a change of PUBLIC_URL or of the definitions.' },
    { line: 'andiron reindex --tenant acme --release r4', does: 'Repair that of one tenant and release.' },
  ],
  async run(given) {
    const scope = toScope(given);
    await withApp(async ({ core }) => {
      await checkTenant(core, scope);
      await (given.options['verify'] === true ? verify : rebuild)(core, scope, given);
    });
  },
};
