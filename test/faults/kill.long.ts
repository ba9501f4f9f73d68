/** kill -9 of the server in the middle of writes: acknowledged writes are stored, and nothing is incomplete. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { killRounds } from '../support/rounds';

/** Servers at work at a time: while some are killed, others start. */
const SLOTS = 3;
/** At least one for each of them. */
const KILLS = Math.max(SLOTS, killRounds(12, 50));
const CLIENTS = 6;

/** One client's resource: the acknowledged versions, and the number of attempts. */
interface Tracked {
  readonly path: string;
  readonly acknowledged: Map<number, string>;
  attempts: number;
}

function versionOf(etag: string | undefined): number {
  return Number(/^W\/"(\d+)"$/.exec(etag ?? '')?.[1]);
}

/** Writes until the server is gone. Each acknowledgement is stored with its text. */
async function writeUntilGone(
  server: ServerProcess,
  root: string,
  tracked: Tracked,
  made: Map<string, string>,
): Promise<void> {
  const [, id] = tracked.path.split('/');
  for (;;) {
    tracked.attempts += 1;
    const attempt = tracked.attempts;
    const body = {
      resourceType: 'Patient',
      id,
      name: [{ family: `Attempt${attempt}`, given: [`given-${attempt % 7}`] }],
      birthDate: `19${String(10 + (attempt % 80))}-01-01`,
      identifier: [{ system: 'urn:attempt', value: String(attempt) }],
    };
    try {
      const kind = attempt % 8;
      if (kind === 0) {
        const answer = await server.request('DELETE', `${root}/${tracked.path}`);
        if (answer.status !== 200) throw new Error(`DELETE: ${answer.status} ${answer.text}`);
        if (answer.headers.etag !== undefined) tracked.acknowledged.set(versionOf(answer.headers.etag), '');
      } else if (kind === 1) {
        const observation = {
          resourceType: 'Observation',
          status: 'final',
          code: { text: `o${attempt}` },
          effectiveDateTime: '2020-01-01',
          subject: { reference: tracked.path },
        };
        const answer = await server.request('POST', `${root}/Observation`, observation);
        if (answer.status !== 201) throw new Error(`POST: ${answer.status} ${answer.text}`);
        made.set(`Observation/${answer.json.id}`, answer.text);
      } else if (kind === 2) {
        const patch = [{ op: 'add', path: '/language', value: `x-l${attempt}` }];
        const answer = await server.request('PATCH', `${root}/${tracked.path}`, patch, {
          'content-type': 'application/json-patch+json',
        });
        if (![200, 404, 410].includes(answer.status))
          throw new Error(`PATCH: ${answer.status} ${answer.text}`);
        if (answer.status === 200) tracked.acknowledged.set(versionOf(answer.headers.etag), answer.text);
      } else {
        const answer = await server.request('PUT', `${root}/${tracked.path}`, body);
        if (![200, 201].includes(answer.status)) throw new Error(`PUT: ${answer.status} ${answer.text}`);
        tracked.acknowledged.set(versionOf(answer.headers.etag), answer.text);
      }
    } catch (error) {
      // The connection broke, as it must; all answers are checked above.
      if (typeof error === 'object' && error !== null && 'code' in error) return;
      throw error;
    }
  }
}

it('kills in the middle of writes lose nothing acknowledged and leave nothing incomplete', async () => {
  const database = await createTestDatabase();
  const made = new Map<string, string>();
  const all: Tracked[] = [];
  let kills = 0;
  const slot = async (number: number): Promise<void> => {
    const tracked = Array.from({ length: CLIENTS }, (_, client): Tracked => ({
      path: `Patient/slot-${number}-client-${client}`,
      acknowledged: new Map(),
      attempts: 0,
    }));
    all.push(...tracked);
    while (kills < KILLS) {
      kills += 1;
      const server = await startProcess({ database });
      const release = number % 2 === 0 ? 'r4' : 'r4b';
      const count = (): number => tracked.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
      const before = count();
      const written = Promise.all(
        tracked.map((one) => writeUntilGone(server, server.path('system', release), one, made)),
      );
      // In the middle: some writes were answered, others are under way.
      while (count() < before + CLIENTS && server.isRunning()) await delay(2);
      await delay((kills * 37) % 150);
      await server.kill();
      await written;
      await server.close();
    }
  };
  await Promise.all(Array.from({ length: SLOTS }, (_, number) => slot(number)));

  const opened = await openCore({ database });
  const owner = new Client(database.settings);
  await owner.connect();
  try {
    let checked = 0;
    for (const { path, acknowledged } of all) {
      // One that was killed before its first answer may not exist.
      if (acknowledged.size === 0) continue;
      const release = Number(/slot-(\d+)/.exec(path)?.[1]) % 2 === 0 ? 'r4' : 'r4b';
      const [type = '', id = ''] = path.split('/');
      const context = await opened.context('system', release);
      const { versions } = await opened.core.interactions.history(context, { type, id, count: 1000 });
      const texts = new Map(versions.map(({ versionId, text }) => [versionId, text]));
      if (versions.length < 1000)
        expect(versions.map(({ versionId }) => versionId)).toEqual(
          versions.map((_, index) => versions.length - index),
        );
      for (const [version, text] of acknowledged) {
        if (!texts.has(version) && (versions.at(-1)?.versionId ?? 0) > version) continue;
        expect(texts.get(version)).toBe(text);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(KILLS * 5);
    for (const [name, text] of made) {
      const [type = '', id = ''] = name.split('/');
      const contexts = await Promise.all([opened.context('system', 'r4'), opened.context('system', 'r4b')]);
      const found = await Promise.all(
        contexts.map((context) => opened.core.interactions.find(context, type, id)),
      );
      expect(found.map((version) => version?.text)).toContain(text);
    }
    expect(await opened.differences('system')).toEqual([]);
    const { rows } = await owner.query<{ count: number; last: number; counter: number }>(
      `select count(*)::int as count, max(v.sequence)::int as last, max(c.last_sequence)::int as counter
       from andiron.resource_version v join andiron.space s on s.number = v.space
       join andiron.change_counter c on c.tenant = s.tenant`,
    );
    expect(rows[0]?.last).toBe(rows[0]?.count);
    expect(rows[0]?.counter).toBe(rows[0]?.count);
  } finally {
    await owner.end();
    await opened.close();
    await database.drop();
  }
});
