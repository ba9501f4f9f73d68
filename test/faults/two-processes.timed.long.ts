/** Two servers on one database: no write is lost, and a reader of the changes misses none. */
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';
import { startTwoServers, type TwoServers } from './two-servers';

const PATCH = { 'content-type': 'application/json-patch+json' };
/** The least number of writes of all writers together, however slow the machine. */
const FEWEST_WRITES = 500;

describe('two processes', () => {
  let servers: TwoServers;
  beforeAll(async () => {
    servers = await startTwoServers();
  });
  afterAll(() => servers.close());

  it('apply fifty parallel patches of one resource, each of them', async () => {
    const { first, second } = servers;
    const path = `${first.path('system', 'r4')}/Patient/contended`;
    await first.request('PUT', path, {
      resourceType: 'Patient',
      id: 'contended',
      telecom: [{ system: 'other', value: 'start' }],
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        (number % 2 === 0 ? first : second).request(
          'PATCH',
          path,
          [{ op: 'add', path: '/telecom/-', value: { system: 'other', value: `patch-${number}` } }],
          PATCH,
        ),
      ),
    );
    expect(answers.map(({ status, text }) => (status === 200 ? status : text))).toEqual(Array(50).fill(200));
    const versions = answers
      .map(({ headers }) => Number(/\d+/.exec(headers.etag ?? '')?.[0]))
      .sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
    const { json } = await second.request('GET', path);
    const values: string[] = json.telecom.map(({ value }: { value: string }) => value);
    expect(values.sort()).toEqual(
      ['start', ...Array.from({ length: 50 }, (_, number) => `patch-${number}`)].sort(),
    );
  });

  it('let one of fifty creations under one id succeed with If-None-Match, and no update with an old If-Match', async () => {
    const { first, second } = servers;
    const path = `${first.path('system', 'r4')}/Patient/raced`;
    const race = (headers: Record<string, string>) =>
      Promise.all(
        Array.from({ length: 50 }, (_, number) =>
          (number % 2 === 0 ? first : second).request(
            'PUT',
            path,
            { resourceType: 'Patient', id: 'raced', name: [{ family: `n${number}` }] },
            headers,
          ),
        ),
      );
    const created = await race({ 'if-none-match': '*' });
    expect(created.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(created.filter((answer) => answer.status === 412)).toHaveLength(49);
    const updated = await race({ 'if-match': 'W/"1"' });
    expect(updated.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(updated.filter((answer) => answer.status === 412)).toHaveLength(49);
    expect((await first.request('GET', `${path}/_history`)).json.entry).toHaveLength(2);
  });

  it('let a reader of the version-sequence miss nothing under eight writers', async () => {
    const { first, second, database } = servers;
    const opened = await openCore({ database });
    const context = await opened.context('system', 'r4');
    const started = await opened.core.streams.changes(context, 0, 1000);
    let last = started.at(-1)?.sequence ?? 0;
    const begin = last;
    let isWriting = true;
    const followed: number[] = [];
    const names: string[] = [];
    const follow = async (): Promise<void> => {
      for (;;) {
        // Read before: everything written until then must be reported.
        const isLast = !isWriting;
        const changes = await opened.core.streams.changes(context, last, 50);
        for (const { sequence, type, id, versionId } of changes) {
          expect(sequence).toBeGreaterThan(last);
          last = sequence;
          followed.push(sequence);
          names.push(`${type}/${id}/${versionId}`);
        }
        if (changes.length === 0 && isLast) return;
      }
    };
    const following = follow();
    const reported: string[] = [];
    const write = async (writer: number): Promise<void> => {
      const server = writer % 2 === 0 ? first : second;
      const root = server.path('system', 'r4');
      const until = Date.now() + 6_000;
      for (let step = 0; Date.now() < until || reported.length <= FEWEST_WRITES; step++) {
        const id = step % 3 === 0 ? 'followed-shared' : `followed-${writer}`;
        const type = ['Patient', 'Observation', 'Basic'][step % 3] ?? 'Patient';
        const bare: Record<string, unknown> = {
          resourceType: type,
          id,
          meta: { tag: [{ code: `s${step}` }] },
        };
        const more =
          type === 'Observation'
            ? { status: 'final', code: { text: 'x' } }
            : type === 'Basic'
              ? { code: { text: 'x' } }
              : {};
        const { status, headers } = await server.request('PUT', `${root}/${type}/${id}`, {
          ...bare,
          ...more,
        });
        expect([200, 201]).toContain(status);
        reported.push(`${type}/${id}/${/\d+/.exec(headers.etag ?? '')?.[0] ?? ''}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    isWriting = false;
    await following;
    await opened.close();
    expect(followed).toEqual(Array.from({ length: followed.length }, (_, index) => begin + 1 + index));
    expect([...names].sort()).toEqual([...reported].sort());
  });

  it('leave an index that matches the stored versions', async () => {
    const opened = await openCore({ database: servers.database });
    expect(await opened.differences('system')).toEqual([]);
    await opened.close();
  });
});

it('four processes start at once on an empty database', async () => {
  const database = await createTestDatabase({ empty: true });
  const servers = await Promise.all(Array.from({ length: 4 }, () => startProcess({ database })));
  const answers = await Promise.all(
    servers.map((server, number) =>
      server.request('POST', `${server.path('system', number % 2 === 0 ? 'r4' : 'r4b')}/Patient`, {
        resourceType: 'Patient',
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  for (const [number, answer] of answers.entries()) {
    const other = servers[(number + 2) % 4];
    const path = `${other?.path('system', number % 2 === 0 ? 'r4' : 'r4b') ?? ''}/Patient/${answer.json.id}`;
    expect((await other?.request('GET', path))?.status).toBe(200);
  }
  const search = await servers[3]?.request(
    'GET',
    `${servers[3].path('system', 'r4')}/StructureDefinition?url=http://hl7.org/fhir/StructureDefinition/Patient`,
  );
  expect(search?.json.entry).toHaveLength(1);
  await Promise.all(servers.map((server) => server.close()));
  await database.drop();
});
