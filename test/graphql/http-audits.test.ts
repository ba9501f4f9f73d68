/** The audits of GraphQL over HTTP (graphql-http): what the specification says that a server must do, and should. */
import { serverAudits } from 'graphql-http';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { gatewayPath } from './gateway-client';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

/** Documents that cannot be executed are answered 400: proxies, logs and clients of REST see that they failed. */
const NOT_200 = 'Response status code is not 200';
const INVALID = { FDE2: NOT_200, '7B9B': NOT_200, '572B': NOT_200 };

/** Audits that the gateway does not follow, by their numbers. */
const ADDRESSES = [
  ['the gateway', INVALID, (tenant: string) => gatewayPath(tenant, 'r4')],
  [
    'HL7’s address',
    // HL7 requires application/json, whatever a client accepts.
    { ...INVALID, '22EB': 'Response header content-type does not contain application/graphql-response+json' },
    (tenant: string) => `/w/${tenant}/api/v1/fhir/r4/$graphql`,
  ],
] as const;

describe.each(ADDRESSES)('%s', (_name, known, pathOf) => {
  const exceptions: Readonly<Record<string, string>> = known;
  it.each(serverAudits({ url: '' }).map(({ id, name }) => [id, name]))('%s %s', async (id) => {
    const url = `${server.base}${pathOf(server.tenant('system'))}`;
    const audit = serverAudits({ url, fetchFn: fetch }).find((each) => each.id === id);
    const result = await audit?.fn();
    const expected = exceptions[id] === undefined ? 'ok' : 'warn';
    if (result?.status === 'notice') return;
    expect([result?.status, result !== undefined && 'reason' in result ? result.reason : '']).toEqual([
      expected,
      exceptions[id] ?? '',
    ]);
  });
});
