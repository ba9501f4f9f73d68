/** Resources that a test stores, in the system tenant or another one, and the matches of searches. */
import type { Release } from '../../src/core';
import type { HttpServer } from './shared-server';

/** An entry of a searchset. */
export interface Entry {
  readonly resource: { readonly id: string };
  readonly search: { readonly mode: 'match' | 'include' | 'outcome' };
}

/** Puts each resource under its own id; throws for the first that is not created. */
export async function storeAll(
  server: HttpServer,
  release: Release,
  resources: readonly object[],
  tenant = 'system',
): Promise<void> {
  for (const resource of resources) {
    const { resourceType, id } = resource as { resourceType: string; id: string };
    const path = `${server.path(tenant, release)}/${resourceType}/${id}`;
    const { status, text } = await server.request('PUT', path, JSON.stringify(resource));
    if (status !== 201) throw new Error(`${resourceType}/${id}: ${status} ${text}`);
  }
}

/** Returns the sorted ids of the matches of `query`, such as `Patient?name=ann`. Throws for any status but 200. */
export function finder(
  server: HttpServer,
  release: Release,
  tenant = 'system',
): (query: string) => Promise<string[]> {
  return async (query) => {
    const { status, json, text } = await server.request('GET', `${server.path(tenant, release)}/${query}`);
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    return idsOf((json.entry ?? []) as Entry[]);
  };
}

/** Sorted. */
function idsOf(entries: readonly Entry[]): string[] {
  return entries
    .filter(({ search }) => search.mode === 'match')
    .map(({ resource }) => resource.id)
    .sort();
}
