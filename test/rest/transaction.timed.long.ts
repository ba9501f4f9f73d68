/** Transactions as large as they may be: https://hl7.org/fhir/R4/http.html#transaction. */
import type { Release } from '../../src/core';
import { findFreePort } from '../../src/embedded/free-port';
import { transaction, uuid } from '../support/bundles';
import { createHttpClient, type HttpClient } from '../support/http';
import { startServer, type Answer, type TestServer } from '../support/server';

let server: TestServer;
let metrics: HttpClient;
beforeAll(async () => {
  const METRICS_ADDRESS = `127.0.0.1:${await findFreePort()}`;
  metrics = createHttpClient(`http://${METRICS_ADDRESS}`);
  server = await startServer({ environment: { METRICS_ADDRESS } });
});
afterAll(async () => {
  metrics.close();
  await server.close();
});

/** Number of SQL statements so far: of writes, and of all, including those that the server runs every second. */
async function statements(): Promise<{ readonly writing: number; readonly all: number }> {
  const { text } = await metrics.request('GET', '/metrics');
  let [writing, all] = [0, 0];
  for (const [, lane, count] of text.matchAll(
    /andiron_sql_statement_duration_seconds_count\{lane="(\w+)"\} (\d+)/g,
  )) {
    all += Number(count);
    if (lane === 'transaction' || lane === 'write') writing += Number(count);
  }
  return { writing, all };
}

/** A patient with all other entries hers: vital signs, each of which says which one came before. */
function recordOf(count: number): object {
  const entry = Array.from({ length: count }, (_, index) => ({
    fullUrl: uuid(index),
    request: { method: 'POST', url: index === 0 ? 'Patient' : 'Observation' },
    resource:
      index === 0
        ? { resourceType: 'Patient', name: [{ family: 'Long', given: ['Record'] }], birthDate: '1950-01-01' }
        : {
            resourceType: 'Observation',
            status: 'final',
            category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] }],
            code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }], text: 'Heart rate' },
            subject: { reference: uuid(0) },
            effectiveDateTime: new Date(Date.UTC(2020, 0, 1) + index * 3_600_000).toISOString(),
            valueQuantity: { value: 60 + (index % 40), unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
            ...(index > 1 ? { derivedFrom: [{ reference: uuid(index - 1) }] } : {}),
          },
  })); // prettier-ignore
  return transaction(...entry);
}

/** Reads of other clients, four at once, until it is stopped: how long each took, in milliseconds, in order. */
async function readMeanwhile(path: string, work: Promise<unknown>): Promise<readonly number[]> {
  const took: number[] = [];
  let isOver = false;
  const client = async (): Promise<void> => {
    do {
      const began = performance.now();
      expect((await server.request('GET', path)).status).toBe(200);
      took.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 2));
    } while (!isOver);
  };
  const clients = Promise.all([client(), client(), client(), client()]);
  await work.finally(() => {
    isOver = true;
  });
  await clients;
  return took.sort((a, b) => a - b);
}

it.each<[number, Release]>([
  [50, 'r4'],
  [5_000, 'r4'],
  [10_000, 'r4b'],
])('a transaction of %i entries succeeds under %s, by a handful of statements', async (count, release) => {
  const root = server.path('system', release);
  const send = (method: string, rest: string, body?: unknown): Promise<Answer> =>
    server.request(method, root + rest, body);
  const body = JSON.stringify(recordOf(count));
  const before = await statements();
  const { status, json } = await send('POST', '', body);
  expect([status, json.issue]).toEqual([200, undefined]);
  expect(json.entry).toHaveLength(count);
  const after = await statements();
  expect(after.writing - before.writing).toBeGreaterThan(0);
  expect(after.writing - before.writing).toBeLessThan(8 + count / 400);
  expect(after.all - before.all).toBeLessThan(60 + count / 50);
  const patient = json.entry[0].resource.id;
  const found = await send(
    'GET',
    `/Observation?subject=Patient/${patient}&_total=accurate&_count=1&_sort=-date`,
  );
  expect(found.json.total).toBe(count - 1);
  expect(found.json.entry[0].resource.derivedFrom).toEqual([
    { reference: `Observation/${json.entry[count - 2].resource.id}` },
  ]);
});

it('others continue to read while a transaction of 5,000 entries is executed', async () => {
  const root = server.path('system', 'r4');
  const made = await server.request('POST', `${root}/Patient`, { resourceType: 'Patient', active: true });
  const path = `${root}/Patient/${made.json.id}`;
  const body = JSON.stringify(recordOf(5_000));
  const began = performance.now();
  const work = server.request('POST', root, body).then(({ status }) => expect(status).toBe(200));
  const took = await readMeanwhile(path, work);
  const whole = performance.now() - began;
  // Shares of the time that the transaction took beside them: the same on a slow machine. Some hundred, of 15 ms, measured.
  expect(took.length).toBeGreaterThan(40);
  expect(took[Math.floor(took.length / 2)]).toBeLessThan(whole / 20);
  expect(took[Math.floor(took.length * 0.99)]).toBeLessThan(whole / 3);
});

it('one entry beyond the limit is refused, and the error states the limit', async () => {
  const { status, json } = await server.request('POST', server.path('system', 'r4'), recordOf(10_001));
  expect([status, json.issue[0].expression]).toEqual([413, ['Bundle.entry']]);
  expect(json.issue[0].diagnostics).toContain('10000');
});
