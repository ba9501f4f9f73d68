/** Histories as tests write and read them. */
import type { Release } from '../../src/core';
import type { HttpServer } from './shared-server';

interface Entry {
  readonly fullUrl: string;
  readonly resource?: {
    readonly resourceType: string;
    readonly id: string;
    readonly meta: { versionId: string };
  };
  readonly request: { readonly method: string; readonly url: string };
  readonly response: { readonly status: string; readonly etag: string; readonly lastModified: string };
}

interface Bundle {
  readonly resourceType: string;
  readonly type: string;
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly Entry[];
}

let tenants = 0;
/** A tenant for each test, so that its history has only the writes of the test. */
export async function openHistory(server: HttpServer, release: Release) {
  const tenant = `history-${++tenants}`;
  await server.createTenant(tenant);
  const root = server.path(tenant, release);
  const send = (method: string, rest: string, body?: unknown, headers: Record<string, string> = {}) =>
    server.request(method, root + rest, body, headers);
  return {
    tenant,
    root,
    send,
    async put(type: string, id: string, more: object = {}): Promise<string> {
      const { status, json } = await send('PUT', `/${type}/${id}`, { resourceType: type, id, ...more });
      expect([200, 201]).toContain(status);
      return json.meta.lastUpdated as string;
    },
    async remove(type: string, id: string): Promise<void> {
      expect((await send('DELETE', `/${type}/${id}`)).status).toBe(200);
    },
    async history(rest: string): Promise<Bundle> {
      const { status, json } = await send('GET', rest);
      expect(status).toBe(200);
      expect(json).toMatchObject({ resourceType: 'Bundle', type: 'history' });
      return json as Bundle;
    },
  };
}

export type HistoryTenant = Awaited<ReturnType<typeof openHistory>>;

/** `Type/id/version` of each entry. */
export function namesOf({ entry = [] }: Bundle): string[] {
  return entry.map(({ fullUrl, response }) => {
    const [type = '', id = ''] = fullUrl.split('/').slice(-2);
    return `${type}/${id}/${response.etag.replace(/\D/g, '')}`;
  });
}

export function nextOf({ link }: Bundle, root: string): string | undefined {
  const next = link.find(({ relation }) => relation === 'next');
  if (next === undefined) return undefined;
  const { pathname, search } = new URL(next.url);
  return (pathname + search).slice(root.length);
}

/** The names on all pages from an address on. */
export async function readAll({ history, root }: HistoryTenant, first: string): Promise<string[]> {
  const names: string[] = [];
  for (let next: string | undefined = first; next !== undefined;) {
    const page = await history(next);
    names.push(...namesOf(page));
    next = nextOf(page, root);
  }
  return names;
}
