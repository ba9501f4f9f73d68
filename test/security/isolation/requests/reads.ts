/** Requests that change nothing. */
import { CONCEPTS } from '../../../properties/oracle/generate-values';
import { toJsonText } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import { MARKER_SYSTEM, markerOf, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { anyAddress, anyCriteria, releaseOf, weighted } from './choose';
import { OWN_URL } from './definitions';
import { graphqlRead } from './graphql-reads';
import { batch, later } from './shapes';

export function anyRead(tenant: Tenant): Sent {
  const { random, other } = tenant;
  const release = releaseOf(random);
  const get = (path: string, headers?: Readonly<Record<string, string>>): Sent => ({
    method: 'GET',
    path: `/fhir/${release}${path}`,
    ...(headers === undefined ? {} : { headers }),
  });
  const address = (): string => anyAddress(tenant, release);
  const page = (): string => random.pick(['', '?_count=3', '?_count=0', '?_count=1']);
  return weighted<Sent>(random, [
    [20, () => get(`/${address()}`)],
    [3, () => get(`/${address()}`, { 'if-none-match': `W/"${random.below(3) + 1}"` })],
    [6, () => get(`/${address()}/_history/${random.below(4) + 1}`)],
    [
      40,
      () => {
        const { type, query } = anyCriteria(tenant, release);
        return random.chance(0.85) || type.includes('/')
          ? get(`${type === '' ? '' : `/${type}`}?${query}`)
          : {
              method: 'POST',
              path: `/fhir/${release}${type === '' ? '' : `/${type}`}/_search`,
              body: query,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
            };
      },
    ],
    [3, () => get(`/Patient?own=${random.pick(['s', 'm', 'Smith', 'Pe'])}&_sort=family,_id&_count=50`)],
    [2, () => get(`/Observation?patient.own=${random.pick(['s', 'm'])}&_summary=count`)],
    [2, () => get(`?_tag=${MARKER_SYSTEM}|${markerOf(other)}&_count=5`)],
    [
      2,
      () =>
        get(
          `/Patient?_tag=${MARKER_SYSTEM}|${markerOf(tenant.name)}&_total=accurate&_count=4&_sort=-birthdate`,
        ),
    ],
    [6, () => ({ method: 'GET', path: `@next:${random.below(1000)}@` })],
    [3, () => ({ method: 'GET', path: `@foreign-next:${random.below(1000)}@` })],
    [1, () => ({ method: 'GET', path: `@foreign-job:${random.below(1000)}@` })],
    [4, () => get(`/${address()}/_history${page()}`)],
    [2, () => get(`/${random.pick(['Patient', 'Observation', 'List'])}/_history${page()}`)],
    [2, () => get(`/_history${page()}`)],
    [3, () => get(`/${random.pick(['Patient/x', 'Encounter/enc'])}${random.below(5)}/$everything${page()}`)],
    [1, () => get(`/Patient/x${random.below(5)}/$everything?_type=Observation,Condition&_count=2`)],
    [
      2,
      () =>
        get(
          `/ValueSet/$expand?url=${OWN_URL}/ValueSet/${random.pick(['own', 'mixed', 'below-branch', 'none'])}`,
        ),
    ],
    [
      2,
      () =>
        get(
          `/ValueSet/$validate-code?url=${OWN_URL}/ValueSet/own&system=${CONCEPTS.anatomySystem}&code=${random.pick(CONCEPTS.anatomy)}`,
        ),
    ],
    [
      1,
      () => get(`/CodeSystem/$lookup?system=${CONCEPTS.anatomySystem}&code=${random.pick(CONCEPTS.anatomy)}`),
    ],
    [
      1,
      () =>
        get(
          `/CodeSystem/$subsumes?system=${CONCEPTS.anatomySystem}&codeA=limb&codeB=${random.pick(CONCEPTS.anatomy)}`,
        ),
    ],
    [1, () => get(`/Observation/$lastn?patient=x${random.below(8)}&max=2`)],
    [1, () => get(`/${address()}/$meta`)],
    [1, () => get(random.pick(['/$meta', '/Patient/$meta', '/Composition/document/$document']))],
    [1, () => get('/StructureDefinition/strict/$snapshot')],
    [2, () => validation(tenant, release)],
    [1, () => match(tenant, release)],
    [0.2, () => get('/metadata')],
    [16, () => graphqlRead(tenant, release)],
    [2, () => later(get(`/${random.pick(['Patient', 'Observation'])}?_total=accurate&_count=3`))],
    [
      2,
      () =>
        batch(release, 'batch', [
          { method: 'GET', url: address() },
          { method: 'GET', url: `Patient?name=${random.pick(['s', 'm'])}&_count=2` },
          { method: 'GET', url: `${address()}/_history` },
        ]),
    ],
  ]);
}

function validation(tenant: Tenant, release: Release): Sent {
  const { random, spaces } = tenant;
  const patients = spaces[release].resources.filter(({ resourceType }) => resourceType === 'Patient');
  const resource = { ...random.pick(patients), meta: { profile: [`${OWN_URL}/StructureDefinition/own`] } };
  return {
    method: 'POST',
    path: `/fhir/${release}/Patient/$validate`,
    body: toJsonText({ resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] }),
  };
}

function match({ random, spaces }: Tenant, release: Release): Sent {
  const patients = spaces[release].resources.filter(({ resourceType }) => resourceType === 'Patient');
  const resource = random.pick(patients);
  return {
    method: 'POST',
    path: `/fhir/${release}/Patient/$match`,
    body: toJsonText({ resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] }),
  };
}
