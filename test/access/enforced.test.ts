/** A server with enforced access: live queries, and public addresses; all addresses: matrix.test.ts. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionResult } from 'graphql';
import { createClient as createSocketClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { SUBSCRIPTION, CollectingSubscriber } from '../graphql/live/subscriber';
import { administerWell, createClient, FORM, makeKey, toJwt, type MadeClient } from '../support/access';
import { getToken, STATUSES } from '../support/credentials';
import { openSharedServer, type SharedServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
/** The name of the tenant on the server. */
let acme: string;
let ours: MadeClient;
let tokens: Readonly<Record<'none' | 'forged' | 'token of another tenant', string | undefined>>;
const JSON_TYPE = { 'content-type': 'application/json' };
const toRoot = (): string => server.path('acme', 'r4');

beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const name of ['acme', 'globex']) await server.createTenant(name);
  acme = server.tenant('acme');
  ours = await createClient(server, 'acme', { administrator: true });
  const [header, claims] = (await getToken(server, acme, ours))
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const elsewhere = await getToken(server, server.tenant('globex'), await createClient(server, 'globex'));
  tokens = {
    none: undefined,
    forged: `Bearer ${toJwt(header, claims, makeKey(header.kid, 'P-256').privateKey)}`,
    'token of another tenant': `Bearer ${elsewhere}`,
  };
});
afterAll(() => server.close());

const send = (method: string, path: string, authorization: string | undefined, body?: unknown) =>
  server.request(method, path, body, {
    ...JSON_TYPE,
    accept: 'application/json, text/event-stream',
    ...(authorization === undefined ? {} : { authorization }),
  });

describe('a live query', () => {
  const follow = (connectionParams: Record<string, string>) => {
    const subscriber = new CollectingSubscriber(() => undefined);
    const client = createSocketClient({
      url: `${server.base.replace('http', 'ws')}/w/${acme}/api/v1/graphql/r4`,
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams,
    });
    const ended = new Promise<unknown>((resolve) => {
      client.subscribe<Record<string, unknown>>(
        { query: SUBSCRIPTION },
        {
          next: (result) => subscriber.take(result as ExecutionResult<Record<string, unknown>>),
          error: resolve,
          complete: () => resolve(undefined),
        },
      );
    });
    return { told: subscriber, ended, close: () => void client.dispose() };
  };

  it('is admitted by the credentials in its first message, which browsers can send', async () => {
    for (const kind of ['none', 'forged', 'token of another tenant'] as const) {
      const authorization = tokens[kind];
      const { ended } = follow(authorization === undefined ? {} : { Authorization: authorization });
      expect(await ended).toMatchObject({ code: STATUSES[kind] === 403 ? 4403 : 4401 });
    }
  });

  it('ends when its client is disabled', async () => {
    const watcher = await createClient(server, 'acme');
    const { told: subscriber, ended, close } = follow({ Authorization: watcher.basic });
    const write = () => send('POST', `${toRoot()}/Patient`, ours.basic, { resourceType: 'Patient' });
    // Written until it follows.
    while (subscriber.changes.length === 0) {
      expect((await write()).status).toBe(201);
      await delay(50);
    }
    await administerWell(server, 'PATCH', `/tenants/${acme}/clients/${watcher.id}`, { disabled: true });
    const seen = subscriber.changes.length;
    await write();
    await ended;
    expect(subscriber.changes.length).toBe(seen);
    close();
  });
});

describe.each(TESTED_RELEASES)('public addresses under %s', (release) => {
  const named = (path: string): string => path.replace('acme', acme);
  const root = `/w/acme/api/v1/fhir/${release}`;

  it.each([
    ['GET', '/health/live'],
    ['GET', '/health/ready'],
    ['GET', '/w/acme/oidc/jwks'],
    ['GET', '/w/acme/oidc/.well-known/openid-configuration'],
    ['GET', '/w/acme/oidc/.well-known/smart-configuration'],
    ['GET', `${root}/metadata`],
  ])('%s %s is answered without credentials', async (method, path) => {
    expect((await send(method, named(path), undefined)).status).toBe(200);
    expect((await send(method, named(path), tokens.forged)).status).toBe(200);
  });

  it('lists the sign-in and token endpoints, and the supported features', async () => {
    const { status, json } = await send('GET', named(`${root}/.well-known/smart-configuration`), undefined);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      issuer: `${server.base}/w/${acme}/oidc`,
      token_endpoint: `${server.base}/w/${acme}/oidc/token`,
      jwks_uri: `${server.base}/w/${acme}/oidc/jwks`,
      authorization_endpoint: `${server.base}/w/${acme}/oidc/authorize`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'client_credentials']),
      capabilities: expect.arrayContaining(['launch-standalone', 'client-public', 'permission-v2']),
    });
    const served = Object.entries<string>(json).filter(([name]) => name.endsWith('_endpoint'));
    expect(served).toHaveLength(5);
    for (const [, url] of served)
      expect((await send('PUT', new URL(url).pathname, undefined)).status).toBe(405);
    const { pathname } = new URL(json.token_endpoint);
    const answer = await server.request('POST', pathname, 'grant_type=client_credentials', {
      ...FORM,
      authorization: ours.basic,
    });
    expect(answer.status).toBe(200);
  });

  it('lists in metadata how to authenticate', async () => {
    const { json } = await send('GET', named(`${root}/metadata`), undefined);
    const codes = json.rest[0].security.service.map(
      ({ coding }: { coding: { code: string }[] }) => coding[0]?.code,
    );
    expect(codes).toContain('SMART-on-FHIR');
  });
});

describe('the FHIR version of an address', () => {
  it('is told to every client that has a right, and to nobody without credentials', async () => {
    const clerk = await createClient(server, 'acme', { scopes: ['system/Appointment.s'] });
    const none = await createClient(server, 'acme', { scopes: [] });
    const path = `${toRoot()}/$versions`;
    const asked = [clerk.basic, none.basic, undefined].map(
      async (each) => (await send('GET', path, each)).status,
    );
    expect(await Promise.all(asked)).toEqual([200, 403, 401]);
  });
});

describe('a tenant that does not exist', () => {
  it('looks like one that the caller has no rights in', async () => {
    for (const path of ['/w/nobody/api/v1/fhir/r4/Patient', '/w/nobody/api/v1/graphql/r4?query=%7Bx%7D']) {
      for (const kind of ['none', 'forged', 'token of another tenant'] as const)
        expect((await send('GET', path, tokens[kind])).status).toBe(
          kind === 'token of another tenant' ? 403 : 401,
        );
    }
  });
});

describe('a browser', () => {
  it('gets no Basic challenge', async () => {
    const { status, headers } = await server.request('GET', `${toRoot()}/Patient`, undefined, {
      accept: 'text/html',
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="andiron"']);
  });
});
