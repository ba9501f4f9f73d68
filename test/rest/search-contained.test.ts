/** `_contained` and `_containedType`: matches among contained resources (search.html#contained). */
import type { Release } from '../../src/core';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { gatewayPath } from '../graphql/gateway-client';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const tenant of ['elsewhere']) await server.createTenant(tenant);
});
afterAll(() => server.close());

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly resource: { readonly resourceType: string; readonly id: string; readonly meta?: unknown };
    readonly search: { readonly mode: string };
  }[];
}

const person = (id: string, family: string, more: object = {}): object => ({
  resourceType: 'Patient',
  id,
  name: [{ family, given: ['Ann'] }],
  ...more,
});

function observation(id: string, contained: readonly object[], more: object = {}): object {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ code: '1234-5' }] },
    subject: { reference: '#p' },
    ...(contained.length > 1 ? { performer: [{ reference: '#q' }] } : {}),
    contained,
    ...more,
  };
}

describe.each(TESTED_RELEASES)('under %s', (release: Release) => {
  const path = (rest: string, tenant = 'system'): string => `${server.path(tenant, release)}/${rest}`;
  const searchBundle = async (query: string, tenant?: string): Promise<Bundle> => {
    const { status, text, json } = await server.request('GET', path(query, tenant));
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`);
    return json as Bundle;
  };
  const shown = ({ entry = [] }: Bundle): string[] =>
    entry.map(({ fullUrl, resource, search }) => {
      const address = fullUrl.slice(fullUrl.indexOf(`/${release}/`) + release.length + 2);
      return `${search.mode} ${address} ${resource.resourceType}`;
    });
  async function follow(query: string): Promise<string[]> {
    const found: string[] = [];
    let next: string | undefined = path(query);
    while (next !== undefined) {
      const { status, text, json } = await server.request('GET', next);
      if (status !== 200) throw new Error(`${next}: ${status} ${text}`);
      found.push(...shown(json as Bundle));
      const url = (json as Bundle).link.find(({ relation }) => relation === 'next')?.url;
      next = url === undefined ? undefined : new URL(url).pathname + new URL(url).search;
    }
    return found;
  }

  beforeAll(async () => {
    const resources = [
      person('stored', 'Smith'),
      person('other', 'Jones', { active: true }),
      observation('one', [person('p', 'Smith', { birthDate: '1970-01-01' })], {
        effectiveDateTime: '2021-01-01',
      }),
      observation(
        'two',
        [
          person('p', 'Jones', { active: true }),
          { resourceType: 'Practitioner', id: 'q', name: [{ family: 'Smith' }] },
        ],
        { effectiveDateTime: '2022-01-01' },
      ),
      {
        resourceType: 'Condition',
        id: 'three',
        subject: { reference: '#p' },
        asserter: { reference: '#r' },
        contained: [
          person('p', 'Smith', {
            gender: 'male',
            generalPractitioner: [{ reference: 'Practitioner/nowhere' }],
          }),
          person('r', 'Smith', { gender: 'female' }),
        ],
      },
      {
        // Referenced by the contained resource, not by the container itself.
        resourceType: 'MedicationRequest',
        id: 'four',
        status: 'active',
        intent: 'order',
        subject: { reference: 'Patient/stored' },
        medicationReference: { reference: '#m' },
        contained: [
          { resourceType: 'Medication', id: 'm', manufacturer: { reference: '#o' } },
          {
            resourceType: 'Organization',
            id: 'o',
            name: 'Inner',
            partOf: { reference: 'Organization/whole' },
          },
        ],
      },
      { resourceType: 'Organization', id: 'whole', name: 'Whole' },
    ];
    for (const resource of resources) {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      const { status, text } = await server.request('PUT', path(`${resourceType}/${id}`), resource);
      if (status !== 201) throw new Error(text);
    }
  });

  it.each([
    ['family=smith', ['match Patient/stored Patient']],
    ['family=smith&_contained=false', ['match Patient/stored Patient']],
    [
      'family=smith&_contained=true',
      ['match Condition/three Condition', 'match Observation/one Observation'],
    ],
    [
      'family=smith&_contained=true&_containedType=contained',
      [
        'match Condition/three#p Patient',
        'match Observation/one#p Patient',
        'match Condition/three#r Patient',
      ],
    ],
    [
      'family=smith&_contained=both',
      [
        'match Patient/stored Patient',
        'include Condition/three Condition',
        'include Observation/one Observation',
      ],
    ],
    [
      'family=smith&_contained=both&_containedType=contained',
      [
        'match Patient/stored Patient',
        'match Condition/three#p Patient',
        'match Observation/one#p Patient',
        'match Condition/three#r Patient',
      ],
    ],
    [
      'family=smith&gender=female&_contained=true&_containedType=contained',
      ['match Condition/three#r Patient'],
    ],
    ['family=smith&gender=other&_contained=true', []],
    // By its id alone, though no stored resource refers to it.
    ['general-practitioner=nowhere&_contained=true', ['match Condition/three Condition']],
    [
      'gender:missing=true&_contained=true',
      ['match Observation/one Observation', 'match Observation/two Observation'],
    ],
    ['active=true&_contained=true&_containedType=contained', ['match Observation/two#p Patient']],
    ['birthdate=ge1960&_contained=true&_containedType=contained', ['match Observation/one#p Patient']],
    ['family:not=x&_contained=true', undefined],
    ['name=jones,ann&gender=female,male&_contained=true', ['match Condition/three Condition']],
    [
      '_id=p&_contained=true',
      [
        'match Condition/three Condition',
        'match Observation/one Observation',
        'match Observation/two Observation',
      ],
    ],
  ])('Patient?%s', async (query, expected) => {
    if (expected === undefined) {
      expect((await server.request('GET', path(`Patient?${query}`))).status).toBe(400);
      return;
    }
    const all = await searchBundle(`Patient?${query}&_total=accurate`);
    expect([...shown(all)].sort()).toEqual([...expected].sort());
    expect(all.total).toBe(expected.length);
    expect((await searchBundle(`Patient?${query}&_count=0`)).total).toBe(expected.length);
    expect(await follow(`Patient?${query}&_count=1`)).toEqual(shown(all));
    expect(await follow(`Patient?${query}&_count=2`)).toEqual(shown(all));
  });

  it('a contained resource is returned unchanged, with all its digits and in parts', async () => {
    const { entry = [] } = await searchBundle(
      'Patient?birthdate=1970-01-01&_contained=true&_containedType=contained',
    );
    expect(entry[0]?.resource).toEqual(person('p', 'Smith', { birthDate: '1970-01-01' }));
    const parts = await searchBundle(
      'Patient?birthdate=1970-01-01&_contained=true&_containedType=contained&_elements=birthDate',
    );
    expect(JSON.stringify(parts.entry?.[0]?.resource)).not.toContain('Smith');
  });

  it('finds resources that only another contained resource refers to, and follows its references', async () => {
    for (const query of ['name=inner', 'partof=Organization/whole', 'partof.name=whole'])
      expect([
        query,
        shown(await searchBundle(`Organization?${query}&_contained=true&_containedType=contained`)),
      ]).toEqual([query, ['match MedicationRequest/four#o Organization']]);
    expect(shown(await searchBundle('Organization?partof.name=nobody&_contained=true'))).toEqual([]);
  });

  it('is of this tenant alone, and gone with its container', async () => {
    expect(shown(await searchBundle('Patient?family=smith&_contained=true', 'elsewhere'))).toEqual([]);
    await server.request(
      'PUT',
      path('Observation/passing'),
      observation('passing', [person('p', 'Passing')]),
    );
    expect(shown(await searchBundle('Patient?family=passing&_contained=true'))).toHaveLength(1);
    await server.request('PUT', path('Observation/passing'), observation('passing', [person('p', 'Other')]));
    expect(shown(await searchBundle('Patient?family=passing&_contained=true'))).toEqual([]);
    await server.request('DELETE', path('Observation/passing'));
    expect(shown(await searchBundle('Patient?family=other&_contained=true'))).toEqual([]);
  });

  it.each([
    ['Patient?family=smith&_contained=true&_sort=family', 422],
    ['Patient?family=smith&_contained=both&_offset=1', 422],
    ['Patient?_content=smith&_contained=true', 422],
    // Words, at any depth of the criteria.
    ['Patient?_has:Observation:subject:code:text=weight&_contained=true', 422],
    ['Patient?_has:Observation:subject:_text=weight&_contained=both', 422],
    ['Patient?_has:Observation:subject:performer:Practitioner.name:text=smith&_contained=true', 422],
    ['Patient?organization.name:text=whole&_contained=true', 422],
    ['Patient?family=smith&_contained=maybe', 400],
    ['Patient?family=smith&_contained=true&_containedType=other', 400],
    ['?_type=Patient,Person&_contained=true', 400],
  ])('%s is refused with %d', async (query, status) => {
    const answer = await server.request('GET', path(query));
    expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
  });

  it('by GraphQL too', async () => {
    const query =
      '{ search(type: Patient, query: "family=smith&gender=female&_contained=true&_containedType=contained") { total resources { id json } } }';
    const { json } = await server.request(
      'POST',
      gatewayPath(server.tenant('system'), release),
      { query },
      {
        'content-type': 'application/json',
      },
    );
    expect(json.data.search.total).toBe(1);
    expect(json.data.search.resources[0]).toMatchObject({
      id: 'r',
      json: { resourceType: 'Patient', gender: 'female' },
    });
  });
});
