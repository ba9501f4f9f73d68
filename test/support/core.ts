/** Core without an edge: for tests of its storage, and for reads of a database that servers use. */
import { createApp } from '../../src/app';
import type { Core, IndexDifference, ReindexScope, Release, RequestContext } from '../../src/core';
import { createTestDatabase, type TestDatabase } from './database';
import { closedAtEnd } from './left-open';
import { silentLog } from './log';
import { patientDeadline } from './patience';
import { makeSettings } from './server';

export interface OpenedCore {
  readonly core: Core;
  readonly database: TestDatabase;
  /** A request of that tenant, with a deadline that no slow machine reaches. */
  context(tenant: string, release: Release): Promise<RequestContext>;
  /** Every difference that `verifyIndex` finds, in one tenant or everywhere. */
  differences(tenant?: string): Promise<readonly IndexDifference[]>;
  /** Runs a whole reindex. */
  reindex(scope?: ReindexScope): Promise<Reindexed>;
  close(): Promise<void>;
}

export interface Reindexed {
  /** Resources. */
  readonly repaired: number;
  /** Index rows. */
  readonly added: number;
  readonly removed: number;
  readonly losses: readonly IndexDifference[];
}

async function reindexWith(core: Core, scope?: ReindexScope): Promise<Reindexed> {
  const losses: IndexDifference[] = [];
  const spaces = new Map<number, Omit<Reindexed, 'losses'>>();
  for await (const progress of core.jobs.reindex(scope)) {
    losses.push(...progress.losses);
    spaces.set(progress.space, progress);
  }
  const sumOf = (name: 'repaired' | 'added' | 'removed'): number =>
    [...spaces.values()].reduce((sum, space) => sum + space[name], 0);
  return { repaired: sumOf('repaired'), added: sumOf('added'), removed: sumOf('removed'), losses };
}

/** Opens a core on `database`, or on one of its own. */
export async function openCore(
  options: { database?: TestDatabase; environment?: Readonly<Record<string, string>> } = {},
): Promise<OpenedCore> {
  const database = options.database ?? (await createTestDatabase());
  const app = await createApp(makeSettings(database, options.environment), silentLog);
  const { core } = app;
  return {
    core,
    database,
    async context(tenant, release) {
      const space = await core.access.findSpace(tenant, release);
      if (space === undefined) throw new Error(`The tenant '${tenant}' does not exist`);
      return {
        space,
        actor: 'anonymous',
        deadline: patientDeadline(),
        requestId: 'test',
        log: silentLog,
      };
    },
    async differences(tenant) {
      const found: IndexDifference[] = [];
      for await (const difference of core.jobs.verifyIndex(tenant === undefined ? {} : { tenant }))
        found.push(difference);
      return found;
    },
    reindex: (scope) => reindexWith(core, scope),
    close: closedAtEnd(async () => {
      await app.close();
      if (options.database === undefined) await database.drop();
    }),
  };
}
