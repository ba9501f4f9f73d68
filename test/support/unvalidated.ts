/** Stores resources without validation, so that an element can be added or left out. */
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { loadDefinitions } from '../../src/core/fhir/definitions';
import type { JsonObject } from '../../src/core/fhir/json';
import { createReferenceResolver } from '../../src/core/fhir/reference';
import { toStoredText } from '../../src/core/fhir/resource-text';
import { UTC } from '../../packages/fhir-values/date';
import { createExtractor } from '../../src/core/search/rows/extract';
import { createHasher } from '../../src/core/search/rows/hash';
import { keyOf } from '../../src/core/search/rows/resource-key';
import { Connections } from '../../src/core/storage/connection/connections';
import { WriteQueues } from '../../src/core/storage/write/write-queues';
import type { TestDatabase } from './database';
import { forEachOf } from './examples';
import { silentLog } from './log';

export interface UnvalidatedResource {
  readonly type: string;
  readonly id: string;
  readonly resource: JsonObject;
}

/** When the last of them was stored, in milliseconds since 1970. */
export async function storeUnvalidated(
  { database, release, space }: { database: TestDatabase; release: Release; space: number },
  resources: readonly UnvalidatedResource[],
): Promise<number> {
  const { settings } = database;
  const owner = new Client(settings);
  await owner.connect();
  const { rows } = await owner.query<{ hash_key: Buffer }>('select hash_key from andiron.installation');
  await owner.end();
  const hasher = createHasher(rows[0]?.hash_key ?? Buffer.alloc(0));
  const definitions = loadDefinitions(release);
  const { resourceTypes } = definitions;
  const resolver = createReferenceResolver({ ownAddresses: [], tenant: 'system', release, resourceTypes });
  const localReference = (text: string) => resolver.local(text);
  const extract = createExtractor({ definitions, hasher, localReference, zone: UTC });
  const connections = new Connections(settings, silentLog, true);
  const writes = new WriteQueues(connections, 10_000, () => undefined);
  let last = 0;
  await forEachOf(resources, 64, async ({ type, id, resource }) => {
    const { text, metaOffset } = toStoredText(resource, true, {
      id,
      extensionBase: 'https://andiron.example',
    });
    const key = keyOf(hasher, type, id);
    const written = await writes.write(space, {
      type: definitions.typeNumber(type) ?? 0,
      key,
      id: key.high < 0 ? id : null,
      expected: 0,
      change: 'create',
      body: text,
      metaOffset,
      author: null,
      rows: extract(type, resource),
    });
    last = Math.max(last, written?.lastUpdated ?? 0);
  });
  await connections.close();
  return last;
}
