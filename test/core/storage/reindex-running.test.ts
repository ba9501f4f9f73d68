/** `andiron reindex` while servers write, and what makes it needed: settings that search depends on. */
import { Client, DatabaseError } from 'pg';
import { createApp } from '../../../src/app';
import { parseJson, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { closedAtEnd } from '../../support/left-open';
import { silentLog } from '../../support/log';
import { makeSettings, OPEN } from '../../support/server';
import { rounds } from '../../support/rounds';

const HOME = 'https://fhir.example';
const ADDRESS = `${HOME}/w/system/api/v1/fhir/r4`;

// Resources that a test opens are closed after it (left-open.ts).
let database: TestDatabase;
let owner: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
  closedAtEnd(() => owner.end());
});

const open = (publicUrl?: string): Promise<OpenedCore> =>
  openCore({ database, environment: publicUrl === undefined ? {} : { ...OPEN, PUBLIC_URL: publicUrl } });

async function put(opened: OpenedCore, resource: { resourceType: string; id: string }): Promise<void> {
  const context = await opened.context('system', 'r4');
  await opened.core.interactions.update(context, {
    type: resource.resourceType,
    id: resource.id,
    input: parseJson(JSON.stringify(resource)),
  });
}

const observationOf = (subject: string, id = 'weight') => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
  subject: { reference: subject },
  effectiveDateTime: '2016-03-28',
});

async function found(opened: OpenedCore, subject: string): Promise<string[]> {
  const context = await opened.context('system', 'r4');
  const page = await opened.core.interactions.search(context, {
    type: 'Observation',
    parameters: [['subject', subject]],
  });
  return page.matches.map(({ id }) => id);
}

const OUTDATED = expect.stringMatching(
  /^The search index of 1 spaces .* was made with another PUBLIC_URL, HOST or PORT: .* until npx --no-install andiron reindex has run$/,
) as string;
const notices = async (opened: OpenedCore): Promise<readonly string[]> =>
  (await opened.core.health.readiness()).notices.filter((notice) => notice.includes('reindex'));

describe('a changed PUBLIC_URL', () => {
  it('makes absolute references local after a reindex, and is reported until then', async () => {
    const before = await open();
    await put(before, observationOf(`${ADDRESS}/Patient/example`));
    expect(await notices(before)).toEqual([]);
    expect(await found(before, 'Patient/example')).toEqual([]);

    const after = await open(HOME);
    expect(await notices(after)).toEqual([OUTDATED]);
    const { spaces, madeWith, now } = await after.core.health.outdatedIndex();
    expect(spaces).toBe(1);
    expect(madeWith).toEqual([
      expect.stringMatching(/^rows \d+, fold table \d+, definitions \w+, own addresses none$/),
    ]);
    expect(now.r4).toMatch(/, own addresses https:\/\/fhir\.example$/);
    expect(await found(after, 'Patient/example')).toEqual([]);
    expect(await after.differences('system')).not.toEqual([]);

    expect(await after.reindex({ tenant: 'system' })).toMatchObject({ repaired: 1 });
    expect(await found(after, 'Patient/example')).toEqual(['weight']);
    expect(await found(after, `${ADDRESS}/Patient/example`)).toEqual(['weight']);
    expect(await after.differences('system')).toEqual([]);
    expect(await notices(after)).toEqual([]);
    // A process that was forgotten when the setting was changed.
    expect(await notices(before)).toEqual([OUTDATED]);

    expect(await before.reindex({ tenant: 'system' })).toMatchObject({ repaired: 1 });
    expect(await found(before, 'Patient/example')).toEqual([]);
  });

  it('that is changed back is reported too, if something was written meanwhile', async () => {
    const before = await open();
    await put(before, observationOf(`${ADDRESS}/Patient/example`));
    const meanwhile = await open(HOME);
    await put(meanwhile, observationOf(`${ADDRESS}/Patient/example`, 'other'));
    await meanwhile.close();
    expect(await notices(before)).toEqual([OUTDATED]);
    await before.reindex({ tenant: 'system' });
    expect(await notices(before)).toEqual([]);
    expect(await before.differences('system')).toEqual([]);
  });

  it('in another order or repeated is no change, and makes no difference if nothing was written', async () => {
    const first = await open(`${HOME},http://localhost:1`);
    await put(first, observationOf('Patient/example'));
    await first.core.tenants.create('empty');
    await first.close();
    const second = await open(`http://localhost:1,${HOME},${HOME}`);
    expect(await notices(second)).toEqual([]);
  });

  it('is reported until the reindex ends', async () => {
    const before = await open();
    await put(before, observationOf(`${ADDRESS}/Patient/example`));
    await put(before, { resourceType: 'Patient', id: 'example' });
    await before.close();
    const after = await open(HOME);
    for await (const { repaired } of after.core.jobs.reindex({ tenant: 'system' })) {
      expect(repaired).toBe(1);
      break;
    }
    expect(await notices(after)).toEqual([OUTDATED]);
    // The old setting would not do any more either.
    const again = await open();
    expect(await notices(again)).toEqual([OUTDATED]);
    await again.close();
    await after.reindex({ tenant: 'system' });
    expect(await notices(after)).toEqual([]);
  });
});

/** Returns the warnings about indexing rules of a start with that address, and the answer of its readiness. */
async function start(publicUrl: string): Promise<{ warnings: unknown[]; status: number; notices: string[] }> {
  const warnings: unknown[] = [];
  const warn = (details: object, message: string): void => {
    // A slow machine is a reason for others.
    if ('madeWith' in details) warnings.push({ ...details, message });
  };
  const app = await createApp(makeSettings(database, { ...OPEN, PUBLIC_URL: publicUrl }), {
    ...silentLog,
    warn,
  });
  const { host, port } = await app.listen();
  const answer = await fetch(`http://${host}:${port}/health/ready`);
  const { notices } = (await answer.json()) as { notices: string[] };
  await app.close();
  return { warnings, status: answer.status, notices };
}

it('a server with other indexing rules than the stored rows reports it once at its start, and is ready', async () => {
  const opened = await open(HOME);
  await put(opened, observationOf(`${ADDRESS}/Patient/example`));
  expect(await start(HOME)).toEqual({ warnings: [], status: 200, notices: [] });
  const other = 'https://elsewhere.example';
  const { warnings, status, notices } = await start(other);
  expect(warnings).toEqual([
    {
      spaces: 1,
      madeWith: [expect.stringContaining(`own addresses ${HOME}`)],
      now: {
        r4: expect.stringContaining(`own addresses ${other}`) as string,
        r4b: expect.stringContaining(`own addresses ${other}`) as string,
      },
      message: expect.stringMatching(/until npx --no-install andiron reindex has run$/) as string,
    },
  ]);
  expect(status).toBe(200);
  expect(notices).toEqual([OUTDATED]);
});

it('a database without recorded indexing rules asks for a reindex', async () => {
  const before = await open();
  await put(before, observationOf('Patient/1'));
  await before.close();
  await owner.query(`update andiron.space_state set rows_made_with = '{unknown}' where space = 3`);
  const opened = await open();
  expect(await opened.core.health.outdatedIndex()).toMatchObject({ spaces: 1, madeWith: ['unknown'] });
  await opened.reindex({ tenant: 'system' });
  expect(await opened.core.health.outdatedIndex()).toMatchObject({ spaces: 0 });
});

/** deadlock_detected */
const DEADLOCK = '40P01';

describe('while eight writers work', () => {
  const RESOURCES = 40;
  const WRITERS = 8;
  const ROUNDS = rounds(3, 10);

  /**
   * Changes rows in any order, beside writers that do so in theirs: where PostgreSQL ends this statement of a deadlock, and
   * not that of a writer, it is run again.
   */
  async function damage(statement: string): Promise<void> {
    for (;;) {
      try {
        await owner.query(statement);
        return;
      } catch (error) {
        if (!(error instanceof DatabaseError) || error.code !== DEADLOCK) throw error;
      }
    }
  }

  /** Writes that were answered. */
  let written = 0;

  /** Updates, deletes and creates while `isGoingOn`. */
  async function write(opened: OpenedCore, writer: number, isGoingOn: () => boolean): Promise<void> {
    const context: RequestContext = await opened.context('system', 'r4');
    for (let writes = 0; isGoingOn(); writes++) {
      const id = `contended-${(writer * 7 + writes) % RESOURCES}`;
      const subject = writes % 2 === 0 ? `${ADDRESS}/Patient/${writes % 5}` : `Patient/${writes % 5}`;
      const resource = {
        ...observationOf(subject, id),
        status: ['final', 'amended', 'corrected'][writes % 3],
        effectiveDateTime: `20${10 + (writes % 10)}-03-28`,
      };
      const document = parseJson(JSON.stringify(resource));
      if (writes % 11 === 3) await opened.core.interactions.delete(context, 'Observation', id);
      else if (writes % 11 === 7) await opened.core.interactions.create(context, 'Observation', document);
      else await opened.core.interactions.update(context, { type: 'Observation', id, input: document });
      written++;
    }
  }

  it('leaves no wrong row, whatever was wrong before', async () => {
    // Every resource begins with rows of the old setting.
    const old = await open();
    for (let number = 0; number < RESOURCES; number++)
      await put(old, observationOf(`${ADDRESS}/Patient/${number % 5}`, `contended-${number}`));
    await old.close();
    // Two processes, so that the queues of one do not keep the writers apart.
    const [first, second] = [await open(HOME), await open(HOME)];
    let isGoingOn = true;
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(writer % 2 === 0 ? first : second, writer, () => isGoingOn),
    );
    let repaired = 0;
    for (let round = 0; round < ROUNDS || repaired <= RESOURCES || written <= WRITERS * 10; round++) {
      // Anything may happen to the rows; whole columns only, so that it happens to resources under change.
      await damage(`delete from andiron.reference_index where space > 2 and random() < 0.3`);
      await damage(`update andiron.range_index set low = low - 1 where space > 2 and random() < 0.3`);
      await damage(
        `insert into andiron.token_index select * from andiron.token_index where space > 2 and random() < 0.3`,
      );
      repaired += (await first.reindex({ tenant: 'system' })).repaired;
    }
    await second.reindex({ tenant: 'system' });
    isGoingOn = false;
    await Promise.all(writers);
    expect(await first.differences('system')).toEqual([]);
    expect(await notices(first)).toEqual([]);
  });
});
