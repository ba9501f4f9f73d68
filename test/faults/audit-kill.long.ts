/** kill -9 of a server that records accesses: every acknowledged change has its AuditEvent, and exactly one. */
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { killRounds } from '../support/rounds';

const KILLS = killRounds(3, 6);
const CLIENTS = 6;
const LEAST = 20;

/** Makes Patients until the server is gone; their versions as they were acknowledged. */
async function makeUntilGone(server: ServerProcess, acknowledged: string[]): Promise<void> {
  const path = `${server.path('system', 'r4')}/Patient`;
  for (;;) {
    try {
      const { status, json } = await server.request('POST', path, { resourceType: 'Patient', active: true });
      if (status !== 201) throw new Error(`a create was answered ${status}`);
      acknowledged.push(`Patient/${String(json.id)}/_history/1`);
    } catch (error) {
      if (typeof error === 'object' && error !== null && 'code' in error) return;
      throw error;
    }
  }
}

it('kills in the middle of writes leave exactly one AuditEvent of each acknowledged change', async () => {
  const database = await createTestDatabase();
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const server = await startProcess({ database, environment: { AUDIT: 'on' } });
    const before = acknowledged.length;
    const made = Promise.all(Array.from({ length: CLIENTS }, () => makeUntilGone(server, acknowledged)));
    while (acknowledged.length < before + LEAST && server.isRunning())
      await new Promise((resolve) => setTimeout(resolve, 2));
    await server.kill();
    await made;
    await server.close();
  }
  const opened = await openCore({ database, environment: { AUDIT: 'on' } });
  try {
    const events = new Map<string, number>();
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await opened.core.interactions.search(await opened.context('system', 'r4'), {
        type: 'AuditEvent',
        parameters: [
          ['action', 'C'],
          ['_count', '1000'],
          ...(cursor === undefined ? [] : ([['_cursor', cursor]] as const)),
        ],
      });
      expect(page.issues).toEqual([]);
      for (const { text } of page.matches) {
        const [reference = ''] = /Patient\/[a-z0-9]+\/_history\/1/.exec(text) ?? [];
        events.set(reference, (events.get(reference) ?? 0) + 1);
      }
      cursor = page.next;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS * LEAST);
    expect(acknowledged.filter((reference) => events.get(reference) !== 1)).toEqual([]);
    expect([...events.values()].filter((count) => count !== 1)).toEqual([]);
  } finally {
    await opened.close();
    await database.drop();
  }
});
