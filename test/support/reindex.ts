/** A reindex of a tenant over HTTP, which finds what of the index does not match the stored versions. */
import type { Release } from '../../src/core';
import { eventually } from './eventually';
import type { SharedServer } from './shared-server';

/** The result of the job, such as `{ compared: 3, repaired: 0, added: 0, removed: 0, … }`. Throws if it fails. */
export async function reindex(server: SharedServer, tenant: string, release: Release): Promise<object> {
  const root = `/tenants/${server.tenant(tenant)}`;
  const begun = await server.administer('POST', `${root}/reindex`, { release });
  if (begun.status !== 202) throw new Error(`The reindex did not begin: ${begun.status} ${begun.text}`);
  let job = begun.json as { state: string; result: object };
  await eventually(async () => {
    job = (await server.administer('GET', `${root}/jobs/${begun.json.id}`)).json;
    return !['queued', 'running'].includes(job.state);
  });
  if (job.state !== 'done') throw new Error(`The reindex failed: ${JSON.stringify(job)}`);
  return job.result;
}
