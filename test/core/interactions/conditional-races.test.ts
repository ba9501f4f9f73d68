/**
 * A resource that meets the criteria of a write when it is found, and not any more when it is written:
 * https://hl7.org/fhir/R4/http.html#cond-update. Two servers' cores of one database; who is first is decided by locks that
 * the test holds in PostgreSQL, not by time.
 */
import { Client } from 'pg';
import { toResourceInput, type FhirError, type RequestContext } from '../../../src/core';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { lockConditions } from '../../../src/core/storage/write/condition-lock';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const SYSTEM = 'http://hospital.example/mrn';
const LIMITS = { maxDepth: 64 };

let database: TestDatabase;
let one: OpenedCore;
let other: OpenedCore;
/** Holds the locks. */
let holder: Client;
let observer: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  one = await openCore({ database });
  other = await openCore({ database });
  await one.core.tenants.create('several', { 'conditional-delete': 'multiple' });
  [holder, observer] = [new Client(database.settings), new Client(database.settings)];
  await Promise.all([holder.connect(), observer.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), observer.end()]);
  await Promise.all([one.close(), other.close()]);
  await database.drop();
});

const input = (resource: object): ReturnType<typeof toResourceInput> =>
  toResourceInput(JSON.stringify(resource), LIMITS);
const patient = (value: string, family: string, id?: string): object => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: SYSTEM, value }],
  name: [{ family }],
});
const criteriaOf = (value: string) => [['identifier', `${SYSTEM}|${value}`]] as const;

async function untilWaiting(statements: number): Promise<void> {
  for (;;) {
    const { rows } = await observer.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.count ?? 0) >= statements) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Between the search of a conditional write and its transaction: it waits for all conditional writes of patients. */
async function holdCondition({ space }: RequestContext): Promise<void> {
  const type = loadDefinitions(space.release).typeNumber('Patient') ?? 0;
  await holder.query('begin');
  await lockConditions(
    async (_statement, values) => {
      const keys = values['keys'];
      await holder.query('select pg_advisory_xact_lock(key) from unnest($1::bigint[]) as x (key)', [keys]);
      return [];
    },
    space.number,
    [{ locks: [{ type, value: '', isShared: false }] }],
  );
}

/** Locks a resource in an open transaction, as a write does: other writers of the resource wait. */
async function holdHead({ space }: RequestContext, id: string): Promise<void> {
  await holder.query('begin');
  const head = 'select from andiron.resource where space = $1 and id = $2 for update';
  expect((await holder.query(head, [space.number, id])).rowCount).toBe(1);
}

type Outcome = string | readonly string[];

/** Returns the outcome of a write. */
async function outcomeOf(work: Promise<Outcome>): Promise<Outcome> {
  try {
    return await work;
  } catch (error) {
    return (error as FhirError).key;
  }
}

const WRITES: readonly [
  name: string,
  tenant: string,
  write: (context: RequestContext, value: string) => Promise<Outcome>,
  expected: Outcome,
][] = [
  [
    'an update creates another resource',
    'system',
    async (context, value) => {
      const body = input(patient(value, 'Conditional'));
      const { created } = await one.core.interactions.updateWhere(context, {
        type: 'Patient',
        criteria: criteriaOf(value),
        input: body,
      });
      return created ? 'created' : 'updated';
    },
    'created',
  ],
  [
    'a patch finds nothing',
    'system',
    async (context, value) => {
      const patch = toResourceInput('[{"op":"add","path":"/active","value":true}]', LIMITS);
      await one.core.interactions.patchWhere(context, {
        type: 'Patient',
        criteria: criteriaOf(value),
        patch,
      });
      return 'patched';
    },
    'noMatch',
  ],
  [
    'a delete deletes nothing',
    'system',
    async (context, value) =>
      (await one.core.interactions.deleteWhere(context, 'Patient', criteriaOf(value))).map(({ id }) => id),
    [],
  ],
  [
    'a delete of several resources deletes the others',
    'several',
    async (context, value) =>
      (await one.core.interactions.deleteWhere(context, 'Patient', criteriaOf(value)))
        .map(({ id }) => id)
        .sort(),
    ['second', 'third'],
  ],
];

let last = 0;

describe.each([
  ['before the transaction', holdCondition, 0],
  ['during the transaction', holdHead, 1],
])(
  'a resource that another writer changes %s so that it no longer matches the criteria',
  (_title, hold, waitingBefore) => {
    it.each(WRITES)('is not affected: %s', async (_name, tenant, write, expected) => {
      const value = `value-${++last}`;
      const [here, there] = [await one.context(tenant, 'r4'), await other.context(tenant, 'r4')];
      const put = (id: string, of: string, family: string) =>
        other.core.interactions.update(there, { type: 'Patient', id, input: input(patient(of, family, id)) });
      const id = `first-${last}`;
      await put(id, value, 'Before');
      if (tenant === 'several') for (const more of ['second', 'third']) await put(more, value, 'Before');

      await hold(here, id);
      const change = () => put(id, 'no longer', 'Changed');
      // Writers get the lock of a head in the order in which they began to wait.
      const early = waitingBefore > 0 ? change() : undefined;
      if (early !== undefined) await untilWaiting(waitingBefore);
      const written = outcomeOf(write(here, value));
      await untilWaiting(waitingBefore + 1);
      if (early === undefined) await change();
      await holder.query('commit');
      await early;

      expect(await written).toEqual(expected);
      const kept = await other.core.interactions.read(there, 'Patient', id);
      expect([kept.versionId, kept.text.includes('Changed')]).toEqual([2, true]);
    });
  },
);

it('a conditional write is refused if a concurrent write creates a second match', async () => {
  const [here, there] = [await one.context('system', 'r4b'), await other.context('system', 'r4b')];
  const first = await other.core.interactions.create(there, 'Patient', input(patient('twice', 'Before')));
  await holdCondition(here);
  const written = outcomeOf(
    one.core.interactions
      .updateWhere(here, {
        type: 'Patient',
        criteria: criteriaOf('twice'),
        input: input(patient('twice', 'Conditional')),
      })
      .then(() => 'updated'),
  );
  await untilWaiting(1);
  await other.core.interactions.create(there, 'Patient', input(patient('twice', 'Second')));
  await holder.query('commit');
  expect(await written).toBe('multipleMatches');
  expect((await other.core.interactions.read(there, 'Patient', first.version.id)).versionId).toBe(1);
});
