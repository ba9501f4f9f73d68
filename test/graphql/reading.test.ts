import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, putExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('reading resources of %s', (release) => {
  let send: SendQuery;
  beforeAll(async () => {
    send = createSender(server, 'system', release);
    for (const name of ['Patient-example', 'Observation-decimal'])
      await putExample(server, 'system', release, name);
  });

  it('gives the same JSON as REST, to the last digit', async () => {
    const { text } = await server.request('GET', `${server.path('system', release)}/Observation/decimal`);
    const answer = await send('{ read(type: Observation, id: "decimal") { json } }');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.text.trim()).toBe(`{"data":{"read":{"json":${text}}}}`);
    expect(text).toContain('"value":1.00');
  });

  it('returns version, time, sequence and author of a resource', async () => {
    const { json } = await server.request('GET', `${server.path('system', release)}/Patient/example`);
    const { found } = await send(`{ read(type: Patient, id: "example") {
      resourceType id meta { versionId lastUpdated versionSequence author { reference } profile tag { code } }
    } }`);
    expect(found.read).toEqual({
      resourceType: 'Patient',
      id: 'example',
      meta: {
        versionId: json.meta.versionId,
        lastUpdated: json.meta.lastUpdated,
        versionSequence: json.meta.extension.find((entry: { url: string }) =>
          entry.url.endsWith('/version-sequence'),
        ).valueInteger,
        author: { reference: 'ClientApplication/anonymous' },
        profile: null,
        tag: null,
      },
    });
  });

  it('gives tags, security labels and profiles that a client wrote', async () => {
    const meta = {
      source: 'urn:example',
      profile: ['http://hospital.example/StructureDefinition/basic'],
      tag: [{ system: 'http://example.org', code: 'a' }],
      security: [{ code: 'R', display: 'restricted' }],
    };
    const { found } = await send(
      `mutation($resource: ResourceInput!) { create(resource: $resource) { resource { meta {
        source profile tag { system code } security { code display }
      } } } }`,
      { resource: { resourceType: 'Basic', meta, code: { text: 'x' } } },
    );
    expect(found.create.resource.meta).toEqual(meta);
  });

  it('returns null without an error for a missing or deleted resource', async () => {
    await send(
      'mutation { update(resource: {resourceType: "Basic", id: "gone", code: {text: "x"}}) { created } }',
    );
    await send('mutation { delete(type: Basic, id: "gone") { versionId } }');
    const answer = await send(`{
      absent: read(type: Patient, id: "nobody") { id }
      deleted: read(type: Basic, id: "gone") { id }
      version: read(type: Patient, id: "example", versionId: "99") { id }
      deletion: read(type: Basic, id: "gone", versionId: "2") { id }
      present: read(type: Patient, id: "example", versionId: "1") { id }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      data: { absent: null, deleted: null, version: null, deletion: null, present: { id: 'example' } },
    });
  });

  it('gives the versions of a resource, newest first, in pages', async () => {
    await send(
      'mutation { update(resource: {resourceType: "Basic", id: "h", code: {text: "first"}}) { created } }',
    );
    await send(
      'mutation { update(resource: {resourceType: "Basic", id: "h", code: {text: "second"}}) { created } }',
    );
    await send('mutation { delete(type: Basic, id: "h") { versionId } }');
    const query = `query($after: String) { history(type: Basic, id: "h", first: 2, after: $after) {
      versions { versionId change resource { json } } pageInfo { hasNextPage endCursor }
    } }`;
    const first = (await send(query)).found.history;
    expect(first.versions).toMatchObject([
      { versionId: '3', change: 'DELETE', resource: null },
      { versionId: '2', change: 'UPDATE', resource: { json: { code: { text: 'second' } } } },
    ]);
    expect(first.pageInfo.hasNextPage).toBe(true);
    const second = (await send(query, { after: first.pageInfo.endCursor })).found.history;
    expect(second).toMatchObject({
      versions: [{ versionId: '1', change: 'UPDATE', resource: { json: { code: { text: 'first' } } } }],
      pageInfo: { hasNextPage: false, endCursor: null },
    });
  });

  it('gives only versions since a moment', async () => {
    const { found } = await send('{ history(type: Patient, id: "example") { versions { lastUpdated } } }');
    const since = found.history.versions[0].lastUpdated as string;
    const query =
      'query($since: instant) { history(type: Patient, id: "example", since: $since) { versions { versionId } } }';
    expect((await send(query, { since })).found.history.versions).toHaveLength(1);
    expect((await send(query, { since: '2999-01-01T00:00:00Z' })).found.history.versions).toEqual([]);
    expect((await send(query, { since: 'yesterday' })).status).toBe(400);
  });
});
