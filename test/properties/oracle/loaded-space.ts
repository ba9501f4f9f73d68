/** Puts a random set of resources into a tenant over REST, and gives the stored resources to the oracle. */
import type { TestServer } from '../../support/server';
import { generateData } from './generate-data';
import { toJsonText, type Json, type JsonObject, type Resource } from './json';
import { NOWHERE } from './maker';
import { makeSpace } from './make-space';
import type { Release } from './official';
import { createRandom } from './random';
import type { Space } from './space';

/** The server's address for clients, which may be in references. */
export const PUBLIC_URL = 'https://fhir.example.org';

const REPLACED = 0.2;
const DELETED = 0.03;
const AT_ONCE = 32;
const MOST_SHOWN = 10;

export interface LoadOptions {
  readonly tenant: string;
  readonly release: Release;
  readonly seed: number;
  readonly size?: number;
  /** True when chains go into contained resources. */
  readonly hasContained?: boolean;
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/**
 * Puts resources into another tenant: others under the same ids, and one of each type under the id of references
 * without a target. No search of the tenant under test may return any of them.
 */
export async function plantElsewhere(
  server: TestServer,
  { tenant, release, seed }: LoadOptions,
): Promise<void> {
  const path = server.path(tenant, release);
  const data = generateData({ seed, root: PUBLIC_URL + path });
  const types = new Map(data.map((resource) => [resource.resourceType, resource]));
  const named = [...types.values()].map((resource) => ({ ...resource, id: NOWHERE }));
  await inTurns([...data, ...named], async (resource) => {
    const key = `${resource.resourceType}/${resource.id}`;
    const { status, text } = await server.request('PUT', `${path}/${key}`, toJsonText(resource));
    if (status !== 201) throw new Error(text);
  });
}

/** @throws Error with the server's answer, where it refuses a resource */
export async function loadSpace(
  server: TestServer,
  { tenant, release, seed, size, hasContained }: LoadOptions,
): Promise<Space> {
  const path = server.path(tenant, release);
  const root = PUBLIC_URL + path;
  const random = createRandom(seed);
  const versions = new Map<string, Resource>();
  const current = new Map<string, Resource>();

  const refusals: string[] = [];

  const put = async (resource: Resource): Promise<void> => {
    const key = `${resource.resourceType}/${resource.id}`;
    const { status, text, json } = await server.request('PUT', `${path}/${key}`, toJsonText(resource));
    if (status !== 200 && status !== 201) {
      refusals.push(`${toJsonText(resource)}\n  ${text}`);
      return;
    }
    const { versionId, lastUpdated } = json.meta as { versionId: string; lastUpdated: string };
    const meta: Json = { ...(resource['meta'] as JsonObject | undefined), versionId, lastUpdated };
    const stored: Resource = { ...resource, meta };
    versions.set(`${key}/_history/${versionId}`, stored);
    current.set(key, stored);
  };

  const first = generateData({ seed, root, size });
  await inTurns(first, put);
  const later = generateData({ seed: seed + 1_000_003, root, size });
  await inTurns(
    later.filter(({ resourceType }) => resourceType !== 'ValueSet' && random.chance(REPLACED)),
    put,
  );
  if (refusals.length > 0) {
    throw new Error(`${refusals.length} resources are refused:\n${refusals.slice(0, MOST_SHOWN).join('\n')}`);
  }
  const deleted = first.filter(
    ({ resourceType }) =>
      !/^(ValueSet|CodeSystem|OperationDefinition)$/.test(resourceType) && random.chance(DELETED),
  );
  await inTurns(deleted, async ({ resourceType, id }) => {
    const { status, text } = await server.request('DELETE', `${path}/${resourceType}/${id}`);
    if (status !== 200) throw new Error(text);
    current.delete(`${resourceType}/${id}`);
  });
  // In the order of creation, so that random choices depend on the seed alone.
  const resources = first.flatMap(({ resourceType, id }) => current.get(`${resourceType}/${id}`) ?? []);
  return makeSpace({ release, root, resources, versions, hasContained });
}
