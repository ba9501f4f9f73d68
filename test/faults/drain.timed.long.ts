/** SIGTERM under load: accepted requests are answered, acknowledged writes are stored, and the process ends with 0. */
import { Client } from 'pg';
import { createTestDatabase } from '../support/database';
import { createHttpClient } from '../support/http';
import { startProcess } from '../support/process';
import { eventually } from '../support/eventually';

it('a server that is stopped under load answers all accepted requests, and loses nothing', async () => {
  const database = await createTestDatabase();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round++) {
    const server = await startProcess({ database });
    const root = server.path('system', 'r4');
    const failures: string[] = [];
    const refused: string[] = [];
    let isStopping = false;
    const clients = Array.from({ length: 16 }, () => createHttpClient(server.base));
    const load = clients.map(async (client, number) => {
      for (let step = 0; ; step++) {
        try {
          const kind = step % 4;
          const id = `drain-${round}-${number}-${step}`;
          const answer =
            kind < 2
              ? await client.request('PUT', `${root}/Patient/${id}`, {
                  resourceType: 'Patient',
                  id,
                  name: [{ family: id }],
                })
              : await client.request(
                  'GET',
                  kind === 2
                    ? `${root}/Patient?name=drain`
                    : `${root}/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender`,
                );
          if (answer.status >= 400) failures.push(`${answer.status} ${answer.text}`);
          else if (kind < 2) acknowledged.push(`Patient/${id}`);
        } catch (error) {
          const code =
            typeof error === 'object' && error !== null && 'code' in error
              ? String(error.code)
              : String(error);
          refused.push(code);
          if (!isStopping) failures.push(`refused before the end: ${code}`);
          return;
        }
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 600 + 150 * round));
    const enough = 40 * (round + 1);
    await eventually(() => acknowledged.length > enough || failures.length > 0, 30_000);
    isStopping = true;
    const ended = await server.terminate();
    await Promise.all(load);
    for (const client of clients) client.close();
    expect(failures).toEqual([]);
    expect(ended).toBe('with code 0');
    expect(refused).toHaveLength(16);
    await server.close();
  }
  const owner = new Client(database.settings);
  await owner.connect();
  const { rows } = await owner.query<{ name: string }>(
    `select 'Patient/' || id as name from andiron.resource where space > 2 and not deleted`,
  );
  await owner.end();
  const stored = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  await database.drop();
});
