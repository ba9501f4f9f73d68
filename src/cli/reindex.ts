import {
  isRelease,
  RELEASE_NAMES,
  type Core,
  type IndexDifference,
  type ReindexProgress,
  type ReindexScope,
} from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { withApp } from './with-app';

/** Further differences are only counted. */
const MAX_PRINTED = 1_000;
/** Between two updates of the progress line. */
const REDRAW_MS = 100;

function ownerOf({ tenant, release }: { readonly tenant: string; readonly release: string }): string {
  return `${tenant === '' ? 'base resources' : tenant} ${release}`;
}

function print(difference: IndexDifference): void {
  const { type, id, table, missing, superfluous } = difference;
  const lines = [
    ...missing.map((row) => `  missing      ${row}`),
    ...superfluous.map((row) => `  superfluous  ${row}`),
  ];
  process.stdout.write(`${ownerOf(difference)} ${type}/${id} ${table}\n${lines.join('\n')}\n`);
}

function toScope({ words, options }: Arguments): ReindexScope {
  if (words.length > 0) throw new UsageError(`andiron reindex ${reindex.usage}`);
  const { tenant, release } = options;
  if (typeof release === 'string' && !isRelease(release))
    throw new UsageError(`--release must be ${RELEASE_NAMES.join(' or ')}`);
  return {
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(typeof release === 'string' ? { release } : {}),
  };
}

async function checkTenant({ tenants }: Core, { tenant }: ReindexScope): Promise<void> {
  if (tenant === undefined) return;
  const all = await tenants.list();
  if (!all.some(({ name }) => name === tenant)) throw new UsageError(`There is no tenant '${tenant}'`);
}

async function verify(core: Core, scope: ReindexScope): Promise<void> {
  let differences = 0;
  for await (const difference of core.verifyIndex(scope)) {
    differences += 1;
    if (differences <= MAX_PRINTED) print(difference);
  }
  if (differences > 0)
    throw new Error(`${differences} differences between the index and the stored versions`);
  process.stdout.write('The index matches the stored versions\n');
}

/** A progress line that redraws itself on a terminal; elsewhere nothing. */
function createStatusLine(output: NodeJS.WriteStream): { show(text: string): void; clear(): void } {
  let drawnAt = -Infinity;
  return {
    show(text) {
      const now = performance.now();
      if (!output.isTTY || now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      output.write(`\r${text}\u001b[K`);
    },
    clear() {
      if (output.isTTY) output.write('\r\u001b[K');
    },
  };
}

interface Totals {
  compared: number;
  repaired: number;
  added: number;
  removed: number;
}

function addTo(totals: Totals, progress: Totals | undefined): void {
  if (progress === undefined) return;
  totals.compared += progress.compared;
  totals.repaired += progress.repaired;
  totals.added += progress.added;
  totals.removed += progress.removed;
}

async function rebuild(core: Core, scope: ReindexScope): Promise<void> {
  const { now } = await core.outdatedIndex();
  for (const release of RELEASE_NAMES) {
    if (scope.release === undefined || scope.release === release)
      process.stdout.write(`Indexing ${release} with ${now[release]}\n`);
  }
  const status = createStatusLine(process.stdout);
  const totals: Totals = { compared: 0, repaired: 0, added: 0, removed: 0 };
  let last: ReindexProgress | undefined;
  let losses = 0;
  for await (const progress of core.reindex(scope)) {
    if (last?.space !== progress.space) addTo(totals, last);
    last = progress;
    for (const loss of progress.losses) {
      if (losses === 0) status.clear();
      losses += 1;
      if (losses <= MAX_PRINTED) print(loss);
    }
    const { compared, resources, repaired } = progress;
    status.show(`${ownerOf(progress)}: ${compared} of ${resources} resources compared, ${repaired} repaired`);
  }
  addTo(totals, last);
  status.clear();
  const { compared, repaired, added, removed } = totals;
  process.stdout.write(
    `${compared} resources compared, ${repaired} repaired: ${added} rows added, ${removed} removed\n`,
  );
  if (losses > 0)
    throw new Error(
      `${losses} versions or heads are missing: a reindex cannot repair this; restore a backup`,
    );
}

export const reindex: Command = {
  name: 'reindex',
  usage: '[--verify] [--tenant NAME] [--release r4|r4b]',
  summary: 'Repair the search index from the stored versions while the server runs, or only compare.',
  options: {
    verify: { type: 'boolean', help: 'change nothing and print each difference; code 1 if there is one' },
    tenant: {
      type: 'string',
      help: 'only the data of this tenant; default all tenants and the base resources',
    },
    release: { type: 'string', help: 'only the data of this release' },
  },
  async run(given) {
    const scope = toScope(given);
    await withApp(async ({ core }) => {
      await checkTenant(core, scope);
      await (given.options['verify'] === true ? verify(core, scope) : rebuild(core, scope));
    });
  },
};
