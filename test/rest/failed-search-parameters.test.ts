/**
 * Search parameters of tenants whose expressions cost too much, or whose indexing has crashed the server: only they
 * fail.
 */
import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { openCore } from '../support/core';
import { startServer, type Answer, type TestServer } from '../support/server';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ because: 'the tests look into its database' });
});
afterAll(() => server.close());

const FAILED = 'https://andiron.example/fhir/StructureDefinition/search-parameter-failed';
const EACH = "select(iif(url = 'x', $this, %resource.extension))";
/** Visits 60 extensions, 60 for each, and 60 for each of those again. */
const COSTLY = `Basic.extension.${EACH}.${EACH}.where(url != 'x').value.ofType(string)`;
/** Evaluates the resource eight times. */
const LINEAR = `Basic.extension${".where(url != 'x')".repeat(8)}.value.ofType(string)`;

const send = (tenant: string, method: string, address: string, body?: unknown): Promise<Answer> =>
  server.request(method, `${server.path(tenant, 'r4')}/${address}`, body);

function basic(id: string, extensions: number): object {
  const extension = Array.from({ length: extensions }, (_, index) => {
    return { url: `http://example.org/${index}`, valueString: `v${index}` };
  });
  return { resourceType: 'Basic', id, code: { text: 'x' }, extension };
}

async function makeTenant(name: string): Promise<void> {
  await server.app.core.tenants.create(name);
}

function parameter(id: string, expression: string): Record<string, unknown> {
  return makeParameter(id, { type: 'string', base: ['Basic'], expression });
}

interface Part {
  readonly name: string;
  readonly valueCode?: string;
  readonly valueBoolean?: boolean;
  readonly valueString?: string;
}

async function statusOf(tenant: string, id: string): Promise<Record<string, unknown>> {
  const { json } = await send(tenant, 'GET', `SearchParameter/${id}/$reindex-status`);
  const parts: Part[] = json.parameter[1].part;
  const of = (wanted: string): Part | undefined => parts.find(({ name }) => name === wanted);
  return {
    status: of('status')?.valueCode,
    searchable: of('searchable')?.valueBoolean,
    reason: of('reason')?.valueString,
  };
}

const EXCEEDED = { status: 'failed', searchable: false, reason: expect.stringContaining('more values') };

async function isSearched(tenant: string, query: string): Promise<void> {
  await eventually(async () => (await send(tenant, 'GET', query)).status === 200);
}

/** The result of the index check. */
async function differences(tenant: string): Promise<readonly unknown[]> {
  const opened = await openCore({ database: server.database });
  try {
    return await opened.differences(tenant);
  } finally {
    await opened.close();
  }
}

describe('a search parameter with an expression that costs too much', () => {
  it('fails when it is met in a resource that is written, and the write goes on', async () => {
    await makeTenant('written');
    for (const [id, expression] of [
      ['costly', COSTLY],
      ['plain', 'Basic.extension.value.ofType(string)'],
    ] as const) {
      expect((await send('written', 'PUT', `SearchParameter/${id}`, parameter(id, expression))).status).toBe(
        201,
      );
      await isSearched('written', `Basic?${id}=v`);
    }
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        send('written', 'PUT', `Basic/b${index}`, basic(`b${index}`, 60)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await statusOf('written', 'costly')).toEqual(EXCEEDED);
    expect(await statusOf('written', 'plain')).toMatchObject({ status: 'completed', searchable: true });

    const refused = await send('written', 'GET', 'Basic?costly=v');
    expect(refused.status).toBe(400);
    expect(refused.json.issue[0].diagnostics).toBe(
      "'costly' is not a search parameter of Basic: SearchParameter/costly has failed, and SearchParameter/costly/$reindex-status says why",
    );
    const found = await send('written', 'GET', 'Basic?plain=v1&_summary=count');
    expect(found.json.total).toBe(10);
    expect(await differences('written')).toEqual([]);
  });

  it('has its failure when it is read and found, until it changes, and stores nothing of it that is sent back', async () => {
    const mark = { url: FAILED, valueString: expect.stringMatching(/^Not searched by in Basic: /) };
    const marksOf = (resource: { meta: { extension: { url: string }[] } }): unknown[] =>
      resource.meta.extension.filter(({ url }) => url === FAILED);
    const read = await send('written', 'GET', 'SearchParameter/costly');
    expect(marksOf(read.json)).toEqual([mark]);
    const found = await send('written', 'GET', 'SearchParameter?code=costly');
    expect(marksOf(found.json.entry[0].resource)).toEqual([mark]);
    const other = await send('written', 'GET', 'SearchParameter/plain');
    expect(marksOf(other.json)).toEqual([]);

    // The search is the same: it is not tried again.
    const renamed = { ...read.json, description: 'Costly still' };
    expect((await send('written', 'PUT', 'SearchParameter/costly', renamed)).status).toBe(200);
    expect(await statusOf('written', 'costly')).toEqual(EXCEEDED);
    expect(marksOf((await send('written', 'GET', 'SearchParameter/costly')).json)).toEqual([mark]);
    expect((await send('written', 'POST', '$reindex')).status).toBe(200);
    expect(await statusOf('written', 'costly')).toEqual(EXCEEDED);

    const changed = { ...read.json, expression: 'Basic.code.text' };
    const answer = await send('written', 'PUT', 'SearchParameter/costly', changed);
    expect(answer.status).toBe(200);
    await isSearched('written', 'Basic?costly=x');
    expect((await send('written', 'GET', 'Basic?costly=x&_summary=count')).json.total).toBe(10);
    expect(marksOf((await send('written', 'GET', 'SearchParameter/costly')).json)).toEqual([]);
    expect(await differences('written')).toEqual([]);
  });

  it('fails in batches and transactions, which go on', async () => {
    await makeTenant('bundles');
    await send('bundles', 'PUT', 'SearchParameter/costly', parameter('costly', COSTLY));
    await isSearched('bundles', 'Basic?costly=v');
    for (const type of ['transaction', 'batch']) {
      const entry = Array.from({ length: 30 }, (_, index) => {
        const id = `${type}${index}`;
        return { request: { method: 'PUT', url: `Basic/${id}` }, resource: basic(id, 60) };
      });
      const answer = await send('bundles', 'POST', '', { resourceType: 'Bundle', type, entry });
      const responses: { response: { status: string } }[] = answer.json.entry;
      expect(responses.map(({ response }) => response.status.slice(0, 3))).toEqual(entry.map(() => '201'));
      expect(await statusOf('bundles', 'costly')).toEqual(EXCEEDED);
    }
  });

  it('fails when it meets such a resource among the existing ones, and is tried again by its id', async () => {
    await makeTenant('before');
    await send('before', 'PUT', 'Basic/b', basic('b', 60));
    expect((await send('before', 'PUT', 'SearchParameter/costly', parameter('costly', COSTLY))).status).toBe(
      201,
    );
    await send('before', 'PUT', 'SearchParameter/plain', parameter('plain', 'Basic.code.text'));
    await eventually(async () => (await statusOf('before', 'costly'))['status'] === 'failed');
    expect(await statusOf('before', 'costly')).toEqual(EXCEEDED);
    await isSearched('before', 'Basic?plain=x');
    // A server that starts with it writes, and does not try it again.
    const another = await startServer({
      because: 'it starts with failed parameters',
      database: server.database,
    });
    const other = basic('other', 60);
    expect((await another.request('PUT', `${another.path('before', 'r4')}/Basic/other`, other)).status).toBe(
      201,
    );
    expect(await statusOf('before', 'costly')).toEqual(EXCEEDED);
    await another.close();
    expect((await send('before', 'DELETE', 'Basic/other')).status).toBe(200);
    expect((await send('before', 'POST', 'SearchParameter/costly/$reindex')).status).toBe(200);
    await eventually(async () => (await statusOf('before', 'costly'))['status'] === 'failed');
    expect((await send('before', 'DELETE', 'Basic/b')).status).toBe(200);
    expect((await send('before', 'POST', 'SearchParameter/costly/$reindex')).status).toBe(200);
    await isSearched('before', 'Basic?costly=x');
    expect(await differences('before')).toEqual([]);
  });

  it('does not fail by a resource that has very many values: that is refused', async () => {
    await makeTenant('large');
    await send('large', 'PUT', 'SearchParameter/linear', parameter('linear', LINEAR));
    await isSearched('large', 'Basic?linear=v');
    const refused = await send('large', 'PUT', 'Basic/large', basic('large', 9_000));
    expect([refused.status, refused.json.issue[0]]).toEqual([
      422,
      expect.objectContaining({
        code: 'too-costly',
        diagnostics: expect.stringContaining('SearchParameter/linear'),
      }),
    ]);
    expect(await statusOf('large', 'linear')).toMatchObject({ status: 'completed', searchable: true });
  });
});

describe('a search parameter whose indexing has crashed the server', () => {
  it.each([
    ['fails at the start after the third time', 3, 'failed'],
    ['is tried again after the second time', 2, 'completed'],
  ])('%s without progress', async (_title, attempts, status) => {
    const tenant = `died${attempts}`;
    await makeTenant(tenant);
    await send(tenant, 'PUT', 'SearchParameter/plain', parameter('plain', 'Basic.code.text'));
    await isSearched(tenant, 'Basic?plain=x');
    const client = new Client(server.database.settings);
    await client.connect();
    // As a process leaves it that is killed.
    await client.query(
      `update andiron.search_parameter p
       set state = 'indexing', pending = true, attempts = $2, attempted_by = 'a process that is gone'
       where p.space = (select s.number from andiron.space s join andiron.tenant t on t.number = s.tenant
                        where t.name = $1 and s.release = 'r4' and s.kind = 'data')`,
      [tenant, attempts],
    );
    await client.end();
    const again = await startServer({
      because: 'it starts where another one was killed',
      database: server.database,
    });
    await eventually(async () => (await statusOf(tenant, 'plain'))['status'] === status);
    expect(await statusOf(tenant, 'plain')).toMatchObject({
      searchable: status === 'completed',
      reason: status === 'failed' ? expect.stringContaining('ended 3 times') : undefined,
    });
    await again.close();
  });
});
