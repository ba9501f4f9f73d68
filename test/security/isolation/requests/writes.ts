/** Requests that change a tenant's resources, one by one. */
import { toJsonText, type Resource } from '../../../properties/oracle/json';
import { MARKER_SYSTEM, markerOf, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { anyAddress, changed, releaseOf, weighted } from './choose';
import { OWN_URL } from './definitions';
import { graphqlWrite } from './graphql-writes';
import { batch, later, put, withoutId } from './shapes';
import { list, transaction } from './transactions';

const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

export function anyWrite(tenant: Tenant): Sent {
  const { random, name } = tenant;
  const release = releaseOf(random);
  const root = `/fhir/${release}`;
  const address = (): string => anyAddress(tenant, release);
  const some = (): Resource => changed(tenant, release);
  const patient = (): Resource => {
    const [first] = tenant.spaces[release].resources.filter(({ resourceType }) => resourceType === 'Patient');
    if (first === undefined) throw new Error('there are patients');
    return first;
  };
  const tagged = `_tag=${MARKER_SYSTEM}|${markerOf(random.chance(0.3) ? tenant.other : name)}`;
  const identifier = random.pick(['123', '124', 'Ab1', 'none']);
  return weighted<Sent>(random, [
    [25, () => put(release, some())],
    [4, () => put(release, some(), { 'if-match': `W/"${random.below(4) + 1}"` })],
    [2, () => put(release, some(), { 'if-none-match': '*' })],
    [2, () => put(release, some(), { prefer: 'return=minimal' })],
    [
      10,
      () => {
        const made = some();
        return { method: 'POST', path: `${root}/${made.resourceType}`, body: toJsonText(withoutId(made)) };
      },
    ],
    [
      3,
      () => ({
        method: 'POST',
        path: `${root}/Patient`,
        body: toJsonText(withoutId(patient())),
        headers: { 'if-none-exist': `identifier=${identifier}` },
      }),
    ],
    [
      3,
      () => ({
        method: 'PUT',
        path: `${root}/Patient?identifier=${identifier}&${tagged}`,
        body: toJsonText(withoutId(patient())),
      }),
    ],
    [
      6,
      () => ({
        method: 'PATCH',
        path: `${root}/${address()}`,
        body: JSON.stringify([{ op: 'add', path: '/language', value: random.pick(['de', 'en', 'da']) }]),
        headers: JSON_PATCH,
      }),
    ],
    [
      2,
      () => ({
        method: 'PATCH',
        path: `${root}/Patient?_id=x${random.below(9)}&${tagged}`,
        body: JSON.stringify([{ op: 'add', path: '/active', value: random.chance(0.5) }]),
        headers: JSON_PATCH,
      }),
    ],
    [
      2,
      () => ({
        method: 'PATCH',
        path: `${root}/${address()}`,
        body: JSON.stringify({
          resourceType: 'Parameters',
          parameter: [
            {
              name: 'operation',
              part: [
                { name: 'type', valueCode: 'replace' },
                { name: 'path', valueString: random.pick(['Patient.gender', 'Observation.status']) },
                { name: 'value', valueCode: random.pick(['male', 'final']) },
              ],
            },
          ],
        }),
      }),
    ],
    [5, () => ({ method: 'DELETE', path: `${root}/${address()}` })],
    [2, () => ({ method: 'DELETE', path: `${root}/Observation?_id=obs${random.below(40)}&${tagged}` })],
    [
      1,
      () => ({
        method: 'POST',
        path: `${root}/${address()}/$meta-${random.pick(['add', 'delete'])}`,
        body: JSON.stringify({
          resourceType: 'Parameters',
          parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 'urn:tags', code: 'a' }] } }],
        }),
      }),
    ],
    [8, () => transaction(tenant, release)],
    [1, () => later(transaction(tenant, release))],
    [2, () => batch(release, 'batch', [{ method: 'PUT', url: 'List/batched', resource: list(name) }])],
    [
      2,
      () => {
        const born = { ...withoutId(patient()), meta: { profile: [`${OWN_URL}/StructureDefinition/own`] } };
        return { method: 'POST', path: `${root}/Patient`, body: toJsonText(born) };
      },
    ],
    [8, () => graphqlWrite(tenant, release, some())],
  ]);
}

/** Erasures, at the end: afterwards nothing of a tenant is cached for two minutes. */
export function erasures({ random }: Tenant): Sent[] {
  return Array.from({ length: 3 }, (_unused, index) => ({
    method: 'POST',
    path: `/fhir/${releaseOf(random)}/${index === 0 ? 'Patient/x' : 'Observation/obs'}${random.below(6)}/$purge`,
  }));
}
