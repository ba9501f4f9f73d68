/** A role that passes by row-level security, on a PostgreSQL of its own: roles belong to all databases of a cluster. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/postgres';
import type { TestDatabase } from '../support/database';
import { closedAtEnd } from '../support/left-open';
import { startProcess } from '../support/process';

it('a server with a role that bypasses row-level security is not ready and answers nothing, with one log line', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-bypass-'));
  const postgres = await startEmbeddedPostgres({ folder, durable: false, temporary: true });
  const { host, port, user, password } = postgres;
  const database: TestDatabase = {
    settings: { host, port, user, password, database: 'postgres', ssl: false },
    environment: {
      FHIR_DATABASE_HOST: host,
      FHIR_DATABASE_PORT: String(port),
      FHIR_DATABASE_USERNAME: user,
      FHIR_DATABASE_PASSWORD: password,
      FHIR_DATABASE_NAME: 'postgres',
    },
    drop: closedAtEnd(() => postgres.stop()),
  };
  const server = await startProcess({ database });
  const owner = new Client(database.settings);
  await owner.connect();
  closedAtEnd(() => owner.end());
  const search = `${server.path('system', 'r4')}/Patient?name=x`;
  const statuses = async (): Promise<readonly number[]> => [
    (await server.request('GET', '/health/ready')).status,
    (await server.request('GET', search)).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  await owner.query('alter role andiron_application bypassrls');
  for (let time = 0; time < 3; time++) expect(await statuses()).toEqual([503, 503]);
  await owner.query('alter role andiron_application nobypassrls');
  expect(await statuses()).toEqual([200, 200]);
  expect(await server.terminate()).toBe('with code 0');
  const lines = (await server.output()).split('\n');
  for (const text of ['row-level security is off on a connection', 'row-level security is on again'])
    expect(lines.filter((line) => line.includes(text))).toHaveLength(1);
});
