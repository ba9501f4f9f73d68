/** Histories of a resource, a type and a space: https://hl7.org/fhir/R4/http.html#history. */
import type { Release } from '../../src/core';
import { namesOf, nextOf, openHistory, readAll, type HistoryTenant } from '../support/histories';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const openTenant = (release: Release): Promise<HistoryTenant> => openHistory(server, release);

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe.each(TESTED_RELEASES)('under %s', (release) => {
  it('a type and the whole list each change, newest first, with request and response', async () => {
    const { send, put, remove, history, root } = await openTenant(release);
    const { json: made } = await send('POST', '/Patient', { resourceType: 'Patient' });
    await put('Organization', 'clinic', { name: 'Clinic' });
    await put('Patient', 'ann');
    await put('Patient', 'ann', { active: true });
    await remove('Patient', 'ann');
    const whole = await history('/_history');
    expect(namesOf(whole)).toEqual([
      'Patient/ann/3',
      'Patient/ann/2',
      'Patient/ann/1',
      'Organization/clinic/1',
      `Patient/${made.id}/1`,
    ]);
    expect(whole.total).toBe(5);
    expect(
      whole.entry?.map(({ request, response }) => [request.method, request.url, response.status]),
    ).toEqual([
      ['DELETE', 'Patient/ann', '200'],
      ['PUT', 'Patient/ann', '200'],
      ['PUT', 'Patient/ann', '201'],
      ['PUT', 'Organization/clinic', '201'],
      ['POST', 'Patient', '201'],
    ]);
    expect(whole.entry?.map(({ resource }) => resource?.meta.versionId)).toEqual([
      undefined,
      '2',
      '1',
      '1',
      '1',
    ]);
    expect(whole.entry?.[1]?.resource).toEqual((await send('GET', '/Patient/ann/_history/2')).json);
    expect(whole.link).toEqual([{ relation: 'self', url: `${server.base}${root}/_history` }]);
    expect(namesOf(await history('/Patient/_history'))).toEqual([
      'Patient/ann/3',
      'Patient/ann/2',
      'Patient/ann/1',
      `Patient/${made.id}/1`,
    ]);
    expect(await history('/Device/_history')).toMatchObject({ total: 0 });
    expect((await history('/Device/_history')).entry).toBeUndefined();
  });

  it('one resource has its total on each page, its deletions without a resource', async () => {
    const { put, remove, history, root } = await openTenant(release);
    for (let version = 1; version <= 5; version++)
      await put('Basic', 'b', { code: { text: String(version) } });
    await remove('Basic', 'b');
    const first = await history('/Basic/b/_history?_count=4');
    const second = await history(nextOf(first, root) ?? '');
    expect([first.total, second.total]).toEqual([6, 6]);
    const entries = [...(first.entry ?? []), ...(second.entry ?? [])];
    expect(
      entries.map(({ request, response, resource }) => [
        request,
        response.status,
        response.etag,
        resource?.meta.versionId,
      ]),
    ).toEqual([
      [{ method: 'DELETE', url: 'Basic/b' }, '200', 'W/"6"', undefined],
      ...[5, 4, 3, 2].map((at) => [{ method: 'PUT', url: 'Basic/b' }, '200', `W/"${at}"`, String(at)]),
      [{ method: 'PUT', url: 'Basic/b' }, '201', 'W/"1"', '1'],
    ]);
    const times = entries.map(({ response }) => response.lastModified);
    expect(times).toEqual([...times].sort().reverse());
    for (const time of times) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    expect([...namesOf(first), ...namesOf(second)]).toEqual([6, 5, 4, 3, 2, 1].map((at) => `Basic/b/${at}`));
  });

  it('a _count of 0 gives the total alone, at each level', async () => {
    const { put, history } = await openTenant(release);
    for (const id of ['a', 'a', 'b']) await put('Basic', id, { code: { text: 'x' } });
    for (const [rest, total] of [
      ['/_history', 3],
      ['/Basic/_history', 3],
      ['/Basic/a/_history', 2],
      ['/Patient/_history', 0],
      ['/_history?_since=2999-01-01', 0],
    ] as const) {
      const bundle = await history(`${rest}${rest.includes('?') ? '&' : '?'}_count=0`);
      expect([bundle.total, bundle.entry, bundle.link.length]).toEqual([total, undefined, 1]);
    }
  });

  it('_since, _at and _since-version select by the time of the change', async () => {
    const tenant = await openTenant(release);
    const { send, put, remove, history } = tenant;
    const times: string[] = [];
    for (const [id, active] of [
      ['ann', true],
      ['bob', true],
      ['ann', false],
    ] as const) {
      times.push(await put('Patient', id, { active }));
      await pause();
    }
    await remove('Patient', 'bob');
    await pause();
    const since = encodeURIComponent(times[1] ?? '');
    const later = ['Patient/bob/2', 'Patient/ann/2', 'Patient/bob/1'];
    const at = (time: string | undefined): string => encodeURIComponent(time ?? '');
    for (const level of ['/Patient', '']) {
      expect(namesOf(await history(`${level}/_history?_since=${since}`))).toEqual(later);
      expect(await readAll(tenant, `${level}/_history?_since=${since}&_count=1`)).toEqual(later);
      expect(namesOf(await history(`${level}/_history?_since=2999-01-01`))).toEqual([]);
      expect(namesOf(await history(`${level}/_history?_at=${at(times[0])}`))).toEqual(['Patient/ann/1']);
      expect(namesOf(await history(`${level}/_history?_at=${at(times[1])}`))).toEqual([
        'Patient/bob/1',
        'Patient/ann/1',
      ]);
      const now = ['Patient/bob/2', 'Patient/ann/2'];
      expect(await readAll(tenant, `${level}/_history?_at=${at(new Date().toISOString())}&_count=1`)).toEqual(
        now,
      );
      expect(namesOf(await history(`${level}/_history?_at=2001`))).toEqual([]);
      expect(namesOf(await history(`${level}/_history?_at=${times[0]?.slice(0, 4)}`))).toHaveLength(4);
    }
    // The same instant in another zone.
    const zoned = new Date(Date.parse(times[1] ?? '') + 3_600_000).toISOString().replace('Z', '+01:00');
    expect(namesOf(await history(`/_history?_since=${encodeURIComponent(zoned)}`))).toEqual(later);
    const own = '/Patient/bob/_history';
    expect(namesOf(await history(`${own}?_since=${since}`))).toEqual(['Patient/bob/2', 'Patient/bob/1']);
    expect(await readAll(tenant, `${own}?_since=${since}&_count=1`)).toEqual([
      'Patient/bob/2',
      'Patient/bob/1',
    ]);
    expect(namesOf(await history(`${own}?_since=2999-01-01`))).toEqual([]);
    expect(namesOf(await history(`${own}?_at=${at(times[0])}`))).toEqual([]);
    for (const time of [times[1], times[2]])
      expect(namesOf(await history(`${own}?_at=${at(time)}`))).toEqual(['Patient/bob/1']);
    expect(namesOf(await history(`${own}?_at=${at(new Date().toISOString())}`))).toEqual(['Patient/bob/2']);
    const { json } = await send('GET', '/Patient/bob/_history/1');
    const { valueInteger } = json.meta.extension.find(({ url }: { url: string }) =>
      url.endsWith('version-sequence'),
    );
    for (const rest of ['/_history', '/Patient/_history'])
      expect(namesOf(await history(`${rest}?_since-version=${valueInteger}`))).toEqual(later.slice(0, 2));
    for (const rest of ['/_history', '/Patient/_history'])
      expect(await readAll(tenant, `${rest}?_since-version=${valueInteger}&_count=1`)).toEqual(
        later.slice(0, 2),
      );
    expect(namesOf(await history(`${own}?_since-version=${valueInteger}`))).toEqual(['Patient/bob/2']);
    expect(namesOf(await history('/_history?_since-version=9999999999'))).toEqual([]);
  });

  it('_list lists the versions of the items of a List, and no others', async () => {
    const tenant = await openTenant(release);
    const { send, put, history, root } = tenant;
    for (const id of ['ann', 'ann', 'bob', 'bob', 'cid']) await put('Patient', id);
    await put('Organization', 'clinic', { name: 'Clinic' });
    const entry = [
      'Patient/ann/_history/2',
      'Patient/bob',
      'Patient/bob/_history/1',
      'Patient/nobody',
      'Organization/clinic',
      'https://elsewhere.example/fhir/Patient/cid',
      'urn:uuid:7a9b5a3e-4d35-4a5b-9a7f-0d7d5c3f4b11',
    ].map((reference) => ({ item: { reference } }));
    await put('List', 'wanted', { status: 'current', mode: 'working', entry });
    const named = ['Organization/clinic/1', 'Patient/bob/2', 'Patient/bob/1', 'Patient/ann/2'];
    expect(namesOf(await history('/_history?_list=wanted'))).toEqual(named);
    expect(await readAll(tenant, '/_history?_list=List/wanted&_count=1')).toEqual(named);
    expect(namesOf(await history('/Patient/_history?_list=wanted'))).toEqual(named.slice(1));
    expect(namesOf(await history('/Patient/ann/_history?_list=wanted'))).toEqual(['Patient/ann/2']);
    expect(await history('/Patient/cid/_history?_list=wanted')).toMatchObject({ total: 0 });
    expect(await history('/_history?_list=wanted&_count=0')).toMatchObject({ total: 4 });
    expect(namesOf(await history('/_history?_list=unknown'))).toEqual([]);
    expect(namesOf(await history('/_history?_list=wanted&_since=2999-01-01'))).toEqual([]);
    for (const list of ['$current-allergies', 'no id', 'Patient/ann']) {
      const { status, json } = await send('GET', `/_history?_list=${encodeURIComponent(list)}`);
      expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining('_list')]);
    }
    const other = await openTenant(release);
    expect(namesOf(await other.history('/_history?_list=wanted'))).toEqual([]);
    expect(other.root).not.toBe(root);
  });

  it('base conformance resources are in no history', async () => {
    const { history, send } = await openTenant(release);
    expect((await send('GET', '/StructureDefinition/Patient')).status).toBe(200);
    expect(await history('/StructureDefinition/_history')).toMatchObject({ total: 0 });
    expect(await history('/_history')).toMatchObject({ total: 0 });
    expect((await send('GET', '/StructureDefinition/Patient/_history')).status).toBe(404);
  });

  it('the history of an id that never existed is 404, with any parameters', async () => {
    const { send } = await openTenant(release);
    for (const query of ['', '?_count=0', '?_since=2020', '?_at=2020', '?_list=x']) {
      const { status, json } = await send('GET', `/Patient/never-was/_history${query}`);
      expect([status, json.issue[0].code]).toEqual([404, 'not-found']);
    }
  });

  it.each([
    '_sort=_lastUpdated',
    '_count=-1',
    '_count=x',
    '_since=yesterday',
    '_since-version=x',
    '_since-version=-1',
    '_at=2023-02-29',
    '_cursor=forged',
    '_id=a',
  ])('a history of many refuses %s', async (query) => {
    for (const level of ['', '/Patient']) {
      const { status, json } = await server.request(
        'GET',
        `${server.path('system', release)}${level}/_history?${query}`,
      );
      expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
    }
  });

  it('a cursor of one history is invalid for another', async () => {
    const { put, history, send, root } = await openTenant(release);
    for (const id of ['a', 'b', 'c']) await put('Basic', id, { code: { text: 'x' } });
    const next = nextOf(await history('/_history?_count=1'), root) ?? '';
    const cursor = new URLSearchParams(next.slice(next.indexOf('?'))).get('_cursor') ?? '';
    expect((await send('GET', `/_history?_cursor=${cursor}`)).status).toBe(200);
    const other = await openTenant(release);
    for (const rest of ['/Basic/_history?', '/Basic/a/_history?', '/_history?_since=2020&'])
      expect((await send('GET', `${rest}_cursor=${cursor}`)).status).toBe(400);
    expect((await other.send('GET', `/_history?_cursor=${cursor}`)).status).toBe(400);
  });

  it('the statement of capabilities lists the histories', async () => {
    const { json } = await server.request('GET', `${server.path('system', release)}/metadata`);
    const [{ interaction, resource }] = json.rest;
    expect(interaction).toContainEqual({ code: 'history-system' });
    for (const { interaction: own, versioning, readHistory } of resource) {
      expect([versioning, readHistory]).toEqual(['versioned', true]);
      for (const code of ['history-instance', 'history-type', 'vread']) expect(own).toContainEqual({ code });
    }
  });
});

it('a HEAD is answered wherever a GET is, with the same headers and no body', async () => {
  const { send, put } = await openTenant('r4');
  await put('Patient', 'ann');
  for (const rest of [
    '/metadata',
    '?_type=Patient',
    '/Patient',
    '/Patient/ann',
    '/Patient/ann/_history',
    '/Patient/ann/_history/1',
    '/Patient/_history',
    '/_history',
    '/Patient/ann/Observation',
    '/Patient/ann/*',
    '/Patient/ann/$meta',
    '/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=male',
    '/Patient/nobody',
    '/Patient/nobody/_history',
  ]) {
    const get = await send('GET', rest);
    const head = await send('HEAD', rest);
    expect([rest, head.status, head.text]).toEqual([rest, get.status, '']);
    for (const name of ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control'])
      expect([rest, name, head.headers[name]]).toEqual([rest, name, get.headers[name]]);
  }
});
