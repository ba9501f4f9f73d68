/** The audit record while the database fails and returns, and when the server stops (docs/run/audit.md). */
import { openCore } from '../support/core';
import { createTestDatabase } from '../support/database';
import { startProcess } from '../support/process';
import { startForwarder } from './forwarder';
import { eventually } from '../support/eventually';

const READS = 300;
const PATIENT = { resourceType: 'Patient', id: 'a', active: true };

it('every answered request is recorded: refusals while the database is down, and reads right before a stop', async () => {
  const database = await createTestDatabase();
  const forwarder = await startForwarder();
  forwarder.point(database.settings.port);
  const server = await startProcess({
    database: {
      ...database,
      environment: {
        ...database.environment,
        FHIR_DATABASE_HOST: '127.0.0.1',
        FHIR_DATABASE_PORT: String(forwarder.port),
      },
    },
    environment: { AUDIT: 'on' },
  });
  const root = server.path('system', 'r4');
  const answered: string[] = [];
  const send = async (id: string, method: string, path: string, body?: object): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'x-request-id': id };
    const { status } = await server.request(method, `${root}/${path}`, body, headers);
    answered.push(`${id} ${status < 400 ? 0 : status < 500 ? 4 : 8}`);
    return status;
  };
  expect(await send('made', 'PUT', 'Patient/a', PATIENT)).toBe(201);
  expect(await send('before', 'GET', 'Patient?active=true')).toBe(200);

  forwarder.cut();
  await eventually(async () => (await server.request('GET', '/health/ready')).status === 503, 10_000);
  // A search with a cached answer too.
  const away = [
    await send('away-read', 'GET', 'Patient/a'),
    await send('away-search', 'GET', 'Patient?active=true'),
    await send('away-write', 'PUT', 'Patient/a', { ...PATIENT, active: false }),
  ];
  expect(away).toEqual([503, 503, 503]);
  forwarder.point(database.settings.port);
  await eventually(async () => (await server.request('GET', `${root}/Patient/a`)).status === 200, 20_000);

  const reads = Array.from({ length: READS }, (_, place) => send(`last-${place}`, 'GET', 'Patient/a'));
  expect(new Set(await Promise.all(reads))).toEqual(new Set([200]));
  expect(await server.terminate()).toBe('with code 0');
  await server.close();
  await forwarder.close();

  const opened = await openCore({ database, environment: { AUDIT: 'on' } });
  const { matches, issues } = await opened.core.interactions.search(await opened.context('system', 'r4'), {
    type: 'AuditEvent',
    parameters: [['_count', '1000']],
  });
  const recorded = matches.map(({ text }) => {
    const { outcome, entity } = JSON.parse(text) as {
      outcome: string;
      entity: { what?: { identifier?: { value: string } } }[];
    };
    return `${entity.flatMap(({ what }) => what?.identifier?.value ?? []).join()} ${outcome}`;
  });
  expect(issues).toEqual([]);
  expect(recorded.filter((one) => /^(made|before|away|last)/.test(one)).sort()).toEqual([...answered].sort());
});
