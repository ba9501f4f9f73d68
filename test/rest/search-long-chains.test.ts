/** Chains of many links: each link is searched by itself, with the meaning of short chains. */
import type { Release } from '../../src/core';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const reference = (to: string): object => ({ reference: to });
const code = { coding: [{ code: 'x' }] };
const observation = (id: string, more: object): { resourceType: string; id: string } => ({
  ...{ resourceType: 'Observation', id, status: 'final', code },
  ...more,
});
const organization = (id: string, name: string, partOf?: string): { resourceType: string; id: string } => ({
  ...{ resourceType: 'Organization', id, name },
  ...(partOf === undefined ? {} : { partOf: reference(partOf) }),
});

/** `a` leads by stored resources, `b` by a contained patient, `c` by a contained patient in a contained observation. */
const RESOURCES = [
  organization('top', 'Top'),
  organization('middle', 'Middle', 'Organization/top'),
  organization('low', 'Low', 'Organization/middle'),
  organization('alone', 'Alone'),
  {
    ...{ resourceType: 'Patient', id: 'p', gender: 'male' },
    managingOrganization: reference('Organization/low'),
  },
  { resourceType: 'Patient', id: 'q', managingOrganization: reference('Organization/alone') },
  { resourceType: 'Condition', id: 'con', subject: reference('Patient/p') },
  observation('a', { subject: reference('Patient/p'), focus: [reference('Condition/con')] }),
  observation('b', {
    subject: reference('#x'),
    focus: [reference('Observation/a')],
    contained: [
      {
        resourceType: 'Patient',
        id: 'x',
        gender: 'male',
        managingOrganization: reference('Organization/low'),
      },
    ],
  }),
  observation('c', {
    derivedFrom: [reference('#y')],
    focus: [reference('Observation/b')],
    contained: [
      { ...observation('y', { subject: reference('#z') }) },
      {
        resourceType: 'Patient',
        id: 'z',
        gender: 'female',
        managingOrganization: reference('Organization/low'),
      },
    ],
  }),
  observation('d', { subject: reference('Patient/q'), derivedFrom: [reference('Observation/a')] }),
  observation('e', { derivedFrom: [reference('Observation/b')], focus: [reference('Observation/c')] }),
];

/** Each with the ids of its matches. */
const SEARCHES: readonly (readonly [query: string, ids: readonly string[]])[] = [
  ['focus.subject.gender=male', ['a', 'b', 'c']],
  ['focus.subject:Patient.organization.partof.partof.name=top', ['a', 'b', 'c']],
  ['focus.subject.gender=male&code=x', ['a', 'b', 'c']],
  ['focus.subject.gender=male&_sort=-_lastUpdated', ['a', 'b', 'c']],
  ['focus.subject.gender=female', []],
  ['derived-from.subject.organization.partof.partof.name=top', ['c', 'd', 'e']],
  ['derived-from:Observation.subject:Patient.organization.partof.partof.name=top', ['c', 'd', 'e']],
  ['derived-from:Observation.subject:Patient.gender:not=male', ['c']],
  ['derived-from:Observation.subject:Patient.organization:Organization.partof:missing=true', []],
  ['focus.subject._has:Condition:subject:_has:Observation:focus:subject:Patient.gender=male', ['a', 'b']],
  ['focus.subject.gender=male&_contained=both', ['a', 'b', 'c']],
  ['subject.organization.partof.partof.name=top&_contained=true', ['c']],
  [
    'subject:Patient.organization:Organization.partof:Organization.partof.name=top&_contained=both',
    ['a', 'b', 'c'],
  ],
];

describe.each(TESTED_RELEASES)('chains of many links under %s', (release: Release) => {
  beforeAll(async () => {
    for (const resource of RESOURCES) {
      const path = `${server.path('system', release)}/${resource.resourceType}/${resource.id}`;
      const { status, text } = await server.request('PUT', path, resource);
      if (status !== 201) throw new Error(text);
    }
  });

  it.each(SEARCHES)('find the sources, once, and count them: %s', async (query, ids) => {
    for (const total of ['', '&_total=accurate', '&_summary=count']) {
      const path = `${server.path('system', release)}/Observation?${query}${total}`;
      const { status, json, text } = await server.request('GET', path);
      if (status !== 200) throw new Error(text);
      const { entry = [] } = json as { entry?: { resource: { id: string } }[] };
      if (total !== '&_summary=count') expect(entry.map(({ resource }) => resource.id).sort()).toEqual(ids);
      if (total !== '') expect(json).toMatchObject({ total: ids.length });
    }
  });

  it('pages through them by the links next', async () => {
    const found: string[] = [];
    let next: string | undefined =
      `${server.path('system', release)}/Observation?focus.subject.gender=male&_count=1`;
    while (next !== undefined) {
      const { json, text, status } = await server.request('GET', next);
      if (status !== 200) throw new Error(text);
      const page = json as {
        entry?: { resource: { id: string } }[];
        link: { relation: string; url: string }[];
      };
      found.push(...(page.entry ?? []).map(({ resource }) => resource.id));
      next = page.link.find(({ relation }) => relation === 'next')?.url;
      if (next !== undefined) next = next.slice(next.indexOf('/w/'));
    }
    expect(found.sort()).toEqual(['a', 'b', 'c']);
  });
});
