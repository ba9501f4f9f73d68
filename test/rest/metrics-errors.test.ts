/** `andiron_errors_total`: an operator tells an overload from a database that is away, and both from errors of clients. */
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { startForwarder } from '../faults/forwarder';
import { throughForwarder } from '../faults/database-through';
import { gatewayPath } from '../graphql/gateway-client';
import { subscribeBySocket } from '../graphql/live/subscriber';
import { createTestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startMeasuredServer, type MeasuredServer } from '../support/metrics';
import type { Answer } from '../support/server';

const MEGABYTE = 1024 * 1024;
const JSON_BODY = { 'content-type': 'application/json' };
const basic = (id: string): object => ({ resourceType: 'Basic', id, code: { text: id } });

let server: MeasuredServer;
let root: string;
beforeAll(async () => {
  server = await startMeasuredServer({
    environment: { MAX_WRITE_QUEUE: '3', MAX_BYTES_UNDER_WAY: String(16 * MEGABYTE) },
  });
  root = server.path('system', 'r4');
});
afterAll(() => server.close());

const graphql = (query: string): Promise<Answer> =>
  server.request('POST', gatewayPath('system', 'r4'), { query }, JSON_BODY);

/** Does `work` as the owner of the database, on a connection of its own. */
async function asOwner(work: (owner: Client) => Promise<void>): Promise<void> {
  const owner = new Client(server.database.settings);
  await owner.connect();
  try {
    await work(owner);
  } finally {
    await owner.end();
  }
}

it('an answer without an error counts nothing, and health checks never do', async () => {
  const errors = await server.errorsDuring(async () => {
    expect((await server.request('PUT', `${root}/Basic/a`, basic('a'))).status).toBe(201);
    expect((await server.request('GET', '/health/ready')).status).toBe(200);
  });
  expect(errors).toEqual({});
});

it('an error of a client counts once, under its key in the catalogue', async () => {
  const errors = await server.errorsDuring(async () => {
    await server.request('GET', `${root}/Basic/none`);
    await server.request('GET', `${root}/Basic/none`);
    await server.request('GET', `${root}/Basic?nonsense=1`, undefined, { prefer: 'handling=strict' });
    await server.request('GET', '/w/system/%ZZ');
  });
  expect(errors).toEqual({ 'notFound 404': 2, 'unknownParameter 400': 1, 'invalidValue 400': 1 });
});

it('a tenant over its rate and one over its quota count as 429 and 507, without their names', async () => {
  await server.app.core.tenants.create('measured', { 'quota-resources': '1', 'rate-limit': '2/m' });
  const place = server.path('measured', 'r4');
  const errors = await server.errorsDuring(async () => {
    expect((await server.request('PUT', `${place}/Basic/a`, basic('a'))).status).toBe(201);
    expect((await server.request('PUT', `${place}/Basic/b`, basic('b'))).status).toBe(507);
    expect((await server.request('GET', `${place}/Basic/a`)).status).toBe(429);
  });
  expect(errors).toEqual({ 'quotaExceeded 507': 1, 'tooManyRequests 429': 1 });
  expect(await server.metrics()).not.toContain('measured');
});

it('a full queue counts as overloaded', async () => {
  const refused: Answer[] = [];
  const sent: Promise<Answer>[] = [];
  const errors = await server.errorsDuring(() =>
    asOwner(async (owner) => {
      await owner.query('begin; lock table andiron.resource in exclusive mode');
      await eventually(async () => {
        const id = `b${sent.length}`;
        const answer = server.request('PUT', `${root}/Basic/${id}`, basic(id));
        sent.push(answer);
        void answer.then((one) => one.status === 503 && refused.push(one));
        return refused.length > 2;
      });
      await owner.query('rollback');
      await Promise.all(sent);
    }),
  );
  expect(errors).toEqual({ 'overloaded 503': refused.length });
});

it('requests beyond the memory for bodies count as memoryFull, and the memory in use is shown', async () => {
  expect(await server.metric('andiron_bytes_under_way_limit')).toBe(16 * MEGABYTE);
  const { hostname, port } = new URL(server.base);
  const slow: Socket = connect(Number(port), hostname);
  const head = `PUT ${root}/Binary/slow HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  slow.write(`${head}content-length: ${3 * MEGABYTE}\r\n\r\n`);
  slow.write(Buffer.alloc(3 * MEGABYTE - 1, 0x20));
  // A body counts four times its size.
  await eventually(async () => (await server.metric('andiron_bytes_under_way')) === 4 * (3 * MEGABYTE - 1));
  const data = 'QUJD'.repeat((2 * MEGABYTE) / 4);
  const large = { resourceType: 'Binary', id: 'large', contentType: 'image/png', data };
  const errors = await server.errorsDuring(async () => {
    expect((await server.request('PUT', `${root}/Binary/large`, large)).status).toBe(503);
  });
  expect(errors).toEqual({ 'memoryFull 503': 1 });
  slow.destroy();
  await eventually(async () => (await server.metric('andiron_bytes_under_way')) === 0);
});

it('an error of the program counts as internal', async () => {
  await asOwner(async (owner) => {
    await owner.query(
      `alter table andiron.resource_version add constraint refuse_body check (body not like '%refused%') not valid`,
    );
    const errors = await server.errorsDuring(async () => {
      expect((await server.request('PUT', `${root}/Basic/refused`, basic('refused'))).status).toBe(500);
    });
    await owner.query('alter table andiron.resource_version drop constraint refuse_body');
    expect(errors).toEqual({ 'internal 500': 1 });
  });
});

it('each failed entry of a batch counts, and a failed transaction counts once', async () => {
  const entry = ['a', 'none', 'none'].map((id) => ({ request: { method: 'GET', url: `Basic/${id}` } }));
  const send = (type: string): Promise<Answer> =>
    server.request('POST', root, { resourceType: 'Bundle', type, entry });
  expect(await server.errorsDuring(() => send('batch'))).toEqual({ 'notFound 404': 2 });
  expect(await server.errorsDuring(() => send('transaction'))).toEqual({ 'notFound 404': 1 });
});

it('each failed field of a GraphQL request counts, and a document that GraphQL refuses counts once', async () => {
  const search = 'search(type: Basic, query: "nonsense=1") { total }';
  const fields = await server.errorsDuring(async () => {
    const { json } = await graphql(`{ a: ${search} b: ${search} metadata { fhirVersion } }`);
    expect(json.errors).toHaveLength(2);
  });
  expect(fields).toEqual({ 'unknownParameter 400': 2 });
  expect(await server.errorsDuring(() => graphql('{ nonsense }'))).toEqual({ 'graphqlRequest 400': 1 });
  expect(await server.errorsDuring(() => graphql('{'))).toEqual({ 'graphqlRequest 400': 1 });
  const ofNobody = `${root}/Basic/none/$graphql?query=${encodeURIComponent('{ id }')}`;
  expect(await server.errorsDuring(() => server.request('GET', ofNobody))).toEqual({ 'notFound 404': 1 });
});

it('a live query that is refused counts', async () => {
  const errors = await server.errorsDuring(async () => {
    const refused = await subscribeBySocket({ base: server.base, document: 'subscription { nonsense }' });
    await eventually(async () => refused.errors.length > 0);
    refused.close();
  });
  expect(errors).toEqual({ 'graphqlRequest 400': 1 });
});

it('wrong credentials count as unauthorized', async () => {
  const enforced = await startMeasuredServer({
    database: server.database,
    environment: { AUTH_MODE: 'enforced' },
  });
  const wrong = { authorization: `Basic ${Buffer.from('nobody:wrong').toString('base64')}` };
  const errors = await enforced.errorsDuring(async () => {
    expect((await enforced.request('GET', `${root}/Basic/a`, undefined, wrong)).status).toBe(401);
    const query = { query: '{ metadata { fhirVersion } }' };
    const { status } = await enforced.request('POST', gatewayPath('system', 'r4'), query, {
      ...JSON_BODY,
      ...wrong,
    });
    expect(status).toBe(401);
  });
  expect(errors).toEqual({ 'unauthorized 401': 2 });
  await enforced.close();
});

it('a database that is away counts as storageUnavailable, by REST and by GraphQL', async () => {
  const database = await createTestDatabase();
  const forwarder = await startForwarder();
  const distant = await startMeasuredServer({ database: throughForwarder(database, forwarder) });
  const query = { query: '{ search(type: Basic) { total } }' };
  forwarder.cut();
  // The statements on connections that break have other keys, once.
  await eventually(async () => (await distant.metric('andiron_ready')) === 0);
  await distant.request('GET', `${root}/Basic/a`);
  const errors = await distant.errorsDuring(async () => {
    expect((await distant.request('GET', `${root}/Basic/a`)).status).toBe(503);
    expect((await distant.request('POST', gatewayPath('system', 'r4'), query, JSON_BODY)).status).toBe(503);
  });
  expect(errors).toEqual({ 'storageUnavailable 503': 2 });
  await distant.close();
  await forwarder.close();
  await database.drop();
});
