/**
 * kill -9 during an asynchronous request: a search is restarted by another process, a transaction reported as failed.
 */
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase } from '../support/database';
import type { Answer } from '../support/http';
import { startProcess } from '../support/process';

const LATER = { prefer: 'respond-async' };

it('the job of a killed server is executed by another one, or reported as failed', async () => {
  const database = await createTestDatabase();
  const [first, second] = await Promise.all([startProcess({ database }), startProcess({ database })]);
  const root = first.path('system', 'r4');
  const resource = { resourceType: 'Basic', id: 'one', code: { text: 'a' } };
  expect((await first.request('PUT', `${root}/Basic/one`, resource)).status).toBe(201);

  // Nobody can read or write resources until the lock is gone.
  const locker = new Client(database.settings);
  await locker.connect();
  await locker.query('begin');
  await locker.query('lock table andiron.resource in access exclusive mode');
  const search = await first.request('GET', `${root}/Basic?_id=one`, undefined, LATER);
  const request = { method: 'PUT', url: 'Basic/two' };
  const entry = [{ resource: { ...resource, id: 'two' }, request }];
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
  const transaction = await first.request('POST', root, bundle, LATER);
  const paths = [search, transaction].map(
    ({ headers }) => new URL(String(headers['content-location'])).pathname,
  );
  const readStatuses = (): Promise<Answer[]> => Promise.all(paths.map((path) => second.request('GET', path)));
  while (
    !(await readStatuses()).every(({ headers }) => headers['x-progress']?.toString().startsWith('under way'))
  )
    await setTimeout(20);
  await first.kill();
  await locker.query('rollback');
  await locker.end();

  let answers = await readStatuses();
  while (answers.some(({ status }) => status === 202)) {
    await setTimeout(100);
    answers = await readStatuses();
  }
  expect(answers[0]).toMatchObject({ status: 200, json: { type: 'searchset', total: 1 } });
  const written = await second.request('GET', `${root}/Basic/two`);
  // Where the second server had begun it, the first one took nothing with it.
  if (answers[1]?.status === 200) {
    expect(answers[1].json).toMatchObject({ type: 'transaction-response' });
    expect(written.status).toBe(200);
  } else {
    expect(answers[1]).toMatchObject({ status: 500, json: { issue: [{ code: 'incomplete' }] } });
    // As a whole or not at all, which the answer says it does not know.
    expect([200, 404]).toContain(written.status);
  }
  await Promise.all([first.close(), second.close()]);
  await database.drop();
});
