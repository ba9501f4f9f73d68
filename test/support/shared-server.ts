/** Servers for tests that need no settings of their own: the files of a worker share them, each with its own tenants. */
import { randomUUID } from 'node:crypto';
import type { Release } from '../../src/core';
import { toPath } from './environment';
import { createHttpClient, type Answer } from './http';
import type { TestServer } from './server';
import { findServices } from './services';
import type { FoundServer, ServerKind } from './shared-servers';
import type { DatabaseAddress } from './template';

export type { Answer };

/** The requests of a test to a server by HTTP alone. */
export type HttpServer = Pick<
  TestServer,
  'request' | 'base' | 'tenant' | 'path' | 'root' | 'createTenant' | 'close'
>;

/** A shared server, with requests of its administrator below /w/system/api/v1. */
export interface SharedServer extends HttpServer {
  /** Other files have tenants in it: each statement names the spaces or the tenants of its test (shared-database.ts). */
  readonly database: DatabaseAddress;
  /** Sends JSON to an address of administration, such as `/tenants/acme/clients`; the tenant has its own name there. */
  administer(
    method: string,
    address: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
}

async function find(kind: ServerKind): Promise<FoundServer> {
  const { sharedServers } = findServices();
  const client = createHttpClient(sharedServers);
  const { status, text } = await client.request('GET', `/${process.env['JEST_WORKER_ID'] ?? '1'}/${kind}`);
  client.close();
  if (status !== 200) throw new Error(text);
  return JSON.parse(text) as FoundServer;
}

/**
 * A shared server of a kind (shared-servers.ts).
 * The names of tenants, `system` too, are replaced by tenants that no other file has.
 */
export async function openSharedServer(kind: ServerKind = 'open'): Promise<SharedServer> {
  const { base, database, administrator } = await find(kind);
  const client = createHttpClient(base);
  const suffix = randomUUID().slice(0, 8);
  const tenant = (name: string): string => `${name}-${suffix}`;
  const path = (name: string, release: Release): string => toPath(tenant(name), release);
  const administer: SharedServer['administer'] = (method, address, body, headers) =>
    client.request(method, `/w/system/api/v1${address}`, body, {
      'content-type': 'application/json',
      ...headers,
      ...(administrator === undefined ? {} : { authorization: administrator }),
    });
  const createTenant: HttpServer['createTenant'] = async (name, settings = {}) => {
    const { status, text } = await administer('POST', '/tenants', { name: tenant(name), settings });
    if (status !== 201) throw new Error(`${name} was not made: ${status} ${text}`);
  };
  await createTenant('system');
  return {
    base,
    database,
    tenant,
    path,
    root: (name, release) => base + path(name, release),
    request: (...sent) => client.request(...sent),
    administer,
    createTenant,
    close: async () => client.close(),
  };
}
