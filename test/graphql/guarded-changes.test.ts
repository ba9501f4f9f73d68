/** Mutations by search criteria, under guards, tried out (`dryRun`), and as one Bundle. */
import type { StoredVersion } from '../../src/core';
import { ParsedCache } from '../../src/resolvers';
import { showVersion } from '../../src/resolvers/changes/show-version';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, type GatewayAnswer, readExample, type SendQuery } from './gateway-client';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['guarded', 'other']) await server.createTenant(name);
});
afterAll(() => server.close());

const MRN = 'http://hospital.example/mrn';
const byMrn = (value: string): string => `identifier=${MRN}|${value}`;
const patientOf = (mrn: string, more: object = {}): object => ({
  resourceType: 'Patient',
  identifier: [{ system: MRN, value: mrn }],
  ...more,
});

const ANSWER = '{ created versionId location deleted issues { diagnostics } resource { id json } }';
const CREATE = `mutation($r: ResourceInput!, $c: String, $dry: Boolean) { change: create(resource: $r, ifNoneExist: $c, dryRun: $dry) ${ANSWER} }`;
const UPDATE = `mutation($r: ResourceInput!, $c: String, $m: [ID!], $dry: Boolean) { change: update(resource: $r, criteria: $c, ifMatch: $m, dryRun: $dry) ${ANSWER} }`;
const PATCH = `mutation($id: ID, $c: String, $p: [JsonPatchOperation!], $f: ResourceInput, $m: [ID!], $dry: Boolean) {
  change: patch(type: Patient, id: $id, criteria: $c, patch: $p, fhirPathPatch: $f, ifMatch: $m, dryRun: $dry) ${ANSWER} }`;
const DELETE = `mutation($id: ID, $c: String, $m: [ID!], $dry: Boolean) { change: delete(type: Patient, id: $id, criteria: $c, ifMatch: $m, dryRun: $dry) ${ANSWER} }`;
const activate = (active: boolean): object[] => [{ op: 'add', path: '/active', value: active }];

it('versions of a dry run are not cached as those that another change makes', () => {
  const versionOf = (text: string): StoredVersion => ({
    ...{
      type: 'Basic',
      id: 'b',
      versionId: 2,
      lastUpdated: 1_700_000_000_000,
      sequence: 2,
      change: 'update',
      author: 'anonymous',
    },
    text,
  });
  const tools = { extensionBase: 'http://example.org', parsed: new ParsedCache().within(1) };
  const tried = versionOf('{"resourceType":"Basic","id":"b","language":"de"}');
  const written = versionOf('{"resourceType":"Basic","id":"b","language":"en"}');
  expect(showVersion(tools, tried, true).member('language')).toBe('de');
  expect(showVersion(tools, written, false).member('language')).toBe('en');
});

describe.each(TESTED_RELEASES)('changes of %s', (release) => {
  let send: SendQuery;
  beforeAll(() => {
    send = createSender(server, 'guarded', release);
  });

  const countOf = async (mrn: string): Promise<number> =>
    (await send(`{ search(type: Patient, query: "${byMrn(mrn)}") { total } }`)).found.search.total as number;
  const lastSequence = async (): Promise<number> => {
    const { json } = await server.request('GET', `${server.path('guarded', release)}/_history?_count=1`);
    const found = /version-sequence","valueInteger":(\d+)/.exec(JSON.stringify(json));
    return Number(found?.[1]);
  };
  const refused = ({ status, errors }: GatewayAnswer): [number, string | undefined] => [
    status,
    errors[0]?.extensions.code,
  ];

  it('creates nothing where a search finds a resource, and returns that one', async () => {
    const first = await send(CREATE, { r: patientOf('ce-1'), c: byMrn('ce-1') });
    const second = await send(CREATE, { r: patientOf('ce-1', { active: false }), c: byMrn('ce-1') });
    expect(first.found.change).toMatchObject({ created: true, versionId: '1' });
    expect(second.found.change).toMatchObject({
      created: false,
      versionId: '1',
      location: first.found.change.location,
    });
    await send(CREATE, { r: patientOf('ce-1') });
    expect(refused(await send(CREATE, { r: patientOf('ce-1'), c: byMrn('ce-1') }))).toEqual([
      412,
      'multiple-matches',
    ]);
    // In another tenant there is none of them.
    const elsewhere = await createSender(
      server,
      'other',
      release,
    )(CREATE, { r: patientOf('ce-1'), c: byMrn('ce-1') });
    expect(elsewhere.found.change.created).toBe(true);
  });

  it('updates, patches and deletes the one resource that a search finds', async () => {
    const made = await send(UPDATE, { r: patientOf('cu-1'), c: byMrn('cu-1') });
    const { id } = made.found.change.resource;
    expect(made.found.change).toMatchObject({ created: true, versionId: '1' });
    const updated = await send(UPDATE, {
      r: patientOf('cu-1', { gender: 'female' }),
      c: byMrn('cu-1'),
      m: ['1'],
    });
    expect(updated.found.change).toMatchObject({ created: false, versionId: '2', resource: { id } });
    const patched = await send(PATCH, { c: byMrn('cu-1'), p: activate(true), m: ['W/"2"', '7'] });
    expect(patched.found.change).toMatchObject({ versionId: '3', resource: { id, json: { active: true } } });
    expect(refused(await send(DELETE, { c: byMrn('cu-1'), m: ['2'] }))).toEqual([412, 'conflict']);
    const deleted = await send(DELETE, { c: byMrn('cu-1') });
    expect(deleted.found.change).toMatchObject({
      deleted: 1,
      versionId: '4',
      location: `Patient/${id}/_history/4`,
    });
    expect((await send(DELETE, { c: byMrn('cu-1') })).found.change).toMatchObject({
      deleted: 0,
      versionId: null,
    });
    expect(refused(await send(PATCH, { c: byMrn('cu-1'), p: activate(true) }))).toEqual([404, 'not-found']);
  });

  it('patches by FHIRPath, with the same guards', async () => {
    const { id } = (await send(CREATE, { r: patientOf('fp-1', { birthDate: '1970-01-01' }) })).found.change
      .resource;
    const replace = {
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'operation',
          part: [
            { name: 'type', valueCode: 'replace' },
            { name: 'path', valueString: 'Patient.birthDate' },
            { name: 'value', valueDate: '1971-02-03' },
          ],
        },
      ],
    };
    const patched = await send(PATCH, { id, f: replace, m: '1' });
    expect(patched.found.change).toMatchObject({
      versionId: '2',
      resource: { json: { birthDate: '1971-02-03' } },
    });
    expect(refused(await send(PATCH, { id, f: replace, m: '1' }))).toEqual([412, 'conflict']);
  });

  it.each([
    ['both id and criteria', DELETE, { id: 'x', c: byMrn('x') }, 400, 'value'],
    ['neither id nor criteria', DELETE, {}, 400, 'value'],
    ['no patch', PATCH, { id: 'x' }, 400, 'value'],
    ['two patches', PATCH, { id: 'x', p: [], f: { resourceType: 'Parameters' } }, 400, 'value'],
    ['no version', PATCH, { id: 'x', p: [], m: [] }, 400, 'value'],
    ['what is no version', PATCH, { id: 'x', p: [], m: ['one two'] }, 400, 'value'],
    ['criteria of nothing', UPDATE, { r: { resourceType: 'Patient' }, c: '' }, 400, 'required'],
    ['an unknown parameter', CREATE, { r: { resourceType: 'Patient' }, c: 'shoe=42' }, 400, 'not-supported'],
  ])('refuses %s', async (_what, document, variables, status, code) => {
    expect(refused(await send(document, variables))).toEqual([status, code]);
  });

  it('executes a dry run: it returns the result, and stores nothing', async () => {
    const { id } = (await send(CREATE, { r: patientOf('dry-1') })).found.change.resource;
    const before = await lastSequence();
    const created = await send(CREATE, { r: patientOf('dry-2'), c: byMrn('dry-2'), dry: true });
    expect(created.found.change).toMatchObject({
      created: true,
      versionId: '1',
      resource: { json: { resourceType: 'Patient', identifier: [{ value: 'dry-2' }] } },
    });
    const found = await send(CREATE, { r: patientOf('dry-1'), c: byMrn('dry-1'), dry: true });
    expect(found.found.change).toMatchObject({ created: false, resource: { id } });
    const updated = await send(UPDATE, { r: patientOf('dry-1', { id, active: true }), dry: true });
    expect(updated.found.change).toMatchObject({
      created: false,
      versionId: '2',
      resource: { json: { active: true } },
    });
    const patched = await send(PATCH, { id, p: activate(false), m: ['1'], dry: true });
    expect(patched.found.change).toMatchObject({ versionId: '2', resource: { json: { active: false } } });
    const deleted = await send(DELETE, { c: byMrn('dry-1'), dry: true });
    expect(deleted.found.change).toMatchObject({ deleted: 1, versionId: '2', resource: null });
    expect([await lastSequence(), await countOf('dry-1'), await countOf('dry-2')]).toEqual([before, 1, 0]);
  });

  it('reports why a dry run would be refused, at the place in the resource', async () => {
    const wrong = await send(CREATE, { r: patientOf('dry-3', { birthDate: 'yesterday' }), dry: true });
    const really = await send(CREATE, { r: patientOf('dry-3', { birthDate: 'yesterday' }) });
    expect([wrong.status, wrong.errors[0]?.extensions]).toEqual([
      really.status,
      really.errors[0]?.extensions,
    ]);
    expect(wrong.errors[0]?.extensions.resource.issue[0]?.expression).toEqual(['Patient.birthDate']);
    const { id } = (await send(CREATE, { r: patientOf('dry-3') })).found.change.resource;
    expect(refused(await send(DELETE, { id, m: ['2'], dry: true }))).toEqual([412, 'conflict']);
    expect(refused(await send(PATCH, { id: 'nobody', p: activate(true), dry: true }))).toEqual([
      404,
      'not-found',
    ]);
  });

  it('executes a Bundle as one transaction, and returns its response', async () => {
    const transaction =
      'mutation($b: ResourceInput!, $dry: Boolean) { transaction(bundle: $b, dryRun: $dry) { resourceType json } }';
    const urn = 'urn:uuid:4f1f3a2e-0000-4000-8000-000000000001';
    const observation = JSON.parse(readExample('Observation-decimal')) as object;
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        { fullUrl: urn, resource: patientOf('t-1'), request: { method: 'POST', url: 'Patient' } },
        {
          resource: { ...observation, id: 'of-t-1', subject: { reference: urn } },
          request: { method: 'PUT', url: 'Observation/of-t-1' },
        },
        { request: { method: 'GET', url: `Patient?${byMrn('t-1')}` } },
        { request: { method: 'GET', url: 'Observation/of-t-1/_history' } },
        { request: { method: 'DELETE', url: 'Patient/nobody' } },
      ],
    };
    const tried = await send(transaction, { b: bundle, dry: true });
    expect([tried.errors, tried.found.transaction.json.type]).toEqual([[], 'transaction-response']);
    expect(await countOf('t-1')).toBe(0);
    const done = (await send(transaction, { b: bundle })).found.transaction;
    const [patient, observed, search, history, deletion] = done.json.entry;
    const { id } = patient.resource;
    expect(patient.response).toMatchObject({
      status: '201 Created',
      location: `Patient/${id}/_history/1`,
      etag: 'W/"1"',
    });
    expect(observed.resource.subject).toEqual({ reference: `Patient/${id}` });
    expect(search.resource).toMatchObject({ type: 'searchset', entry: [{ resource: { id } }] });
    expect(history.resource).toMatchObject({ type: 'history', entry: [{ request: { method: 'PUT' } }] });
    expect(deletion.response.status).toBe('204 No Content');
    const again = await send(transaction, { b: { ...bundle, type: 'batch' } });
    expect(refused(again)).toEqual([400, 'value']);
  });
});
