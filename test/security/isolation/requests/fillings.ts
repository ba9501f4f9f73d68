/** The initial data of a tenant. */
import type { Resource } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import { marked, markerOf, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { definition } from './definitions';
import { addressOf, batch } from './shapes';

const RELEASES: readonly Release[] = ['r4', 'r4b'];

export function fillings({ name, spaces }: Tenant): Sent[] {
  return RELEASES.flatMap((release) => [
    batch(
      release,
      'transaction',
      [...spaces[release].resources, composition(name)].map((resource) => ({
        method: 'PUT',
        url: addressOf(resource),
        resource,
      })),
    ),
    ...[0, 1, 2].map((variant) => definition(release, name, variant, 0)),
  ]);
}

function composition(tenant: string): Resource {
  return marked(
    {
      resourceType: 'Composition',
      id: 'document',
      status: 'final',
      type: { text: 'Summary' },
      date: '2020-01-01',
      title: markerOf(tenant),
      subject: { reference: 'Patient/x0' },
      author: [{ reference: 'Practitioner/x0' }],
      section: [
        { title: 'one', entry: [{ reference: 'Observation/obs0' }, { reference: 'Condition/con0' }] },
      ],
    },
    tenant,
  );
}
