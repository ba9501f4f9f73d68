/** The usual introspection of tools is made by the build; others are made once (test/graphql/persisted-documents.test.ts). */
import { getIntrospectionQuery } from 'graphql';
import { findFreePort } from '../../src/embedded/free-port';
import { createSender, gatewayPath } from '../graphql/gateway-client';
import { createHttpClient, type HttpClient } from '../support/http';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let metrics: HttpClient;
beforeAll(async () => {
  const METRICS_ADDRESS = `127.0.0.1:${await findFreePort()}`;
  server = await startServer({ environment: { METRICS_ADDRESS } });
  metrics = createHttpClient(`http://${METRICS_ADDRESS}`);
});
afterAll(async () => {
  metrics.close();
  await server.close();
});

it('the usual introspection was made by the build, and is remembered', async () => {
  const whole = await server.request('GET', `${gatewayPath('system', 'r4')}/schema.json`);
  const namesOf = ({ __schema }: { __schema: { types: { name: string }[] } }): string[] =>
    __schema.types.map(({ name }) => name);
  const names = namesOf(whole.json.data);
  expect(names.length).toBeGreaterThan(1000);
  const send = createSender(server, 'system', 'r4');
  const first = await send(getIntrospectionQuery());
  expect([first.errors, namesOf(first.found)]).toEqual([[], names]);
  expect((await send(getIntrospectionQuery())).text === first.text).toBe(true);
  const { text } = await metrics.request('GET', '/metrics');
  expect(text.match(/^andiron_introspections_total.*$/gm)?.sort()).toEqual([
    'andiron_introspections_total{outcome="built"} 1',
    'andiron_introspections_total{outcome="remembered"} 1',
  ]);
});
