import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, putExample, readExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('changing resources of %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'system', release);
  });
  beforeEach(() => putExample(server, 'system', release, 'Patient-example'));

  const versionOf = async (type: string, id: string): Promise<string> =>
    (await send(`{ read(type: ${type}, id: "${id}") { meta { versionId } } }`)).found.read.meta
      .versionId as string;

  it('creates a resource and returns its location', async () => {
    const { status, found } = await send(
      'mutation($r: ResourceInput!) { create(resource: $r) { created versionId location resource { id json } } }',
      { r: { resourceType: 'Patient', id: 'not-mine', name: [{ family: 'New' }] } },
    );
    expect(status).toBe(200);
    const { id, json } = found.create.resource;
    expect(id).not.toBe('not-mine');
    expect(json.name).toEqual([{ family: 'New' }]);
    expect(found.create).toMatchObject({
      created: true,
      versionId: '1',
      location: `Patient/${id}/_history/1`,
    });
  });

  it('keeps decimals of variables and of literals to the last digit', async () => {
    const example = readExample('Observation-decimal');
    const byVariable = await send(
      'mutation($r: ResourceInput!) { update(resource: $r) { resource { json } } }',
      `{"r":${example}}`,
    );
    expect(byVariable.status).toBe(200);
    for (const literal of example.matchAll(/"value": ?(-?[0-9][0-9.eE+-]*)/g)) {
      expect(byVariable.text).toContain(`"value":${literal[1]}`);
    }
    const byLiteral = await send(`mutation { create(resource: {
      resourceType: "Observation", status: "final", code: {text: "x"}, valueQuantity: {value: 0.010, unit: "mg"}
    }) { resource { json } } }`);
    expect(byLiteral.text).toContain('"valueQuantity":{"value":0.010,"unit":"mg"}');
  });

  it('updates a resource under its own id, and creates it where there is none', async () => {
    const { found } = await send(`mutation {
      first: update(resource: {resourceType: "Basic", id: "u-1", code: {text: "a"}}) { created versionId }
      second: update(resource: {resourceType: "Basic", id: "u-1", code: {text: "b"}}, ifVersion: "1") { created versionId }
    }`);
    expect(found).toMatchObject({ first: { created: true }, second: { created: false, versionId: '2' } });
  });

  it('patches with real JSON values, null, objects and decimals among them', async () => {
    const { status, text, found } = await send(
      `mutation($patch: [JsonPatchOperation!]!) { patch(type: Patient, id: "example", patch: $patch) {
        created resource { json }
      } }`,
      `{"patch":[
        {"op":"test","path":"/resourceType","value":"Patient"},
        {"op":"replace","path":"/active","value":false},
        {"op":"add","path":"/name/0","value":{"family":"Patched","given":["A","B"]}},
        {"op":"add","path":"/extension","value":[{"url":"http://example.org/weight","valueDecimal":71.500}]},
        {"op":"move","from":"/birthDate","path":"/birthDate"},
        {"op":"remove","path":"/contact"}
      ]}`,
    );
    expect(status).toBe(200);
    const { json } = found.patch.resource;
    expect(json).toMatchObject({ active: false, birthDate: '1974-12-25' });
    expect(json.name[0]).toEqual({ family: 'Patched', given: ['A', 'B'] });
    expect(json.contact).toBeUndefined();
    expect(text).toContain('"valueDecimal":71.500');
  });

  it('changes nothing when one operation of a patch cannot be applied', async () => {
    const before = await versionOf('Patient', 'example');
    const answer = await send(`mutation { patch(type: Patient, id: "example", patch: [
      {op: replace, path: "/active", value: false}, {op: remove, path: "/nowhere"}
    ]) { versionId } }`);
    expect([answer.status, answer.errors[0]?.extensions.code]).toEqual([422, 'processing']);
    expect(await versionOf('Patient', 'example')).toBe(before);
  });

  it('deletes a resource, and nothing where there is none', async () => {
    await send(
      'mutation { update(resource: {resourceType: "Basic", id: "d-1", code: {text: "a"}}) { created } }',
    );
    const remove =
      'mutation { delete(type: Basic, id: "d-1") { versionId created resource { id } location } }';
    const first = (await send(remove)).found.delete;
    const second = await send(remove);
    expect(first).toMatchObject({ created: false, resource: null });
    expect(first.location).toBe(`Basic/d-1/_history/${first.versionId}`);
    expect([second.status, second.found.delete]).toEqual([
      200,
      { versionId: null, created: false, resource: null, location: null },
    ]);
    expect((await send('{ read(type: Basic, id: "d-1") { id } }')).found.read).toBeNull();
  });

  it.each([
    ['update', 'update(resource: {resourceType: "Patient", id: "example"}, ifVersion: "999") { versionId }'],
    [
      'patch',
      'patch(type: Patient, id: "example", patch: [{op: add, path: "/active", value: true}], ifVersion: "999") { versionId }',
    ],
    ['delete', 'delete(type: Patient, id: "example", ifVersion: "999") { versionId }'],
  ])('refuses to %s another version than the current one: conflict, 412', async (name, field) => {
    const before = await versionOf('Patient', 'example');
    const answer = await send(`mutation { ${field} }`);
    expect(answer.status).toBe(412);
    expect(answer.json.data).toEqual({ [name]: null });
    expect(answer.errors[0]?.extensions.code).toBe('conflict');
    expect(await versionOf('Patient', 'example')).toBe(before);
  });

  it('lets exactly one of many writers with the same version through', async () => {
    const ifVersion = await versionOf('Patient', 'example');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        send(
          `mutation($v: ID) { patch(type: Patient, id: "example", ifVersion: $v, patch: [{op: add, path: "/active", value: true}]) { versionId } }`,
          { v: ifVersion },
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
  });

  it('keeps the successful writes when another mutation of the document fails', async () => {
    const answer = await send(`mutation {
      good: update(resource: {resourceType: "Basic", id: "p-1", code: {text: "a"}}) { resource { id } }
      bad: update(resource: {resourceType: "Basic", id: "p-1", code: {text: "b"}}, ifVersion: "999") { versionId }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.found).toEqual({ good: { resource: { id: 'p-1' } }, bad: null });
    expect(answer.errors).toMatchObject([{ path: ['bad'], extensions: { code: 'conflict' } }]);
  });

  it('requires type and id where the resource must have them', async () => {
    const noType = await send('mutation { create(resource: {id: "x"}) { created } }');
    expect([noType.status, noType.errors[0]?.extensions.code]).toEqual([400, 'required']);
    const noId = await send('mutation { update(resource: {resourceType: "Patient"}) { created } }');
    expect([noId.status, noId.errors[0]?.extensions.code]).toEqual([400, 'required']);
    const noSuchType = await send('mutation { create(resource: {resourceType: "Unicorn"}) { created } }');
    expect(noSuchType.status).toBeGreaterThanOrEqual(400);
    expect(noSuchType.errors).toHaveLength(1);
  });
});
