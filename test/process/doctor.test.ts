/** `andiron doctor` against real services, and against those that are missing or set wrongly. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { noteRunning } from '../../src/embedded/running';
import { runHere } from '../support/command-here';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';
import { createShell, type Ended } from '../support/run-command';

const ROLE = `doctor_${process.pid}`;

interface Finding {
  readonly verdict: string;
  readonly about: string;
  readonly text: string;
}

const examine = (environment: Record<string, string>, ...args: readonly string[]): Promise<Ended> =>
  runHere(['doctor', ...args], { environment });

async function findingsOf(
  environment: Record<string, string>,
): Promise<{ code: number; findings: Finding[] }> {
  const { code, output } = await examine(environment, '--json');
  return { code, findings: JSON.parse(output) as Finding[] };
}

const about = (name: string, findings: readonly Finding[]): readonly string[] =>
  findings.filter((one) => one.about === name).map(({ verdict, text }) => `${verdict}: ${text}`);

let database: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  empty = await createTestDatabase({ empty: true });
});
afterAll(async () => {
  await empty.drop();
  await database.drop();
});

it('finds nothing wrong where all is well, in a line for each matter', async () => {
  const { code, output } = await examine(toEnvironment(database));
  expect(code).toBe(0);
  const lines = output.trimEnd().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ok +settings +.*every request is allowed/),
      expect.stringMatching(/^ok +database +PostgreSQL \d+\.\d+.* at .*user /),
      expect.stringMatching(/^ok +rights +\S+ can use row-level security$/),
      expect.stringMatching(/^ok +clock +It differs by 0\.\d s/),
      expect.stringMatching(/^(ok|warning) +redis +Redis \d/),
      expect.stringMatching(/^ok +disk /),
    ]),
  );
});

it('says that an empty database is filled by the first start, and changes nothing in it', async () => {
  for (let run = 0; run < 2; run++) {
    const { code, findings } = await findingsOf(toEnvironment(empty));
    expect([code, about('database', findings)]).toEqual([
      0,
      expect.arrayContaining(['ok: It is empty: the first start fills it']),
    ]);
  }
});

it('names the settings of services that cannot be reached', async () => {
  const environment = { ...toEnvironment(database), FHIR_DATABASE_PORT: '1', REDIS_PORT: '1' };
  const { code, findings } = await findingsOf(environment);
  expect(code).toBe(1);
  expect(about('database', findings)).toEqual([
    expect.stringMatching(
      /^fault: PostgreSQL at .*, port 1, cannot be reached: connect ECONNREFUSED .*:1\. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT$/,
    ),
  ]);
  expect(about('redis', findings)).toEqual([
    expect.stringMatching(
      /^warning: .*:1 cannot be used: connect ECONNREFUSED .*The server runs without it, slower \(REDIS_HOST, REDIS_PORT\)$/,
    ),
  ]);
});

it('tells each malformed setting', async () => {
  const { code, findings } = await findingsOf({ ...toEnvironment(database), PORT: 'many', MAX_DEPTH: '3' });
  expect([code, findings.map(({ verdict, text }) => `${verdict} ${text.split(' ')[0] ?? ''}`)]).toEqual([
    1,
    ['fault PORT', 'fault MAX_DEPTH'],
  ]);
});

it('tells rights that a user of the database lacks', async () => {
  const owner = new Client(empty.settings);
  await owner.connect();
  try {
    await owner.query(`create role ${ROLE} login password 'plain'`);
    const environment = {
      ...toEnvironment(empty),
      FHIR_DATABASE_USERNAME: ROLE,
      FHIR_DATABASE_PASSWORD: 'plain',
    };
    const { code, findings } = await findingsOf(environment);
    expect(code).toBe(1);
    expect(about('rights', findings)[0]).toMatch(`fault: ${ROLE} may not create the schema`);
    const wrong = await findingsOf({ ...environment, FHIR_DATABASE_NAME: 'nowhere' });
    expect(about('database', wrong.findings)[0]).toMatch(
      /database "nowhere" does not exist\. Create it with createdb, or check FHIR_DATABASE_NAME$/,
    );
    const misspelled = await findingsOf({ ...toEnvironment(empty), REDIS_HOTS: 'x' });
    expect(about('settings', misspelled.findings)).toContain(
      'warning: REDIS_HOTS is not a setting; did you mean REDIS_HOST?',
    );
  } finally {
    await owner.query(`drop role if exists ${ROLE}`);
    await owner.end();
  }
});

// In a process of its own, because it notes where settings come from.
it('finds the running quick start at the address that it has, whatever its port', async () => {
  const state = await mkdtemp(path.join(tmpdir(), 'andiron-doctor-'));
  const before = process.env['XDG_STATE_HOME'];
  process.env['XDG_STATE_HOME'] = state;
  const forget = await noteRunning(
    { address: 'http://localhost:4711', environment: { ...toEnvironment(database), PORT: '0' } },
    undefined,
  );
  try {
    const shell = await createShell(state, { XDG_STATE_HOME: state });
    const { code, output } = await shell.run('andiron doctor');
    expect(code).toBe(0);
    expect(output).toMatch(/^ok +settings +http:\/\/localhost:4711, every request is allowed/m);
  } finally {
    await forget();
    if (before === undefined) delete process.env['XDG_STATE_HOME'];
    else process.env['XDG_STATE_HOME'] = before;
    await rm(state, { recursive: true });
  }
});
