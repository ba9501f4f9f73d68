/**
 * Random requests of one tenant, of every kind that the server takes. They are made from a seed and from what the tenant
 * was filled with, never from answers, so that another world is asked the same.
 */
import { CONCEPTS } from '../../properties/oracle/generate-values';
import { FEATURES } from '../../properties/oracle/features';
import { generateData } from '../../properties/oracle/generate-data';
import { generateSearch } from '../../properties/oracle/generate-query';
import { toJsonText, type JsonObject, type Resource } from '../../properties/oracle/json';
import { makeSpace } from '../../properties/oracle/make-space';
import { createRandom, type Random } from '../../properties/oracle/random';
import type { Space } from '../../properties/oracle/space';
import type { Release } from '../../../src/core';
import { PUBLIC_URL, type Sent } from './world';

export const MARKER_SYSTEM = 'urn:marker';
export const markerOf = (tenant: string): string => `marker-of-${tenant}`;

export interface Tenant {
  readonly name: string;
  /** From which all is made. */
  readonly seed: number;
  /** Its neighbour. */
  readonly other: string;
  readonly random: Random;
  /** What it was filled with, by release. */
  readonly spaces: Readonly<Record<Release, Space>>;
  /** What the neighbour was filled with. */
  readonly otherSpaces: Readonly<Record<Release, Space>>;
  /** The latest reads, of which some are sent again. */
  readonly recent: Sent[];
}

const RELEASES: readonly Release[] = ['r4', 'r4b'];
const JSON_TYPE = { 'content-type': 'application/json' };
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const OWN_URL = 'http://andiron.example';

/** The resource with the marker of its tenant: as a tag, and in a text or a code that searches find. */
function marked(resource: Resource, tenant: string): Resource {
  const meta = (resource['meta'] ?? {}) as JsonObject;
  const tags = (meta['tag'] ?? []) as readonly JsonObject[];
  return {
    ...resource,
    meta: { ...meta, tag: [...tags, { system: MARKER_SYSTEM, code: markerOf(tenant) }] },
  };
}

function dataOf(tenant: string, release: Release, seed: number): Space {
  const root = `${PUBLIC_URL}/w/${tenant}/api/v1/fhir/${release}`;
  const resources = generateData({ seed, root }).map((resource) => marked(resource, tenant));
  return makeSpace({ release, root, resources });
}

export function makeTenants(names: readonly [string, string], seed: number): readonly [Tenant, Tenant] {
  const spaces = names.map((name, index) => ({
    r4: dataOf(name, 'r4', seed + index),
    r4b: dataOf(name, 'r4b', seed + index),
  }));
  const make = (name: string, other: string, index: number): Tenant => {
    const [own, others] = index === 0 ? spaces : [...spaces].reverse();
    if (own === undefined || others === undefined) throw new Error('there are two tenants');
    const random = createRandom(seed * 1000 + index);
    return { name, seed, other, random, spaces: own, otherSpaces: others, recent: [] };
  };
  return [make(names[0], names[1], 0), make(names[1], names[0], 1)];
}

/** What the tenant is filled with before anything is asked. */
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

const addressOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;

function put(release: Release, resource: Resource, headers: Readonly<Record<string, string>> = {}): Sent {
  return {
    method: 'PUT',
    path: `/fhir/${release}/${addressOf(resource)}`,
    body: toJsonText(resource),
    headers,
  };
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

/** Definitions that both tenants make under the same ids and urls, and each in its own way. */
function definition(release: Release, tenant: string, variant: number, form: number): Sent {
  const isFirst = (tenant.length + form) % 2 === 0;
  const made: Readonly<Record<string, object>> = {
    SearchParameter: {
      id: 'own',
      name: 'own',
      description: markerOf(tenant),
      code: 'own',
      base: ['Patient'],
      type: 'string',
      expression: isFirst ? 'Patient.name.family' : 'Patient.name.given',
    },
    StructureDefinition: {
      id: 'strict',
      name: 'Strict',
      title: markerOf(tenant),
      kind: 'resource',
      abstract: false,
      type: 'Patient',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      derivation: 'constraint',
      differential: {
        element: [
          isFirst
            ? { id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 }
            : { id: 'Patient.gender', path: 'Patient.gender', min: 1 },
        ],
      },
    },
    ValueSet: {
      id: 'own-values',
      title: markerOf(tenant),
      compose: {
        include: [
          {
            system: CONCEPTS.anatomySystem,
            concept: CONCEPTS.anatomy.slice(isFirst ? 0 : 2, isFirst ? 2 : 4).map((code) => ({ code })),
          },
        ],
      },
    },
  };
  const types = Object.keys(made);
  const type = types[variant % types.length] ?? '';
  const resource = {
    resourceType: type,
    url: `${OWN_URL}/${type}/own`,
    status: 'active',
    meta: { tag: [{ system: MARKER_SYSTEM, code: markerOf(tenant) }] },
    ...made[type],
  };
  return put(release, resource as unknown as Resource);
}

export interface Step {
  /** Sent at the same time, but for a step that changes something, which is one request. */
  readonly requests: readonly Sent[];
  /** Whether search parameters are to be waited for. */
  readonly isDefinition: boolean;
  /** Nothing is changed. */
  readonly isRead: boolean;
}

/** The next step: some reads at once, or one request that changes something. */
export function generateStep(tenant: Tenant): Step {
  const { random, recent } = tenant;
  if (random.chance(0.45)) {
    const isDefinition = random.chance(0.04);
    return {
      requests: [isDefinition ? anyDefinition(tenant) : anyWrite(tenant)],
      isDefinition,
      isRead: false,
    };
  }
  const requests = Array.from({ length: random.below(5) + 1 }, () => {
    if (recent.length > 0 && random.chance(0.2)) return random.pick(recent);
    const made = anyRead(tenant);
    if (random.chance(0.3)) recent.push(made);
    if (recent.length > 40) recent.shift();
    return made;
  });
  return { requests, isDefinition: false, isRead: true };
}

/** One of the makers, by their weights. */
function weighted<T>(random: Random, makers: readonly (readonly [weight: number, make: () => T])[]): T {
  let left = random.next() * makers.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of makers) {
    left -= weight;
    if (left < 0) return make();
  }
  const [last] = makers.slice(-1);
  if (last === undefined) throw new Error('nothing to choose from');
  return last[1]();
}

const releaseOf = (random: Random): Release => (random.chance(0.7) ? 'r4' : 'r4b');
const resourceOf = ({ random, spaces }: Tenant, release: Release): Resource =>
  random.pick(spaces[release].resources);
const serverId = (random: Random): string =>
  `@${random.chance(0.15) ? 'foreign-' : ''}id:${random.below(1000)}@`;

/** Of the tenant's own resources, of what the server has made, or of nothing. */
function anyAddress(tenant: Tenant, release: Release): string {
  const { random } = tenant;
  if (random.chance(0.12)) return `${random.pick(['Patient', 'Observation'])}/${serverId(random)}`;
  if (random.chance(0.03)) return 'Patient/nowhere';
  return addressOf(resourceOf(tenant, release));
}

function anyCriteria(
  { random, spaces, otherSpaces }: Tenant,
  release: Release,
): { type: string; query: string } {
  const space = random.chance(0.2) ? otherSpaces[release] : spaces[release];
  const on = new Set<string>(FEATURES);
  const { type, query } = generateSearch({ space, random, isOn: (feature) => on.has(feature) });
  return { type: type ?? '', query };
}

function anyRead(tenant: Tenant): Sent {
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

const later = (sent: Sent): Sent => ({
  ...sent,
  isLater: true,
  headers: { ...sent.headers, prefer: 'respond-async' },
});

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

interface EntryRequest {
  readonly method: string;
  readonly url: string;
  readonly resource?: Resource | object;
  readonly fullUrl?: string;
  readonly more?: Readonly<Record<string, string>>;
}

function batch(release: Release, type: 'batch' | 'transaction', entries: readonly EntryRequest[]): Sent {
  const texts = entries.map(({ method, url, resource, fullUrl, more }) => {
    const members = [
      ...(fullUrl === undefined ? [] : [`"fullUrl":${JSON.stringify(fullUrl)}`]),
      ...(resource === undefined ? [] : [`"resource":${toJsonText(resource as JsonObject)}`]),
      `"request":${JSON.stringify({ method, url, ...more })}`,
    ];
    return `{${members.join(',')}}`;
  });
  return {
    method: 'POST',
    path: `/fhir/${release}`,
    body: `{"resourceType":"Bundle","type":"${type}","entry":[${texts.join(',')}]}`,
  };
}

function graphql(release: Release, query: string, variables: string = '{}'): Sent {
  return {
    method: 'POST',
    path: `/graphql/${release}`,
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    headers: JSON_TYPE,
  };
}

function graphqlRead(tenant: Tenant, release: Release): Sent {
  const { random } = tenant;
  const parts = (): { type: string; id: string } => {
    const [type = '', id = ''] = anyAddress(tenant, release).split('/');
    return { type, id };
  };
  const { type, id } = parts();
  return weighted<Sent>(random, [
    [2, () => graphql(release, `{ read(type: ${type}, id: "${id}") { id versionId json } }`)],
    [1, () => graphql(release, `{ diff(type: ${type}, id: "${id}", from: "1", to: "2") }`)],
    [
      1,
      () =>
        graphql(
          release,
          `{ history(type: ${type}, id: "${id}") { versions { resourceType versionId sequence } total } }`,
        ),
    ],
    [
      4,
      () => {
        const { type: place, query } = anyCriteria(tenant, release);
        const of = place === '' || place.includes('/') ? 'Patient' : place;
        return graphql(
          release,
          'query($query: String) { search(type: ' +
            of +
            ', query: $query, first: 5) { total resources { id json } pageInfo { hasNextPage endCursor } issues { code } } }',
          JSON.stringify({ query }),
        );
      },
    ],
    [
      3,
      () =>
        graphql(
          release,
          `{ PatientList(_count: ${random.below(6) + 1}, _sort: "${random.pick(['family', '-birthdate', '_id'])}") { id birthDate name { family } ObservationList(_reference: patient, _count: 3) { id status subject { reference resource { ... on Patient { id gender } } } } } }`,
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `
            {
              ObservationConnection(_count: 4, _sort: "-date") {
                count
                first
                next
                last
                edges {
                  mode
                  resource {
                    id
                    meta {
                      tag {
                        code
                      }
                    }
                  }
                }
              }
            }
          `,
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `
            {
              ObservationAggregate(where: { _id: { not: "none" } }) {
                count
                countBy(parameter: code) {
                  value
                  count
                }
                countByReference(parameter: subject) {
                  value
                  count
                }
                countByDate(parameter: date, bucket: year) {
                  value
                  count
                }
              }
              PatientAggregate {
                count
                countBy(parameter: gender) {
                  value
                  count
                }
              }
            }
          `,
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `{ Patient(id: "x${random.below(8)}") { id active name { family given } generalPractitioner { reference } } }`,
        ),
    ],
  ]);
}

function anyDefinition(tenant: Tenant): Sent {
  const { random, name } = tenant;
  const release = releaseOf(random);
  const made = definition(release, name, random.below(3), random.below(2));
  return random.chance(0.2) ? { method: 'DELETE', path: made.path } : made;
}

/** A resource as another of its type has it: the same ids get other contents all the time. */
function changed(tenant: Tenant, release: Release): Resource {
  const { random, spaces } = tenant;
  const one = resourceOf(tenant, release);
  const others = spaces[release].resources.filter(
    ({ resourceType }) => resourceType === one.resourceType && one.resourceType !== 'Questionnaire',
  );
  const from = others.length > 0 ? random.pick(others) : one;
  // Definitions keep their urls: two of one url are another matter.
  return typeof from['url'] === 'string' ? one : { ...from, id: one.id };
}

function withoutId(resource: Resource): JsonObject {
  const { id: _id, ...rest } = resource;
  return rest;
}

function anyWrite(tenant: Tenant): Sent {
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

function list(tenant: string): Resource {
  return marked(
    { resourceType: 'List', id: 'batched', status: 'current', mode: 'working', title: tenant },
    tenant,
  );
}

function transaction(tenant: Tenant, release: Release): Sent {
  const { random, name } = tenant;
  const urn = 'urn:uuid:0c4f4b4e-6a0c-4b8e-9d1f-5b7a1f2f3c4d';
  const makers: readonly (() => EntryRequest)[] = [
    () => {
      const resource = changed(tenant, release);
      return { method: 'PUT', url: addressOf(resource), resource };
    },
    () => ({ method: 'DELETE', url: anyAddress(tenant, release) }),
    () => ({ method: 'GET', url: `Patient?_summary=count&gender=${random.pick(['male', 'female'])}` }),
    () => ({ method: 'GET', url: anyAddress(tenant, release) }),
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

function graphqlWrite(tenant: Tenant, release: Release, resource: Resource): Sent {
  const { random, name } = tenant;
  const variables = (of: JsonObject): string => `{"r":${toJsonText(of)}}`;
  const [type = '', id = ''] = anyAddress(tenant, release).split('/');
  const what = '{ created versionId location resource { id json } issues { code } }';
  return weighted<Sent>(random, [
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) { create(resource: $r) ${what} }`,
          variables(withoutId(resource)),
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) { update(resource: $r) ${what} }`,
          variables(resource),
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `mutation { patch(type: ${type}, id: "${id}", patch: [{op: add, path: "/language", value: "nb"}]) { versionId } }`,
        ),
    ],
    [1, () => graphql(release, `mutation { delete(type: ${type}, id: "${id}") { deleted versionId } }`)],
    [1, () => graphql(release, `mutation { invoke(code: "meta", type: ${type}, id: "${id}") { json } }`)],
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) @atomic { one: update(resource: $r) ${what} two: delete(type: ${type}, id: "${id}") { deleted versionId } }`,
          variables(resource),
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `
            mutation ($r: ResourceInput!) {
              PatientCreate(res: $r) {
                location
                resource {
                  id
                  meta {
                    versionId
                    tag {
                      code
                    }
                  }
                }
              }
            }
          `,
          variables(marked({ resourceType: 'Patient', id: 'x', gender: 'other' }, name)),
        ),
    ],
  ]);
}

/** What erases, at the end: afterwards nothing of a tenant is remembered for two minutes. */
export function erasures({ random }: Tenant): Sent[] {
  return Array.from({ length: 3 }, (_unused, index) => ({
    method: 'POST',
    path: `/fhir/${releaseOf(random)}/${index === 0 ? 'Patient/x' : 'Observation/obs'}${random.below(6)}/$purge`,
  }));
}
