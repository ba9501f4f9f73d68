/** Definitions change in one process: no other answers with outdated ones, whatever it has cached. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { copyProgram } from '../support/program';
import { startTestRedis, type TestRedis } from '../support/redis';
import { findServices, runOnServer } from '../support/services';
import { startForwarder, type Forwarder } from './forwarder';
import { eventually } from '../support/eventually';
import { startTwoServers, type MeasuredServer, type TwoServers } from './two-servers';

const HITS = 'andiron_cache_lookups_total{outcome="hit"}';
const UNREACHABLE = 'andiron_cache_lookups_total{outcome="unreachable"}';
const JSON_TYPE = { 'content-type': 'application/json' };
const RESTART =
  'A process with other definitions has replaced the base conformance resources: restart this one';
const GENDERS = 'http://hl7.org/fhir/administrative-gender';
const ALL_GENDERS = 'http://hl7.org/fhir/ValueSet/administrative-gender';

type Server = Pick<ServerProcess, 'request' | 'path'>;

async function put(server: Server, tenant: string, resource: Record<string, unknown>): Promise<void> {
  const path = `${server.path(tenant, 'r4')}/${String(resource['resourceType'])}/${String(resource['id'])}`;
  const { status, text } = await server.request('PUT', path, resource);
  if (status !== 200 && status !== 201) throw new Error(text);
}

async function invoke(
  server: Server,
  tenant: string,
  operation: string,
  input: Readonly<Record<string, string>>,
): Promise<{ status: number; json: ReturnType<typeof JSON.parse> }> {
  const query = new URLSearchParams(input).toString();
  return server.request('GET', `${server.path(tenant, 'r4')}/${operation}?${query}`);
}

interface Member {
  readonly code: string;
  readonly display: string;
  readonly contains?: readonly Member[];
}

const flatten = (members: readonly Member[]): string[] =>
  members.flatMap(({ code, display, contains }) => [`${code} ${display}`, ...flatten(contains ?? [])]);

/** `code display` of each member of the expansion, sorted. */
async function expand(server: Server, tenant: string, url: string, filter?: string): Promise<string[]> {
  const input = { url, ...(filter === undefined ? {} : { filter }) };
  const { status, json } = await invoke(server, tenant, 'ValueSet/$expand', input);
  expect(status).toBe(200);
  return flatten(json.expansion.contains ?? []).sort();
}

async function lookUp(server: Server, tenant: string, system: string, code: string): Promise<string> {
  const { json } = await invoke(server, tenant, 'CodeSystem/$lookup', { system, code });
  return json.parameter.find(({ name }: { name: string }) => name === 'display').valueString;
}

const COLOURS = 'http://example.org/colours';
const ALL_COLOURS = 'http://example.org/all-colours';
const colours = (round: number): Record<string, unknown> => ({
  resourceType: 'CodeSystem',
  id: 'colours',
  url: COLOURS,
  status: 'active',
  content: 'complete',
  hierarchyMeaning: 'is-a',
  // Red is below warm in every other round.
  concept: [
    {
      code: 'warm',
      display: `Warm ${round}`,
      ...(round % 2 === 0 ? {} : { concept: [{ code: 'red', display: `Red ${round}` }] }),
    },
    ...(round % 2 === 0 ? [{ code: 'red', display: `Red ${round}` }] : []),
    { code: `only-${round}`, display: `Of round ${round}` },
  ],
});
const allColours = {
  resourceType: 'ValueSet',
  id: 'all-colours',
  url: ALL_COLOURS,
  status: 'active',
  compose: { include: [{ system: COLOURS }] },
};

/** All that a process says of the colours. */
async function sayings(server: Server): Promise<unknown> {
  const red = { code: 'red', display: 'Red 1' };
  const subsumes = { system: COLOURS, codeA: 'warm', codeB: 'red' };
  return {
    expansion: await expand(server, 'system', ALL_COLOURS),
    display: await lookUp(server, 'system', COLOURS, 'red'),
    valid: (await invoke(server, 'system', 'CodeSystem/$validate-code', { url: COLOURS, ...red })).json,
    member: (
      await invoke(server, 'system', 'ValueSet/$validate-code', { url: ALL_COLOURS, system: COLOURS, ...red })
    ).json,
    subsumption: (await invoke(server, 'system', 'CodeSystem/$subsumes', subsumes)).json,
  };
}

function expectRound(answers: unknown, round: number): void {
  const isFirst = round === 1;
  const result = expect.arrayContaining([expect.objectContaining({ name: 'result', valueBoolean: isFirst })]);
  expect(answers).toEqual({
    expansion: [`only-${round} Of round ${round}`, `red Red ${round}`, `warm Warm ${round}`],
    display: `Red ${round}`,
    valid: expect.objectContaining({ parameter: result }),
    member: expect.objectContaining({ parameter: result }),
    subsumption: expect.objectContaining({
      parameter: [expect.objectContaining({ valueCode: round % 2 === 0 ? 'not-subsumed' : 'subsumes' })],
    }),
  });
}

describe("a tenant's own terminology", () => {
  let redis: TestRedis;
  let forwarder: Forwarder;
  let servers: TwoServers;
  beforeAll(async () => {
    redis = await startTestRedis();
    forwarder = await startForwarder();
    forwarder.point(redis.port);
    servers = await startTwoServers({ REDIS_HOST: '127.0.0.1', REDIS_PORT: String(forwarder.port) });
    await put(servers.first, 'system', allColours);
  });
  afterAll(async () => {
    await servers.close();
    await forwarder.close();
    await redis.stop();
  });
  const both = (): MeasuredServer[] => [servers.first, servers.second];
  const reach = (isReached: boolean) =>
    eventually(async () => {
      const ready = await Promise.all(both().map((server) => server.request('GET', '/health/ready')));
      return ready.every(({ text }) => text.includes('Redis') !== isReached);
    }, 30_000);

  /** Writes the colours of a round in one process and requests both, each twice: the second time from the cache. */
  async function runRound(round: number): Promise<void> {
    const [writer, other] =
      round % 2 === 0 ? [servers.first, servers.second] : [servers.second, servers.first];
    await put(writer, 'system', colours(round));
    for (const server of [other, writer, other, writer]) expectRound(await sayings(server), round);
  }

  it('is answered in the last version of the other process, and cached', async () => {
    await reach(true);
    const before = await Promise.all(both().map((server) => server.metric(HITS)));
    for (let round = 1; round <= 6; round++) await runRound(round);
    const after = await Promise.all(both().map((server) => server.metric(HITS)));
    for (const [number, hits] of after.entries()) expect(hits).toBeGreaterThan((before[number] ?? 0) + 3);
  });

  it('is answered in that version while Redis is down, and after it returned with older entries', async () => {
    await put(servers.first, 'system', colours(1));
    for (const server of both()) expectRound(await sayings(server), 1);
    forwarder.cut();
    await reach(false);
    const before = await servers.first.metric(UNREACHABLE);
    for (let round = 2; round <= 5; round++) await runRound(round);
    expect(await servers.first.metric(UNREACHABLE)).toBeGreaterThan(before);
    forwarder.point(redis.port);
    await reach(true);
    for (const server of both()) expectRound(await sayings(server), 5);
    await runRound(6);
  });

  it('hides the base resource of the same url in this tenant alone, until it is deleted', async () => {
    const { first, second } = servers;
    const created = await first.request('POST', '/w/system/api/v1/tenants', { name: 'other' }, JSON_TYPE);
    expect(created.status).toBe(201);
    const official = ['female Female', 'male Male', 'other Other', 'unknown Unknown'];
    const everywhere = () =>
      Promise.all(
        both().flatMap((server) => ['system', 'other'].map((tenant) => expand(server, tenant, ALL_GENDERS))),
      );
    expect(await everywhere()).toEqual([official, official, official, official]);
    await put(first, 'system', {
      resourceType: 'CodeSystem',
      id: 'own-genders',
      url: GENDERS,
      status: 'draft',
      content: 'complete',
      concept: [{ code: 'one', display: 'One' }],
    });
    expect(await everywhere()).toEqual([['one One'], official, ['one One'], official]);
    const path = `${second.path('system', 'r4')}/CodeSystem/own-genders`;
    expect((await second.request('DELETE', path)).status).toBe(200);
    expect(await everywhere()).toEqual([official, official, official, official]);
  });
});

describe('the base conformance resources', () => {
  let folder: string;
  let newer: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'andiron-definitions-'));
    newer = path.join(folder, 'newer');
    const genders = '{"resourceType":"CodeSystem","id":"administrative-gender"';
    await copyProgram(newer, (lines) =>
      lines
        .split('\n')
        .map((line) =>
          line.startsWith(genders) ? line.replace('"display":"Female"', '"display":"Woman"') : line,
        )
        .join('\n'),
    );
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function expectDisplay(server: Server, display: string): Promise<void> {
    expect(await expand(server, 'system', ALL_GENDERS)).toContain(`female ${display}`);
    expect(await lookUp(server, 'system', GENDERS, 'female')).toBe(display);
  }
  const mustRestart = async (server: Server): Promise<boolean> => {
    const { status, text } = await server.request('GET', '/health/ready');
    expect(status).toBe(200);
    return text.includes(RESTART);
  };

  it.each([
    ['with Redis', true],
    ['without Redis', false],
  ])('are those of the process that started last, in every process, %s', async (_, hasRedis) => {
    const { redis } = findServices();
    const database = await createTestDatabase();
    const environment = { REDIS_HOST: redis.host, REDIS_PORT: hasRedis ? String(redis.port) : '1' };
    const before = await startProcess({ database, environment });
    await expectDisplay(before, 'Female');
    expect(await mustRestart(before)).toBe(false);

    const genders = `${before.path('system', 'r4')}/CodeSystem/administrative-gender`;
    const { headers } = await before.request('GET', genders);
    const cached = { 'if-none-match': headers.etag ?? '' };
    expect((await before.request('GET', genders, undefined, cached)).status).toBe(304);

    const next = await startProcess({ database, environment, program: newer });
    expect((await next.request('GET', genders, undefined, cached)).status).toBe(200);
    await expectDisplay(before, 'Woman');
    await expectDisplay(next, 'Woman');
    // Asked for the first time by a process that the definitions have left behind.
    expect(await expand(before, 'system', ALL_GENDERS, 'female')).toEqual(['female Woman']);
    expect([await mustRestart(before), await mustRestart(next)]).toEqual([true, false]);
    if (hasRedis) await eventually(async () => (await before.output()).includes(RESTART), 20_000);

    // The new version is removed again.
    await before.close();
    const again = await startProcess({ database, environment });
    expect(await expand(again, 'system', ALL_GENDERS, 'female')).toEqual(['female Female']);
    for (const server of [again, next]) await expectDisplay(server, 'Female');
    expect([await mustRestart(again), await mustRestart(next)]).toEqual([false, true]);
    await again.close();
    await next.close();
    await database.drop();
  });
});

it('after a restore nothing is answered that was written after the backup', async () => {
  const { redis, server: postgres } = findServices();
  const environment = { REDIS_HOST: redis.host, REDIS_PORT: String(redis.port) };
  const database: TestDatabase = await createTestDatabase();
  const name = database.settings.database;
  const withServer = async (work: (server: ServerProcess) => Promise<void>): Promise<void> => {
    const server = await startProcess({ database, environment });
    await work(server);
    await server.terminate();
    await server.close();
  };
  await withServer((server) => put(server, 'system', allColours));
  await runOnServer(postgres, `create database "${name}_backup" template "${name}"`);
  await withServer(async (server) => {
    await put(server, 'system', colours(1));
    expect(await expand(server, 'system', ALL_COLOURS)).toContain('red Red 1');
  });
  await runOnServer(postgres, `drop database "${name}" with (force)`);
  await runOnServer(postgres, `create database "${name}" template "${name}_backup"`);
  await withServer(async (server) => {
    // The same version-sequence as the lost change.
    await put(server, 'system', colours(2));
    expect(await expand(server, 'system', ALL_COLOURS)).toContain('red Red 2');
  });
  await runOnServer(postgres, `drop database "${name}_backup" with (force)`);
  await database.drop();
});
