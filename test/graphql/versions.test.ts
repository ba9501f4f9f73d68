/** Earlier versions: histories, reads as of a moment, and the difference of two versions. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['past', 'other']) await server.createTenant(name);
});
afterAll(() => server.close());

describe.each(TESTED_RELEASES)('the past of resources of %s', (release) => {
  let send: SendQuery;
  let elsewhere: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'past', release);
    elsewhere = createSender(server, 'other', release);
  });

  /** Stores resources one after the other, so that no two are of one millisecond; the times of their versions. */
  const store = async (...resources: readonly string[]): Promise<string[]> => {
    const times: string[] = [];
    for (const resource of resources) {
      const { found, errors } = await send(
        'mutation($r: ResourceInput!) { update(resource: $r) { resource { meta { lastUpdated } } } }',
        `{"r":${resource}}`,
      );
      expect(errors).toEqual([]);
      times.push(found.update.resource.meta.lastUpdated as string);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    return times;
  };

  it('returns the versions of one resource, of a type and of all, page by page', async () => {
    await store(
      '{"resourceType":"Basic","id":"h-1","code":{"text":"a"}}',
      '{"resourceType":"Patient","id":"h-2"}',
      '{"resourceType":"Basic","id":"h-3","code":{"text":"a"}}',
      '{"resourceType":"Basic","id":"h-1","code":{"text":"b"}}',
    );
    await send('mutation { delete(type: Patient, id: "h-2") { deleted } }');
    const page = `{ versions { resourceType id versionId change resource { id } } pageInfo { hasNextPage endCursor } total }`;
    const { found } = await send(`{
      one: history(type: Basic, id: "h-1") ${page}
      type: history(type: Basic) ${page}
      all: history(first: 2) ${page}
    }`);
    const names = ({ versions }: typeof found): string[] =>
      versions.map(
        ({ resourceType, id, versionId, change }: typeof found) =>
          `${resourceType}/${id}/${versionId} ${change}`,
      ) as string[];
    expect(names(found.one)).toEqual(['Basic/h-1/2 UPDATE', 'Basic/h-1/1 UPDATE']);
    expect(names(found.type)).toEqual(['Basic/h-1/2 UPDATE', 'Basic/h-3/1 UPDATE', 'Basic/h-1/1 UPDATE']);
    expect(names(found.all)).toEqual(['Patient/h-2/2 DELETE', 'Basic/h-1/2 UPDATE']);
    expect(found.all.versions[0].resource).toBeNull();
    const next = await send(`query($after: String) { history(first: 2, after: $after) ${page} }`, {
      after: found.all.pageInfo.endCursor,
    });
    expect(names(next.found.history)).toEqual(['Basic/h-3/1 UPDATE', 'Patient/h-2/1 UPDATE']);
    expect((await elsewhere('{ history { total } type: history(type: Basic) { total } }')).found).toEqual({
      history: { total: 0 },
      type: { total: 0 },
    });
    const lost = await send('{ history(id: "h-1") { total } }');
    expect([lost.status, lost.errors[0]?.extensions.code]).toEqual([400, 'required']);
  });

  it('reads a resource as it was at a moment', async () => {
    const [first = '', second = ''] = await store(
      '{"resourceType":"Patient","id":"t-1","birthDate":"1970-01-01"}',
      '{"resourceType":"Patient","id":"t-1","birthDate":"1970-01-02"}',
    );
    await send('mutation { delete(type: Patient, id: "t-1") { deleted } }');
    const [last = ''] = await store('{"resourceType":"Patient","id":"t-1","birthDate":"1970-01-03"}');
    const deleted = new Date(Date.parse(last) - 1).toISOString();
    const before = new Date(Date.parse(first) - 1).toISOString();
    const query = `query($at: instant!) { read(type: Patient, id: "t-1", asOf: $at) { meta { versionId } json } }`;
    const versionAt = async (at: string): Promise<string | undefined> =>
      (await send(query, { at })).found.read?.meta.versionId as string | undefined;
    expect([await versionAt(before), await versionAt(first), await versionAt(second)]).toEqual([
      undefined,
      '1',
      '2',
    ]);
    expect([await versionAt(deleted), await versionAt(last)]).toEqual([undefined, '4']);
    expect(await versionAt('2999-01-01T00:00:00Z')).toBe('4');
    // As the server's clock says it elsewhere.
    const shifted = new Date(Date.parse(second) + 3 * 3600_000).toISOString().replace('Z', '+03:00');
    expect(await versionAt(shifted)).toBe('2');
    expect((await elsewhere(query, { at: last })).found.read).toBeNull();
    const both = await send(`{ read(type: Patient, id: "t-1", versionId: "1", asOf: "${last}") { id } }`);
    expect(both.status).toBe(400);
    const base = await send(
      '{ read(type: ValueSet, id: "administrative-gender", asOf: "2020-01-01T00:00:00Z") { id } }',
    );
    expect(base.found.read).toEqual({ id: 'administrative-gender' });
  });

  it('returns the difference of two versions as a patch that can be sent, decimals to the last digit', async () => {
    const observation = (value: string, more: string): string =>
      `{"resourceType":"Observation","id":"d-1","meta":{"extension":[{"url":"http://example.org/own","valueCode":"a"}],"source":"urn:x"},` +
      `"status":"final","code":{"text":"weight"},"valueQuantity":{"value":${value},"unit":"kg"}${more}}`;
    await store(
      observation('71.5', ',"note":[{"text":"a"},{"text":"b"}]'),
      observation('71.50', ',"note":[{"text":"a"}],"subject":{"reference":"Patient/t-1"}'),
      observation('71.50', ''),
    );
    const query = 'query($from: ID!, $to: ID!) { diff(type: Observation, id: "d-1", from: $from, to: $to) }';
    const there = await send(query, { from: '1', to: '2' });
    expect(there.text).toContain('{"op":"replace","path":"/valueQuantity/value","value":71.50}');
    expect(there.found.diff).toEqual(
      expect.arrayContaining([
        { op: 'remove', path: '/note/1' },
        { op: 'add', path: '/subject', value: { reference: 'Patient/t-1' } },
      ]),
    );
    expect(there.found.diff).toHaveLength(3);
    expect((await send(query, { from: '2', to: '2' })).found.diff).toEqual([]);
    const patch = /"diff":(\[.*\])\}\}/.exec((await send(query, { from: '3', to: '1' })).text)?.[1] ?? '';
    const restored = await send(
      'mutation($p: [JsonPatchOperation!]!) { patch(type: Observation, id: "d-1", patch: $p, ifVersion: "3") { versionId resource { json } } }',
      `{"p":${patch}}`,
    );
    expect(restored.errors).toEqual([]);
    expect(restored.text).toContain('"valueQuantity":{"value":71.5,"unit":"kg"}');
    expect((await send(query, { from: '1', to: '4' })).found.diff).toEqual([]);
    const missing = await send(query, { from: '1', to: '9' });
    expect([missing.status, missing.found.diff]).toEqual([200, null]);
    expect((await elsewhere(query, { from: '1', to: '2' })).found.diff).toBeNull();
  });

  it('returns the difference of long versions, without delaying others', async () => {
    const long = (last: string): string =>
      `{"resourceType":"Patient","id":"long-1","extension":[${Array.from({ length: 6_000 }, (_, index) => `{"url":"http://example.org/${index}","valueDecimal":${index}.50}`).join()}],"gender":"${last}"}`;
    await store(long('male'), long('female'));
    const { found } = await send('{ diff(type: Patient, id: "long-1", from: "1", to: "2") }');
    expect(found.diff).toEqual([{ op: 'replace', path: '/gender', value: 'female' }]);
  });
});
