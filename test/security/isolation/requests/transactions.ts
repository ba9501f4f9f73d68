/** Transactions: resources that refer to each other, and by chance some more of all kinds. */
import type { Resource } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import { MARKER_SYSTEM, marked, markerOf, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { anyAddress, changed } from './choose';
import { addressOf, batch, withoutId, type EntryRequest } from './shapes';

export function list(tenant: string): Resource {
  return marked(
    { resourceType: 'List', id: 'batched', status: 'current', mode: 'working', title: tenant },
    tenant,
  );
}

/** The resources that a transaction creates under ids of the server. */
const MADE: ReadonlySet<string> = new Set(['Patient', 'Observation', 'List']);

export function transaction(tenant: Tenant, release: Release): Sent {
  const { random, name } = tenant;
  const urn = 'urn:uuid:0c4f4b4e-6a0c-4b8e-9d1f-5b7a1f2f3c4d';
  const read = (): EntryRequest => ({ method: 'GET', url: anyAddress(tenant, release) });
  const makers: readonly (() => EntryRequest)[] = [
    () => {
      const resource = changed(tenant, release);
      // In one millisecond two of a type lie in the order of their ids, and those of the server are others in each world.
      if (MADE.has(resource.resourceType)) return read();
      return { method: 'PUT', url: addressOf(resource), resource };
    },
    () => ({ method: 'DELETE', url: anyAddress(tenant, release) }),
    () => ({ method: 'GET', url: `Patient?_summary=count&gender=${random.pick(['male', 'female'])}` }),
    read,
    () => ({
      method: 'POST',
      url: 'List',
      resource: withoutId(list(name)),
      more: { ifNoneExist: `title=${random.pick([name, 'none'])}&_id=@id:${random.below(100)}@` },
    }),
  ];
  return batch(release, 'transaction', [
    {
      method: 'POST',
      url: 'Patient',
      fullUrl: urn,
      resource: marked({ resourceType: 'Patient', id: 'x', gender: 'other' }, name),
    },
    {
      method: 'POST',
      url: 'Observation',
      resource: {
        resourceType: 'Observation',
        status: 'final',
        code: { text: markerOf(name) },
        subject: { reference: urn },
        meta: { tag: [{ system: MARKER_SYSTEM, code: markerOf(name) }] },
      },
    },
    ...Array.from({ length: random.below(3) }, () => random.pick(makers)()),
  ]);
}
