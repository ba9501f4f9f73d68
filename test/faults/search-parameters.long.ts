/** Search parameters of a tenant are made while two servers write, and go on where a killed server has stopped. */
import { Client } from 'pg';
import { openCore } from '../support/core';
import type { TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { startProcess } from '../support/process';
import { startTwoServers, type TwoServers } from './two-servers';
import { rounds } from '../support/rounds';

const MARK = 'http://example.org/fhir/StructureDefinition/mark';

function marked(id: string, mark: string): object {
  return { resourceType: 'Basic', id, code: { text: 'x' }, extension: [{ url: MARK, valueCode: mark }] };
}

function parameter(id: string): Record<string, unknown> {
  return makeParameter(id, {
    type: 'token',
    base: ['Basic'],
    expression: `Basic.extension.where(url = '${MARK}').value.ofType(code)`,
  });
}

interface WorkRow {
  readonly code: string;
  readonly state: string;
  readonly pending: boolean;
  readonly indexed: number;
}

async function readWork({ settings }: TestDatabase): Promise<readonly WorkRow[]> {
  const client = new Client(settings);
  await client.connect();
  const { rows } = await client.query<WorkRow>(
    'select code, state, pending, indexed from andiron.search_parameter order by number',
  );
  await client.end();
  return rows;
}

async function readAttempts(
  { settings }: TestDatabase,
  code: string,
): Promise<{ readonly rows: readonly { readonly attempts: number }[] }> {
  const client = new Client(settings);
  await client.connect();
  const found = await client.query<{ attempts: number }>(
    'select attempts from andiron.search_parameter where code = $1',
    [code],
  );
  await client.end();
  return found;
}

describe('search parameters of a tenant', () => {
  let servers: TwoServers;
  beforeAll(async () => {
    // Without notices a server sees changes of another one after up to 1.5 s.
    servers = await startTwoServers({ REDIS_PORT: '1' });
  });
  afterAll(() => servers.close());

  it('find each resource by its last version, whichever server wrote it while they were indexed', async () => {
    const both = [servers.first, servers.second];
    const root = servers.first.path('system', 'r4');
    const last = new Map<string, string | undefined>();
    let isWriting = true;
    let refused = 0;
    const write = async (writer: number): Promise<void> => {
      for (let step = 0; isWriting; step++) {
        const server = both[(writer + step) % 2];
        const id = `w${writer}-${step % 40}`;
        const mark = `m${step % 7}`;
        const isDeletion = step % 11 === 10;
        const answer = isDeletion
          ? await server?.request('DELETE', `${root}/Basic/${id}`)
          : await server?.request('PUT', `${root}/Basic/${id}`, marked(id, mark));
        if (![200, 201].includes(answer?.status ?? 0)) refused += 1;
        last.set(id, isDeletion ? undefined : mark);
      }
    };
    for (let writer = 0; writer < 6; writer++) {
      for (let number = 0; number < 40; number++) {
        const id = `w${writer}-${number}`;
        expect((await servers.first.request('PUT', `${root}/Basic/${id}`, marked(id, 'm1'))).status).toBe(
          201,
        );
        last.set(id, 'm1');
      }
    }
    const writing = Promise.all(Array.from({ length: 6 }, (_, writer) => write(writer)));
    for (let round = 0; round < 10; round++) {
      const [here, there] = round % 2 === 0 ? both : [...both].reverse();
      const made = await here?.request(
        'PUT',
        `${root}/SearchParameter/mark${round}`,
        parameter(`mark${round}`),
      );
      expect(made?.status).toBe(201);
      await eventually(
        async () => (await there?.request('GET', `${root}/Basic?mark${round}=m1`))?.status === 200,
      );
      // While the next one is made, an earlier one goes.
      if (round === 2) await there?.request('DELETE', `${root}/SearchParameter/mark0`);
    }
    isWriting = false;
    await writing;
    expect(refused).toBe(0);
    for (let round = 1; round < 10; round++) {
      for (let number = 0; number < 7; number++) {
        const mark = `m${number}`;
        const wanted = [...last]
          .filter(([, at]) => at === mark)
          .map(([id]) => id)
          .sort();
        for (const server of both) {
          const { json } = await server.request('GET', `${root}/Basic?mark${round}=${mark}&_count=1000`);
          const found: { resource: { id: string } }[] = json.entry ?? [];
          expect(found.map(({ resource }) => resource.id).sort()).toEqual(wanted);
        }
      }
    }
    await eventually(async () => (await readWork(servers.database)).every(({ pending }) => !pending));
    const opened = await openCore({ database: servers.database });
    expect(await opened.differences('system')).toEqual([]);
    await opened.close();
  });

  it('are indexed completely after the server that indexed them was killed', async () => {
    const { first, second, database } = servers;
    await second.close();
    const root = first.path('system', 'r4b');
    const count = 3_000;
    for (let start = 0; start < count; start += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          first.request('PUT', `${root}/Basic/k${start + index}`, marked(`k${start + index}`, 'kept')),
        ),
      );
    }
    await first.request('PUT', `${root}/SearchParameter/kept`, parameter('kept'));
    const progress = async (): Promise<WorkRow | undefined> =>
      (await readWork(database)).find(({ code }) => code === 'kept');
    await eventually(async () => ((await progress())?.indexed ?? 0) > 300);
    await first.kill();
    const stopped = await progress();
    expect(stopped?.state).toBe('indexing');
    expect(stopped?.indexed).toBeLessThan(count);
    const third = await startProcess({ database });
    await eventually(async () => (await third.request('GET', `${root}/Basic?kept=kept`)).status === 200);
    const { json } = await third.request('GET', `${root}/Basic?kept=kept&_summary=count`);
    expect(json.total).toBe(count);
    await third.close();
    const opened = await openCore({ database });
    expect(await opened.differences('system')).toEqual([]);
    await opened.close();
  });

  it('are indexed completely however often the server is killed, as long as it makes progress', async () => {
    const { database } = servers;
    const kills = rounds(3, 12);
    let server = await startProcess({ database });
    const root = server.path('system', 'r4b');
    await server.request('PUT', `${root}/SearchParameter/often`, parameter('often'));
    const progress = async (): Promise<WorkRow | undefined> =>
      (await readWork(database)).find(({ code }) => code === 'often');
    for (let kill = 0; kill < kills; kill++) {
      const before = (await progress())?.indexed ?? 0;
      await eventually(async () => {
        const now = await progress();
        return now?.pending === false || (now?.indexed ?? 0) > before;
      });
      await server.kill();
      server = await startProcess({ database });
    }
    await eventually(async () => (await server.request('GET', `${root}/Basic?often=kept`)).status === 200);
    await server.close();
  });

  it.each([
    ['fail when it was killed three times at the same resources', 3, 'failed'],
    ['are made when it was killed twice', 2, 'active'],
  ])('%s', async (_title, kills, state) => {
    const { database } = servers;
    let server = await startProcess({ database });
    const root = server.path('system', 'r4');
    const code = `killed${kills}`;
    const held = new Client(database.settings);
    await held.connect();
    await held.query('begin');
    // The work waits for these, and comes no further.
    await held.query('select 1 from andiron.resource r where not r.deleted for update');
    await server.request('PUT', `${root}/SearchParameter/${code}`, parameter(code));
    const attempts = async (): Promise<number> => {
      const { rows } = await readAttempts(database, code);
      return rows[0]?.attempts ?? 0;
    };
    for (let kill = 1; kill <= kills; kill++) {
      await eventually(async () => (await attempts()) === kill);
      await server.kill();
      server = await startProcess({ database });
    }
    await held.query('rollback');
    await held.end();
    await eventually(
      async () => (await readWork(database)).find((row) => row.code === code)?.state === state,
    );
    const found = await server.request('GET', `${root}/Basic?${code}=m1`);
    expect(found.status).toBe(state === 'active' ? 200 : 400);
    // The line is written after the change that the search has seen.
    if (state === 'failed')
      await eventually(async () => (await server.output()).includes('a search parameter has failed'));
    await server.close();
  });
});
