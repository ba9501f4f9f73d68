import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase } from '../support/database';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

const LATER = { prefer: 'respond-async' };

function pathOf(answer: Answer): string {
  return new URL(String(answer.headers['content-location'])).pathname;
}

/**
 * Ends the transaction when a second statement waits for its locks, because the first one was given up. PostgreSQL watches itself:
 * seen from here on a busy machine, all attempts could be over.
 */
const UNTIL_A_SECOND_WAITS = `
  do $$
  declare begun timestamptz[] := '{}';
  begin
    while cardinality(begun) < 2 loop
      perform pg_stat_clear_snapshot();
      begun := array(
        select unnest(begun) union
        select a.query_start from pg_stat_activity a
        where a.wait_event_type = 'Lock' and a.datname = current_database());
      perform pg_sleep(0.01);
    end loop;
  end $$;
  rollback`;

async function waitFor(server: TestServer, path: string): Promise<Answer> {
  for (;;) {
    const answer = await server.request('GET', path);
    if (answer.status !== 202) return answer;
    expect(answer.headers['x-progress']).toMatch(/^waiting|^under way/);
    expect(answer.headers['retry-after']).toBe('1');
    await setTimeout(20);
  }
}

describe.each(TESTED_RELEASES)('respond-async of %s', (release) => {
  let server: TestServer;
  let root: string;

  beforeAll(async () => {
    server = await startServer({ because: 'MAX_ASYNC_JOBS', environment: { MAX_ASYNC_JOBS: '6' } });
    root = server.path('system', release);
    await server.createTenant('other');
    await server.request('POST', `${root}/Basic`, { resourceType: 'Basic', code: { text: 'a' } });
  });
  afterAll(() => server.close());

  it('a search is accepted with 202 and answered at its own address', async () => {
    const at = `${root}/Basic?_total=accurate&_count=1`;
    const accepted = await server.request('GET', at, undefined, { prefer: 'respond-async, handling=strict' });
    expect(accepted.status).toBe(202);
    expect(accepted.headers).toMatchObject({
      'content-location': expect.stringContaining(`${server.base}${root}/_async/`),
      'preference-applied': 'respond-async',
    });
    expect(accepted.json.resourceType).toBe('OperationOutcome');
    const done = await waitFor(server, pathOf(accepted));
    expect(done.status).toBe(200);
    expect(Date.parse(String(done.headers['expires']))).toBeGreaterThan(Date.now());
    const now = await server.request('GET', at);
    expect(done.json).toEqual(now.json);
    expect((await server.request('DELETE', pathOf(accepted))).status).toBe(202);
    expect((await server.request('GET', pathOf(accepted))).status).toBe(404);
    expect((await server.request('DELETE', pathOf(accepted))).status).toBe(404);
  });

  it('a search by POST is answered by its form', async () => {
    const accepted = await server.request('POST', `${root}/Basic/_search`, '_summary=count', {
      'content-type': 'application/x-www-form-urlencoded',
      ...LATER,
    });
    const { json } = await waitFor(server, pathOf(accepted));
    expect(json).toMatchObject({ type: 'searchset', total: 1 });
    await server.request('DELETE', pathOf(accepted));
  });

  it('an error has the status of a synchronous request', async () => {
    const accepted = await server.request('GET', `${root}/Basic?colour=red`, undefined, LATER);
    expect(accepted.status).toBe(202);
    const { status, json } = await waitFor(server, pathOf(accepted));
    expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
    await server.request('DELETE', pathOf(accepted));
  });

  it('a transaction and a batch are executed later, once', async () => {
    const entry = (name: string): object => ({
      fullUrl: `urn:uuid:${name}`,
      resource: { resourceType: 'Basic', id: name, code: { text: name } },
      request: { method: 'PUT', url: `Basic/${name}` },
    });
    for (const type of ['transaction', 'batch']) {
      const bundle = { resourceType: 'Bundle', type, entry: [entry(`${type}-1`), entry(`${type}-2`)] };
      const accepted = await server.request('POST', root, bundle, {
        prefer: 'respond-async, return=minimal',
      });
      expect(accepted.status).toBe(202);
      const { status, json } = await waitFor(server, pathOf(accepted));
      expect([status, json.type]).toEqual([200, `${type}-response`]);
      expect(json.entry.map(({ resource }: { resource: unknown }) => resource)).toEqual([
        undefined,
        undefined,
      ]);
      const { headers } = await server.request('GET', `${root}/Basic/${type}-2`);
      expect(headers['etag']).toBe('W/"1"');
      await server.request('DELETE', pathOf(accepted));
    }
  });

  it('a transaction that is refused changes nothing, and has the reason at its address', async () => {
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          resource: { resourceType: 'Basic', id: 'all-or-nothing', code: { text: 'a' } },
          request: { method: 'PUT', url: 'Basic/all-or-nothing' },
        },
        { resource: { resourceType: 'Basic' }, request: { method: 'POST', url: 'Basic' } },
      ],
    };
    const accepted = await server.request('POST', root, bundle, LATER);
    const { status, json } = await waitFor(server, pathOf(accepted));
    expect([status, json.issue[0].expression[0]]).toEqual([400, expect.stringContaining('Bundle.entry[1]')]);
    expect((await server.request('GET', `${root}/Basic/all-or-nothing`)).status).toBe(404);
    await server.request('DELETE', pathOf(accepted));
  });

  it('does not apply to quick requests: a read and a create are answered at once', async () => {
    const created = await server.request(
      'POST',
      `${root}/Basic`,
      { resourceType: 'Basic', code: { text: 'b' } },
      LATER,
    );
    expect(created.status).toBe(201);
    expect((await server.request('GET', `${root}/Basic/${created.json.id}`, undefined, LATER)).status).toBe(
      200,
    );
    await server.request('DELETE', `${root}/Basic/${created.json.id}`);
  });

  it('an answer is visible to no others: another tenant or release finds nothing at its address', async () => {
    const accepted = await server.request('GET', `${root}/Basic`, undefined, LATER);
    await waitFor(server, pathOf(accepted));
    const id = pathOf(accepted).split('/').at(-1);
    const foreign = [server.path('other', release), server.path('system', release === 'r4' ? 'r4b' : 'r4')];
    for (const place of foreign) {
      for (const method of ['GET', 'HEAD', 'DELETE'])
        expect((await server.request(method, `${place}/_async/${id}`)).status).toBe(404);
    }
    expect((await server.request('GET', `${root}/_async/${'0'.repeat(32)}`)).status).toBe(404);
    expect((await server.request('GET', `${root}/_async/x'--`)).status).toBe(404);
    expect((await server.request('GET', pathOf(accepted))).status).toBe(200);
    await server.request('DELETE', pathOf(accepted));
  });

  it('a tenant has a limited number, both releases together, and another one has its own', async () => {
    const other = server.path('other', release);
    const accepted: string[] = [];
    for (let count = 0; count < 6; count++) {
      const answer = await server.request(
        'GET',
        `${count % 2 ? other : server.path('other', 'r4')}/Basic`,
        undefined,
        LATER,
      );
      expect(answer.status).toBe(202);
      accepted.push(pathOf(answer));
    }
    const refused = await server.request('GET', `${other}/Basic`, undefined, LATER);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    const fine = await server.request('GET', `${root}/Basic`, undefined, LATER);
    expect(fine.status).toBe(202);
    for (const path of [...accepted, pathOf(fine)]) await server.request('DELETE', path);
  });

  it('a job of a dead process is restarted if it is a search, else reported as failed', async () => {
    const leave = async (repeatable: boolean): Promise<string> => {
      const id = `${repeatable ? 'a' : 'b'}${release === 'r4' ? '4' : '5'}`.padEnd(32, '0');
      const request = { method: 'GET', url: `${root}/Basic?_summary=count`, headers: { host: 'localhost' } };
      const owner = new Client(server.database.settings);
      await owner.connect();
      await owner.query(
        `with job as (
           insert into andiron.job (space, id, tenant, kind, state, most_runs, expires, worker, beat, runs)
           select s.number, $1, s.tenant, 'request', 'running', case when $2::boolean then 3 else 1 end,
                  now() + interval '1 hour', 'dead', now() - interval '1 hour', 1
           from andiron.space s join andiron.tenant t on t.number = s.tenant
           where t.name = 'system' and s.release = $4 and s.kind = 'data' returning space, id
         )
         insert into andiron.job_content (space, id, request) select space, id, $3 from job`,
        [id, repeatable, JSON.stringify(request), release],
      );
      await owner.end();
      return `${root}/_async/${id}`;
    };
    const paths = [await leave(true), await leave(false)];
    // Any request of this kind makes the process check for work at once.
    const another = await server.request('GET', `${root}/Basic`, undefined, LATER);
    await waitFor(server, pathOf(another));
    const [repeated, failed] = [await waitFor(server, paths[0] ?? ''), await waitFor(server, paths[1] ?? '')];
    expect([repeated.status, repeated.json.type]).toEqual([200, 'searchset']);
    expect([failed.status, failed.json.issue[0].code]).toEqual([500, 'incomplete']);
    expect(failed.json.issue[0].diagnostics).toMatch(
      /transaction .* as a whole or not at all, a batch perhaps in part/,
    );
    for (const path of [...paths, pathOf(another)]) await server.request('DELETE', path);
  });
});

describe('respond-async', () => {
  it('stores an answer for a while and then deletes it', async () => {
    const server = await startServer({
      because: 'ASYNC_EXPIRY_MS',
      environment: { ASYNC_EXPIRY_MS: '2000' },
    });
    const accepted = await server.request('GET', `${server.path('system', 'r4')}/Basic`, undefined, LATER);
    expect((await waitFor(server, pathOf(accepted))).status).toBe(200);
    while ((await server.request('GET', pathOf(accepted))).status !== 404) await setTimeout(50);
    await server.close();
  });

  it('a search that is cancelled stops in the database; another one may take longer than a request', async () => {
    const server = await startServer({
      because: 'REQUEST_TIMEOUT_MS',
      environment: { REQUEST_TIMEOUT_MS: '1500' },
    });
    const root = server.path('system', 'r4');
    const owner = new Client(server.database.settings);
    await owner.connect();
    await owner.query('begin');
    await owner.query('lock table andiron.resource in access exclusive mode');
    const accepted = await Promise.all(
      [1, 2, 3].map((count) => server.request('GET', `${root}/Basic?_count=${count}`, undefined, LATER)),
    );
    const underWay = async (): Promise<string[]> => {
      const paths: string[] = [];
      for (const path of accepted.map(pathOf)) {
        const { headers } = await server.request('GET', path);
        if (String(headers['x-progress']).startsWith('under way')) paths.push(path);
      }
      return paths;
    };
    let running = await underWay();
    for (; running.length < 2; running = await underWay()) await setTimeout(20);
    const [third = ''] = accepted.map(pathOf).filter((path) => !running.includes(path));
    for (const path of running) expect((await server.request('DELETE', path)).status).toBe(202);
    // There is a place for it only when they have stopped; the database itself would not stop them.
    while ((await underWay()).length === 0) await setTimeout(20);
    await setTimeout(1600);
    await owner.query('rollback');
    await owner.end();
    expect((await waitFor(server, third)).status).toBe(200);
    await server.close();
  });

  it('a request, or an entry of a batch, that a busy database did not answer in time is repeated', async () => {
    const server = await startServer({
      because: 'STATEMENT_TIMEOUT_MS',
      environment: { STATEMENT_TIMEOUT_MS: '1000' },
    });
    const root = server.path('system', 'r4');
    const owner = new Client(server.database.settings);
    await owner.connect();
    const entry = [{ request: { method: 'GET', url: 'Basic' } }];
    for (const [method, path, body] of [
      ['GET', `${root}/Basic`, undefined],
      ['POST', root, { resourceType: 'Bundle', type: 'batch', entry }],
    ] as const) {
      await owner.query('begin');
      await owner.query('lock table andiron.resource in access exclusive mode');
      const accepted = await server.request(method, path, body, LATER);
      await owner.query(UNTIL_A_SECOND_WAITS);
      const { status, text } = await waitFor(server, pathOf(accepted));
      expect([status, /"status":"5/.test(text)]).toEqual([200, false]);
    }
    await owner.end();
    await server.close();
  });

  it('a batch or transaction that waits and is cancelled is not done; one under way is, as a whole', async () => {
    const server = await startServer({ because: 'the test looks into its database' });
    const root = server.path('system', 'r4');
    const owner = new Client(server.database.settings);
    await owner.connect();
    await owner.query('begin');
    await owner.query('lock table andiron.resource in access exclusive mode');
    const names = ['transaction-1', 'batch-1', 'transaction-2', 'batch-2'];
    const paths: string[] = [];
    for (const name of names) {
      const entry = ['a', 'b'].map((part) => ({
        resource: { resourceType: 'Basic', id: `${name}-${part}`, code: { text: name } },
        request: { method: 'PUT', url: `Basic/${name}-${part}` },
      }));
      const bundle = { resourceType: 'Bundle', type: name.replace(/-\d/, ''), entry };
      paths.push(pathOf(await server.request('POST', root, bundle, LATER)));
    }
    const progress = async (): Promise<string[]> =>
      Promise.all(
        paths.map(async (path) =>
          String((await server.request('GET', path)).headers['x-progress']).slice(0, 9),
        ),
      );
    while ((await progress()).filter((text) => text === 'under way').length < 2) await setTimeout(20);
    const underWay = (await progress()).map((text) => text === 'under way');
    for (const path of paths) expect((await server.request('DELETE', path)).status).toBe(202);
    await owner.query('rollback');
    await owner.end();
    // Later requests are answered when they are done.
    const last = await server.request('GET', `${root}/Basic?_count=0`, undefined, LATER);
    expect((await waitFor(server, pathOf(last))).status).toBe(200);
    const there = async (): Promise<boolean[]> =>
      Promise.all(
        names.flatMap((name) =>
          ['a', 'b'].map(
            async (part) => (await server.request('GET', `${root}/Basic/${name}-${part}`)).status === 200,
          ),
        ),
      );
    const expected = underWay.flatMap((isDone) => [isDone, isDone]);
    for (let tries = 0; tries < 100 && String(await there()) !== String(expected); tries++)
      await setTimeout(50);
    expect(await there()).toEqual(expected);
    for (const path of paths) expect((await server.request('GET', path)).status).toBe(404);
    await server.close();
  });

  it('an answer that is too large is reported as such', async () => {
    const server = await startServer({
      because: 'MAX_BODY_BYTES and MAX_BUNDLE_BYTES',
      environment: { MAX_BODY_BYTES: '2000', MAX_BUNDLE_BYTES: '2000' },
    });
    const root = server.path('system', 'r4');
    for (let count = 0; count < 3; count++)
      await server.request('POST', `${root}/Basic`, {
        resourceType: 'Basic',
        code: { text: 'x'.repeat(1000) },
      });
    const accepted = await server.request('GET', `${root}/Basic`, undefined, LATER);
    const { status, json } = await waitFor(server, pathOf(accepted));
    expect([status, json.issue[0].code]).toEqual([422, 'too-costly']);
    await server.close();
  });

  it('a search that was accepted before the server stopped is answered by the next one', async () => {
    const database = await createTestDatabase();
    const first = await startServer({ because: 'it is stopped', database });
    const accepted = await first.request('GET', `${first.path('system', 'r4')}/Basic`, undefined, LATER);
    await first.close();
    const second = await startServer({ because: 'it continues the jobs of one that has stopped', database });
    expect((await waitFor(second, pathOf(accepted))).status).toBe(200);
    await second.close();
    await database.drop();
  });
});
