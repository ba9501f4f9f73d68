/**
 * Erasures of a resource, of a patient’s record and of a tenant are killed at random moments: each of them has erased
 * all, or nothing of one unit, and resumes when it is requested again; its report says that nothing is left, and
 * nothing is found in any table. Each process executes one of each kind at the same time when it is killed.
 *
 * ERASURES is their least number: it goes on until all outcomes have occurred.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { startServer, type Answer, type TestServer } from '../support/server';
import { countHalves, countVersions, fillPatient, isComplete, slowDown, statusOf } from './erased-data';
import { rounds } from '../support/rounds';

const ERASURES = Number(process.env['ERASURES'] ?? rounds(9, 30));
const KINDS = ['resource', 'record', 'tenant'] as const;
type Kind = (typeof KINDS)[number];
const KILLS = Math.ceil(ERASURES / KINDS.length);
/** All ends are met by chance: it goes on until they were, but not for ever. */
const MOST_KILLS = Math.max(60, 6 * KILLS);
const ENVIRONMENT = { PURGE_OPEN: 'on', AUDIT: 'off' };
const TENANTS = '/w/system/api/v1/tenants';
const SHARED = 'shared';
const OBSERVATIONS = 6;
/** Asserts that nothing of the erased data remains: the mark is in every id. */
const MARK = 'tobegone';
/** Milliseconds that each kind takes, until it is measured. */
const GUESS = 500;

/** The outcomes of the erasures of one kind. */
interface Tally {
  took: number;
  answered: number;
  /** Without an answer, of which so many had erased all, some, and nothing. */
  all: number;
  some: number;
  nothing: number;
}

let database: TestDatabase;
let server: TestServer;
let owner: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ database, environment: ENVIRONMENT });
  owner = new Client(database.settings);
  await owner.connect();
  await slowDown(owner);
  await server.createTenant(SHARED);
  await fillPatient(server, SHARED, 'stays', OBSERVATIONS);
});
afterAll(async () => {
  await owner.end();
  await server.close();
  await database.drop();
});

const tallies = new Map<Kind, Tally>(
  KINDS.map((kind) => [kind, { took: GUESS, answered: 0, all: 0, some: 0, nothing: 0 }]),
);
function tallyOf(kind: Kind): Tally {
  const tally = tallies.get(kind);
  if (tally === undefined) throw new Error(kind);
  return tally;
}

/** The erasures of one process. */
interface Erasure {
  readonly kind: Kind;
  /** Versions of it that there are. */
  readonly versions: number;
  readonly name: string;
  send(at: Pick<ServerProcess, 'request'>): Promise<Answer>;
}

async function makeErasures(kill: number): Promise<readonly Erasure[]> {
  const [one, record, doomed] = ['one', 'record', 'doomed'].map((name) => `${MARK}${name}${kill}`);
  if (one === undefined || record === undefined || doomed === undefined) throw new Error('there are three');
  await Promise.all([
    fillPatient(server, SHARED, one, 0),
    fillPatient(server, SHARED, record, OBSERVATIONS),
    server.createTenant(doomed).then(() => fillPatient(server, doomed, doomed, OBSERVATIONS)),
  ]);
  const purge = (id: string) => (at: Pick<ServerProcess, 'request'>) =>
    at.request('POST', `${server.path(SHARED, 'r4')}/Patient/${id}/$purge`);
  const whole = 2 * (OBSERVATIONS + 1);
  return [
    { kind: 'resource', name: one, versions: 2, send: purge(one) },
    { kind: 'record', name: record, versions: whole, send: purge(record) },
    {
      ...{ kind: 'tenant', name: doomed, versions: whole },
      send: (at) => at.request('DELETE', `${TENANTS}/${doomed}?confirm=${doomed}`),
    },
  ];
}

/** Requests all at the same time and kills the process; returns each answer, if there was one. */
async function killDuring(
  victim: ServerProcess,
  erasures: readonly Erasure[],
  aimed: Kind,
): Promise<readonly (Answer | undefined)[]> {
  const began = performance.now();
  const answers = erasures.map(async ({ kind, send }) => {
    try {
      const answer = await send(victim);
      tallyOf(kind).took = performance.now() - began;
      return answer;
    } catch {
      tallyOf(kind).took *= 1.05;
      return undefined;
    }
  });
  await delay(Math.random() * 1.1 * tallyOf(aimed).took);
  await victim.kill();
  const all = await Promise.all(answers);
  await victim.close();
  // As if the 20 seconds had gone by after which a process without a sign of life is not waited for.
  await owner.query(`update andiron.server_process set beat = beat - interval '1 minute'`);
  return all;
}

/** The remains of a killed erasure are whole units, and the same request erases the rest. */
async function expectResumed(
  { kind, name, versions, send }: Erasure,
  answer: Answer | undefined,
): Promise<void> {
  const left = await countVersions(owner, name);
  const tally = tallyOf(kind);
  const status = kind === 'tenant' ? await statusOf(owner, name) : undefined;
  // The data of a tenant go in one step, and the tenant exists until the last.
  const isGone = left === 0 && status === undefined;
  const isWhole = left === versions && (kind !== 'tenant' || status === 'active');
  if (answer === undefined) tally[isGone ? 'all' : isWhole ? 'nothing' : 'some']++;
  else tally.answered++;
  if (kind === 'tenant') {
    // An answered one is complete.
    if (status === 'active') expect([name, left]).toEqual([name, versions]);
    if (answer?.status === 200) expect([status, left]).toEqual([undefined, 0]);
    const again = await send(server);
    if (status === undefined) expect([name, again.status]).toEqual([name, 404]);
    else {
      expect([again.status, again.json.isComplete]).toEqual([200, true]);
      const counts: { name: string; left: number }[] = again.json.tables;
      expect(counts.length).toBeGreaterThan(10);
      expect(counts.filter((table) => table.left !== 0)).toEqual([]);
    }
    return;
  }
  if (kind === 'resource') expect([0, versions]).toContain(left);
  if (answer?.status === 200 && isComplete(answer)) expect(left).toBe(0);
  const again = await send(server);
  expect([name, again.status, isComplete(again)]).toEqual([name, 200, true]);
  const tables = partsOf(again, 'table');
  expect(tables.length).toBeGreaterThan(10);
  for (const name of ['left', 'mentions'])
    expect(tables.filter((table) => table.get(name) !== 0)).toEqual([]);
}

/** The parts of each parameter of this name. */
function partsOf({ json }: Answer, wanted: string): ReadonlyMap<string, unknown>[] {
  const parameters: { name: string; part?: Record<string, unknown>[] }[] = json.parameter;
  return parameters
    .filter(({ name }) => name === wanted)
    .map(
      ({ part = [] }) =>
        new Map(part.map(({ name, ...values }) => [String(name), Object.values(values)[0]] as const)),
    );
}

/** In all tables, in any column; those of the tenants themselves too. */
async function mentions(): Promise<readonly string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'andiron' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: rest } = await owner.query<{ text: string }>(
      `select left(t::text, 200) as text from andiron.${name} t where t::text like '%${MARK}%' limit 1`,
    );
    for (const { text } of rest) found.push(`${name}: ${text}`);
  }
  return found;
}

function isBoth(): boolean {
  return KINDS.every((kind) => {
    const { answered, all, some, nothing } = tallyOf(kind);
    return answered > 0 && all + some + nothing >= KILLS / 4 && (kind === 'resource' || some > 0);
  });
}

it(
  'erasures that are killed have erased all or can be resumed, and their reports prove that nothing is left',
  async () => {
    const start = () => startProcess({ database, environment: ENVIRONMENT });
    let next = start();
    let kill = 0;
    for (; kill < KILLS || (kill < MOST_KILLS && !isBoth()); kill++) {
      const victim = await next;
      // The next process starts while one is killed and its remains are checked.
      next = start();
      const erasures = await makeErasures(kill);
      const answers = await killDuring(victim, erasures, KINDS[kill % KINDS.length] ?? 'record');
      expect(await countHalves(owner, SHARED)).toBe(0);
      await Promise.all(erasures.map((erasure, index) => expectResumed(erasure, answers[index])));
    }
    await (await next).close();
    expect(await mentions()).toEqual([]);
    expect([KILLS, isBoth(), [...tallies]]).toEqual([KILLS, true, [...tallies]]);
    expect(await countVersions(owner, 'stays')).toBe(2 * (OBSERVATIONS + 1));
  },
  180_000 + MOST_KILLS * 10_000,
);
