import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, putExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('searching in %s', (release) => {
  let send: SendQuery;
  beforeAll(async () => {
    send = createSender(server, 'system', release);
    for (const name of ['Patient-example', 'Observation-example', 'Observation-blood-pressure']) {
      await putExample(server, 'system', release, name);
    }
    await send('mutation($resource: ResourceInput!) { create(resource: $resource) { created } }', {
      resource: { resourceType: 'Practitioner', active: true },
    });
    for (const id of ['a', 'b']) {
      const contained = [{ resourceType: 'Practitioner', id: 'p', active: true }];
      const resource = {
        resourceType: 'Basic',
        id,
        contained,
        author: { reference: '#p' },
        code: { text: id },
      };
      await send('mutation($resource: ResourceInput!) { update(resource: $resource) { created } }', {
        resource,
      });
    }
    for (const family of ['Alpha', 'Beta', 'Gamma']) {
      const resource = { resourceType: 'Patient', name: [{ family }], birthDate: '1970-01-01' };
      await send('mutation($resource: ResourceInput!) { create(resource: $resource) { created } }', {
        resource,
      });
    }
  });

  it('accepts the query string of REST', async () => {
    const { found } = await send(
      '{ search(type: Patient, query: "family=chalmers&birthdate=lt1980") { resources { id } edges { mode node { id } } issues { code } } }',
    );
    expect(found.search).toEqual({
      resources: [{ id: 'example' }],
      edges: [{ mode: 'MATCH', node: { id: 'example' } }],
      issues: [],
    });
  });

  it('accepts parameters one by one, without percent-encoding', async () => {
    const { found } = await send(
      'query($parameters: [SearchParameterInput!]) { search(type: Observation, parameters: $parameters) { resources { id } } }',
      {
        parameters: [
          { name: 'code', value: 'http://loinc.org|29463-7' },
          { name: 'subject', value: 'Patient/example' },
        ],
      },
    );
    expect(found.search.resources).toEqual([{ id: 'example' }]);
  });

  it('joins query string and parameters by AND', async () => {
    const { found } = await send(
      '{ search(type: Patient, query: "birthdate=1970-01-01", parameters: [{name: "family", value: "beta"}]) { resources { json } } }',
    );
    expect(found.search.resources).toMatchObject([{ json: { name: [{ family: 'Beta' }] } }]);
  });

  it('goes through pages by cursor and ends', async () => {
    const query = `query($after: String) { search(type: Patient, query: "birthdate=1970-01-01&_sort=family", first: 2, after: $after) {
      resources { json } pageInfo { hasNextPage endCursor }
    } }`;
    const first = (await send(query)).found.search;
    const second = (await send(query, { after: first.pageInfo.endCursor })).found.search;
    const families = [...first.resources, ...second.resources].map(
      ({ json }) => json.name[0].family as string,
    );
    expect(families).toEqual(['Alpha', 'Beta', 'Gamma']);
    expect(first.pageInfo.hasNextPage).toBe(true);
    expect(second.pageInfo).toEqual({ hasNextPage: false, endCursor: null });
  });

  it.each([
    ['in no order', 'type: Patient', 'Patient?_lastUpdated=gt2000'],
    ['by a text', 'type: Patient', 'Patient?_sort=-family'],
    ['by what some have not', 'type: Observation', 'Observation?_sort=value-quantity'],
    ['by several keys', 'type: Patient', 'Patient?_sort=birthdate,-family'],
    ['of several types', '', '?_type=Observation,Patient'],
    ['of several types by a date', '', '?_type=Observation,Patient&_sort=-_lastUpdated,_id'],
    ['of base resources', 'type: ValueSet', 'ValueSet?name=observation&_sort=name'],
    ['of what contains', 'type: Practitioner', 'Practitioner?_contained=true'],
    ['of what is contained', 'type: Practitioner', 'Practitioner?_contained=both&_containedType=contained'],
  ])('each match has a cursor, of REST too, after which a page begins: %s', async (_what, type, path) => {
    const [, query = ''] = path.split('?');
    const page = `query($after: String) { search(${[type, `query: "${query}"`, 'first: 50, after: $after'].join(' ')}) {
      edges { mode cursor node { id } } ...bounds
    } } fragment bounds on SearchResult { pageInfo { hasNextPage hasPreviousPage startCursor } }`;
    const { found } = await send(page);
    interface Edge {
      readonly cursor: string;
      readonly node: { readonly id: string };
    }
    const edges = found.search.edges as readonly Edge[];
    const ids = edges.map(({ node }) => node.id);
    expect(ids.length).toBeGreaterThan(1);
    const [first] = edges;
    expect(found.search.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: first?.cursor,
    });
    for (const [index, { cursor }] of edges.entries()) {
      const rest = (await send(page, { after: cursor })).found.search;
      expect(rest.edges.map(({ node }: Edge) => node.id)).toEqual(ids.slice(index + 1));
      expect(rest.pageInfo.hasPreviousPage).toBe(true);
    }
    const behind = `${path}&_count=50&_cursor=${first?.cursor}`;
    const { json } = await server.request('GET', `${server.path('system', release)}/${behind}`);
    expect(json.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual(ids.slice(1));
  });

  it('an included resource has no cursor', async () => {
    const { found } = await send(
      '{ search(type: Observation, query: "_id=example&_include=Observation:subject") { edges { mode cursor } } }',
    );
    expect(found.search.edges).toEqual([
      { mode: 'MATCH', cursor: expect.any(String) },
      { mode: 'INCLUDE', cursor: null },
    ]);
  });

  it('counts the matches when the total is selected, through a fragment too', async () => {
    const { found } = await send(`{
      some: search(type: Patient, query: "birthdate=1970-01-01", first: 1) { ...counted }
      none: search(type: Patient, query: "family=nobody", total: ACCURATE) { total }
    } fragment counted on SearchResult { total }`);
    expect(found).toEqual({ some: { total: 3 }, none: { total: 0 } });
  });

  it('gives `first` precedence over `_count`, and `_count` over the default', async () => {
    const { found } = await send(`{
      a: search(type: Patient, query: "_count=1") { resources { id } }
      b: search(type: Patient, query: "_count=1", first: 2) { resources { id } }
    }`);
    expect(found.a.resources).toHaveLength(1);
    expect(found.b.resources).toHaveLength(2);
  });

  it('searches several types, all types and compartments as REST does', async () => {
    const { found } = await send(`{
      several: search(query: "_type=Observation,Patient&_lastUpdated=gt2000&_count=2") { total resources { __typename } pageInfo { hasNextPage } }
      all: search(query: "_id=example&_tag:missing=true", first: 50) { resources { id json } }
      inside: search(type: Observation, compartment: { type: Patient, id: "example" }, query: "code=29463-7") { resources { id } }
      whole: search(compartment: { type: Patient, id: "example" }, query: "_type=Patient,Observation") { total }
      elsewhere: search(compartment: { type: Patient, id: "nobody" }) { total }
    }`);
    for (const [name, path] of [
      ['several', '?_type=Observation,Patient&_lastUpdated=gt2000&_count=0'],
      ['whole', '/Patient/example/*?_type=Patient,Observation&_count=0'],
      ['elsewhere', '/Patient/nobody/*?_count=0'],
    ] as const) {
      const { json } = await server.request('GET', `${server.path('system', release)}${path}`);
      expect([name, found[name].total]).toEqual([name, json.total]);
    }
    expect(found.whole.total).toBeGreaterThan(1);
    expect(found.several.pageInfo.hasNextPage).toBe(true);
    expect(found.inside.resources).toEqual([{ id: 'example' }]);
    expect(
      found.all.resources.map(({ json }: { json: { resourceType: string } }) => json.resourceType).sort(),
    ).toEqual(['Observation', 'Patient']);
    const refused = await send(
      '{ search(type: Organization, compartment: { type: Patient, id: "1" }) { total } }',
    );
    expect([refused.status, refused.errors[0]?.extensions.resource.issue[0]?.diagnostics]).toEqual([
      400,
      expect.stringContaining('Organization'),
    ]);
  });

  it('refuses an unknown parameter, and a cursor of another search', async () => {
    const unknown = await send('{ search(type: Patient, query: "nmae=x") { total } }');
    expect(unknown.status).toBe(400);
    expect(unknown.errors[0]).toMatchObject({ path: ['search'], extensions: { code: 'not-supported' } });
    const page = await send(
      '{ search(type: Patient, query: "_sort=family", first: 1) { pageInfo { endCursor } } }',
    );
    const foreign = await send(
      'query($after: String) { search(type: Patient, query: "_sort=birthdate", after: $after) { total } }',
      {
        after: page.found.search.pageInfo.endCursor,
      },
    );
    expect([foreign.status, foreign.errors[0]?.extensions.code]).toEqual([400, 'value']);
  });
});
