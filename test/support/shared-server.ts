/** A server for tests that need no settings of their own: the files of a worker share it, each with its own tenants. */
import { randomUUID } from 'node:crypto';
import type { Release } from '../../src/core';
import { toPath } from './environment';
import { createHttpClient } from './http';
import type { TestServer } from './server';
import { findServices } from './services';

export type { Answer } from './http';

/** The requests of a test to a server by HTTP alone. */
export type HttpServer = Pick<
  TestServer,
  'request' | 'base' | 'tenant' | 'path' | 'root' | 'createTenant' | 'close'
>;

async function findBase(): Promise<string> {
  const { sharedServers } = findServices();
  const client = createHttpClient(sharedServers);
  const { status, text } = await client.request('GET', `/${process.env['JEST_WORKER_ID'] ?? '1'}`);
  client.close();
  if (status !== 200) throw new Error(text);
  return text;
}

/** The shared server. The names of tenants, `system` too, are replaced by tenants that no other file has. */
export async function openSharedServer(): Promise<HttpServer> {
  const base = await findBase();
  const client = createHttpClient(base);
  const suffix = randomUUID().slice(0, 8);
  const tenant = (name: string): string => `${name}-${suffix}`;
  const path = (name: string, release: Release): string => toPath(tenant(name), release);
  const createTenant: HttpServer['createTenant'] = async (name, settings = {}) => {
    const json = { 'content-type': 'application/json' };
    const body = { name: tenant(name), settings };
    const { status, text } = await client.request('POST', '/w/system/api/v1/tenants', body, json);
    if (status !== 201) throw new Error(`${name} was not made: ${status} ${text}`);
  };
  await createTenant('system');
  return {
    base,
    tenant,
    path,
    root: (name, release) => base + path(name, release),
    request: (...sent) => client.request(...sent),
    createTenant,
    close: async () => client.close(),
  };
}
