/** The version landed before and this one on one database, as they are while a new version is rolled out. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { LEAST_SCHEMA, MIGRATIONS, readFunctions } from '../../migrations';
import { schemaNumber } from '../../src/core/storage/schema/program-schema';
import { lengthenSequences } from '../../src/core/storage/schema/long-sequences';
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { readSchema } from '../support/database-schema';
import { silentLog } from '../support/log';
import { buildPreviousVersion, type PreviousVersion } from '../support/previous-version';
import { startProcess, type ServerProcess } from '../support/process';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { MARK, writeUntil, type Acknowledged } from './upgrade-writers';
import { IS_FULL } from '../support/rounds';

const ROUNDS = IS_FULL ? 5 : 1;
const WRITERS = IS_FULL ? 6 : 3;
/** Answered requests of a phase at least. */
const REQUESTS = IS_FULL ? 3_000 : 300;

let previous: PreviousVersion;
beforeAll(async () => {
  previous = await buildPreviousVersion();
});
afterAll(() => previous.remove());

it('the version before may still write: nothing that it needs was removed', () => {
  expect(previous.schema).toBeGreaterThanOrEqual(LEAST_SCHEMA);
});

it('a database function that has changed comes with a step: the version before does not put its own back', async () => {
  const folder = path.join(previous.program, 'migrations', 'functions');
  const changed: string[] = [];
  for (const { name, text } of await readFunctions()) {
    const before = await readFile(path.join(folder, `${name}.sql`), 'utf8').catch(() => undefined);
    if (before !== undefined && before !== text) changed.push(name);
  }
  if (schemaNumber(Object.keys(MIGRATIONS)) === previous.schema) expect(changed).toEqual([]);
});

it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
  'a new version starts beside the one before under writers: no request fails and nothing is lost (%d)',
  async () => {
    const database = await createTestDatabase({ empty: true });
    const noted: Acknowledged = { versions: new Map(), failures: [], count: 0 };
    const old = await startProcess({ database, program: previous.program });
    await addParameter(old);

    const phase = startPhase(noted);
    const ended = new Set<ServerProcess>();
    const writing = (server: ServerProcess, name: string): Promise<unknown> =>
      Promise.all(
        Array.from({ length: WRITERS }, (_, writer) =>
          writeUntil(() => ended.has(server), server, `${name}${writer}`, `shared${writer}`, noted),
        ),
      );
    const atOld = writing(old, 'old');
    await phase();
    const later = await startProcess({ database });
    const atNew = writing(later, 'new');
    await phase();
    ended.add(old);
    await atOld;
    expect(await old.terminate()).toBe('with code 0');
    await phase();
    ended.add(later);
    await atNew;
    expect(noted.failures).toEqual([]);
    expect(await later.terminate()).toBe('with code 0');

    const opened = await openCore({ database });
    for (const release of ['r4', 'r4b'] as const) {
      const context = await opened.context('system', release);
      const all = [...noted.versions].filter(([name]) => name.startsWith(`${release} `));
      expect(all.length).toBeGreaterThan(REQUESTS / 10);
      for (const [name, text] of all) {
        const [, type = '', id = '', version = ''] = /^\w+ (\w+)\/([^/]+)\/(\d+)$/.exec(name) ?? [];
        const { versions } = await opened.core.interactions.history(context, { type, id, count: 1000 });
        expect(versions.map(({ versionId }) => versionId)).toEqual(
          versions.map((_, index) => versions.length - index),
        );
        const stored = versions.find(({ versionId }) => versionId === Number(version));
        expect(stored?.text ?? '').toBe(text);
      }
    }
    // A reindex replaces the rows that the old version made with its own rules.
    await opened.reindex();
    expect(await opened.differences()).toEqual([]);
    await opened.close();
    expect(await countSequences(database.settings)).toEqual([]);
    await lengthenSequences({ database: database.settings, log: silentLog, waitMs: 60_000 });
    const fresh = await createTestDatabase();
    expect(await readSchema(database.settings)).toEqual(await readSchema(fresh.settings));
    await Promise.all([old.close(), later.close()]);
    await database.drop();
  },
  600_000,
);

it('jobs of either version survive the upgrade, and are read, executed and cancelled at both', async () => {
  const database = await createTestDatabase({ empty: true });
  const old = await startProcess({ database, program: previous.program });
  const root = old.path('system', 'r4');
  const tenant = '/w/system/api/v1/tenants/system';
  const later = { prefer: 'respond-async' };
  const submit = async (server: ServerProcess, count: number): Promise<string> => {
    const { status, headers } = await server.request(
      'GET',
      `${root}/Basic?_count=${count}`,
      undefined,
      later,
    );
    expect(status).toBe(202);
    return new URL(String(headers['content-location'])).pathname;
  };
  const reindex = async (server: ServerProcess): Promise<string> => {
    const { status, json } = await server.request('POST', `${tenant}/reindex`);
    expect(status).toBe(202);
    return `${tenant}/jobs/${json.id}`;
  };
  const isDone = async (server: ServerProcess, request: string, job: string): Promise<void> => {
    await eventually(async () => (await server.request('GET', request)).status === 200);
    await eventually(async () => (await server.request('GET', job)).json.state === 'done');
  };
  const before = [await submit(old, 1), await reindex(old)] as const;
  await isDone(old, ...before);
  const next = await startProcess({ database });
  await isDone(next, ...before);
  const ofOld = [await submit(old, 2), await reindex(old)] as const;
  await isDone(next, ...ofOld);
  const ofNew = [await submit(next, 3), await reindex(next)] as const;
  await isDone(old, ...ofNew);
  const texts = [...before, ...ofOld, ...ofNew].map(async (path) => {
    const [one, other] = [await old.request('GET', path), await next.request('GET', path)];
    expect([other.status, other.text]).toEqual([one.status, one.text]);
  });
  await Promise.all(texts);
  expect((await old.request('DELETE', ofNew[0])).status).toBe(202);
  expect((await next.request('DELETE', ofOld[0])).status).toBe(202);
  for (const path of [ofNew[0], ofOld[0]])
    for (const server of [old, next]) expect((await server.request('GET', path)).status).toBe(404);
  expect((await old.request('DELETE', ofNew[1])).json).toEqual({ removed: ofNew[1].split('/').at(-1) });
  expect((await next.request('GET', ofNew[1])).status).toBe(404);

  // Nothing is executed until the lock is gone; what waits then is executed by the one version that still runs.
  const locker = new Client(database.settings);
  await locker.connect();
  await locker.query('begin');
  await locker.query('lock table andiron.resource in access exclusive mode');
  const waiting = [await submit(old, 4), await submit(next, 5)];
  await next.kill();
  await locker.query('rollback');
  await locker.end();
  for (const path of waiting) await eventually(async () => (await old.request('GET', path)).status === 200);
  expect(await old.terminate()).toBe('with code 0');
  await Promise.all([old.close(), next.close()]);
  await database.drop();
}, 600_000);

it('the version before starts again on an upgraded database: it reads what the new one wrote, and writes', async () => {
  const database = await createTestDatabase({ empty: true });
  const patient = (family: string) => ({ resourceType: 'Patient', id: 'back', name: [{ family }] });
  const families: string[] = [];
  for (const [family, options] of [
    ['Old', { program: previous.program }],
    ['New', {}],
    ['Back', { program: previous.program }],
    ['Forward', {}],
  ] as const) {
    const server = await startProcess({ database, ...options });
    const address = `${server.path('system', 'r4')}/Patient/back`;
    const last = families.at(-1);
    if (last !== undefined)
      expect((await server.request('GET', address)).json.name).toEqual([{ family: last }]);
    expect([200, 201]).toContain((await server.request('PUT', address, patient(family))).status);
    families.push(family);
    const found = await server.request('GET', `${server.path('system', 'r4')}/Patient?family=${family}`);
    expect(found.json.entry).toHaveLength(1);
    const { json } = await server.request('GET', `${address}/_history`);
    const stored = json.entry.map((entry: ReturnType<typeof JSON.parse>) => entry.resource.name[0].family);
    expect(stored).toEqual(families.toReversed());
    expect(await server.terminate()).toBe('with code 0');
    await server.close();
  }
  await database.drop();
}, 600_000);

/** Resolves when some more requests were answered, or one was wrong. */
function startPhase(noted: Acknowledged): () => Promise<void> {
  return async () => {
    const end = noted.count + REQUESTS;
    for (const begun = Date.now(); noted.count < end && noted.failures.length === 0;) {
      if (Date.now() - begun > 200_000) throw new Error(`${noted.count} of ${end} requests were answered`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
}

/** A search parameter of the tenant, which every write of the type then has to know. */
async function addParameter(server: ServerProcess): Promise<void> {
  const parameter = makeParameter('mark', {
    type: 'token',
    base: ['Basic'],
    expression: `Basic.extension.where(url = '${MARK}').value.ofType(code)`,
  });
  const root = server.path('system', 'r4');
  expect((await server.request('PUT', `${root}/SearchParameter/mark`, parameter)).status).toBe(201);
  await eventually(async () => {
    const { json } = await server.request('GET', `${root}/SearchParameter/mark/$reindex-status`);
    return json.parameter?.[0]?.valueCode === 'completed';
  });
}

/** Tenants with a gap in their version-sequence. */
async function countSequences(
  settings: ConstructorParameters<typeof Client>[0],
): Promise<readonly unknown[]> {
  const owner = new Client(settings);
  await owner.connect();
  const { rows } = await owner.query(
    `select s.tenant, count(*)::int as versions, max(v.sequence)::int as last
     from andiron.resource_version v join andiron.space s on s.number = v.space
     where s.tenant is not null group by s.tenant having count(*) <> max(v.sequence)`,
  );
  await owner.end();
  return rows;
}
