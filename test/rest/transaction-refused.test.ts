/**
 * A refused transaction leaves nothing in any table. In a batch the same entries are independent of each other.
 */
import { entryOf, bundleOf, post, put, transaction } from '../support/bundles';
import { TESTED_RELEASES } from '../support/releases';
import { connectTo, type SharedDatabase } from '../support/shared-database';
import type { Headers } from '../support/http';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';

const SYSTEM = 'http://hospital.example/mrn';

let server: SharedServer;
let owner: SharedDatabase;
beforeAll(async () => {
  server = await openSharedServer();
  owner = await connectTo(server);
  await server.createTenant('other');
});
afterAll(async () => {
  await owner.close();
  await server.close();
});

/** Returns a sum over the rows of this file's tenants in each table, and the number of the last version. */
async function everyRow(): Promise<Map<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'andiron'::regnamespace and a.attname = 'space' and a.attnum > 0`,
  );
  const names = tables.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(
      ['resource', 'resource_version', 'token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'].map(
        (name) => `andiron.${name}`,
      ),
    ),
  ); // prettier-ignore
  const found = new Map<string, string>();
  const tenants = await Promise.all(['system', 'other'].map((name) => owner.tenantNumber(name)));
  const { rows: spaces } = await owner.query<{ number: number }>(
    'select number from andiron.space where tenant = any($1)',
    [tenants],
  );
  const parts: [part: string, numbers: readonly number[]][] = [
    ...names.map((name): [string, number[]] => [`${name} t where space`, spaces.map(({ number }) => number)]),
    ['andiron.change_counter t where tenant', tenants],
  ];
  for (const [part, numbers] of parts) {
    const { rows } = await owner.query<{ sum: string }>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from ${part} = any($1::int[])`,
      [numbers],
    );
    found.set(part, rows[0]?.sum ?? '');
  }
  return found;
}

const patient = (id: string, more: object = {}) => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: SYSTEM, value: id }],
  ...more,
});
const jsonPatch = (...operations: object[]) => ({
  resourceType: 'Binary',
  contentType: 'application/json-patch+json',
  data: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const activate = jsonPatch({ op: 'add', path: '/active', value: true });

interface Refused {
  readonly entry: object | (() => object);
  readonly status: number;
  /** Below `Bundle.entry[1]`. */
  readonly below: string;
}

/**
 * Entries that are refused where the Patient `known` exists in version 1, `gone` is deleted and two are called
 * `twice`.
 */
const REFUSED: readonly (readonly [title: string, refused: Refused])[] = [
  ['content that is malformed', { entry: post({ resourceType: 'Patient', birthDate: 'yesterday' }), status: 400, below: '.resource.birthDate' }],
  ['content that breaks an invariant', { entry: post({ resourceType: 'Patient', contact: [{ gender: 'male' }] }), status: 422, below: '.resource.contact[0]' }],
  ['a code that its binding does not have', { entry: post({ resourceType: 'Patient', gender: 'masculine' }), status: 422, below: '.resource.gender' }],
  ["another tenant's address", { entry: () => post({ resourceType: 'Patient', managingOrganization: { reference: `${PUBLIC_ADDRESS}${server.path('other', 'r4')}/Organization/1` } }), status: 422, below: '.resource.managingOrganization.reference' }],
  ['an id that is not the one of its url', { entry: entryOf('PUT', 'Patient/one', {}, { resource: patient('another') }), status: 400, below: '.resource.id' }],
  ['a patch of what is not there', { entry: entryOf('PATCH', 'Patient/nobody', {}, { resource: activate }), status: 404, below: '' }],
  ['a patch of what was deleted', { entry: entryOf('PATCH', 'Patient/gone', {}, { resource: activate }), status: 410, below: '' }],
  ['a patch that cannot be applied', { entry: entryOf('PATCH', 'Patient/known', {}, { resource: jsonPatch({ op: 'remove', path: '/birthDate' }) }), status: 422, below: '' }],
  ['a patch that makes it invalid', { entry: entryOf('PATCH', 'Patient/known', {}, { resource: jsonPatch({ op: 'add', path: '/gender', value: 'masculine' }) }), status: 422, below: '' }],
  ['a read of what is not there, last of all', { entry: entryOf('GET', 'Patient/nobody'), status: 404, below: '' }],
  ['a search by what there is not, last of all', { entry: entryOf('GET', 'Patient?colour=red'), status: 400, below: '' }],
  ['an operation that fails, last of all', { entry: entryOf('GET', 'ValueSet/$expand?url=http://example.org/nothing'), status: 404, below: '' }],
  ['a deletion of what belongs to the specification', { entry: entryOf('DELETE', 'ValueSet/administrative-gender'), status: 405, below: '' }],
  ['a PUT of a version that is not current', { entry: put(patient('known'), { ifMatch: 'W/"7"' }), status: 412, below: '' }],
  ['a PATCH of a version that is not current', { entry: entryOf('PATCH', 'Patient/known', { ifMatch: 'W/"7"' }, { resource: activate }), status: 412, below: '' }],
  ['a DELETE of a version that is not current', { entry: entryOf('DELETE', 'Patient/known', { ifMatch: 'W/"7"' }), status: 412, below: '' }],
  ['a version of what is not there', { entry: put(patient('nobody'), { ifMatch: 'W/"1"' }), status: 412, below: '' }],
  ['a PUT by criteria of a version that is not current', { entry: entryOf('PUT', `Patient?identifier=${SYSTEM}|known`, { ifMatch: 'W/"7"' }, { resource: patient('known') }), status: 412, below: '' }],
  ['a PUT of what must not be there and is', { entry: put(patient('known'), { ifNoneMatch: '*' }), status: 412, below: '' }],
  ['criteria that two meet', { entry: entryOf('PUT', `Patient?identifier=${SYSTEM}|twice`, {}, { resource: patient('any') }), status: 412, below: '' }],
  ['a reference by criteria that nobody meets', { entry: post({ resourceType: 'Patient', generalPractitioner: [{ reference: 'Practitioner?identifier=nobody' }] }), status: 412, below: '.resource.generalPractitioner[0].reference' }],
]; // prettier-ignore

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown, headers?: Headers): Promise<Answer> =>
    server.request(method, `${server.path('system', release)}${rest}`, body, headers);

  beforeAll(async () => {
    const twice = { resourceType: 'Patient', identifier: [{ system: SYSTEM, value: 'twice' }] };
    const { status, text } = await send(
      'POST',
      '',
      transaction(put(patient('known')), put(patient('gone')), post(twice), post(twice)),
    );
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    await send('DELETE', '/Patient/gone');
  });

  /** Something of each kind of index, before and after the entry at fault. */
  const around = (entry: Refused['entry'], mark: string): object[] => [
    put(
      patient(`before-${mark}`, {
        name: [{ family: 'Before' }],
        birthDate: '1970-01-02',
        managingOrganization: { reference: 'Organization/1' },
      }),
    ),
    typeof entry === 'function' ? entry() : entry,
    put({
      resourceType: 'ValueSet',
      id: `after-${mark}`,
      ...{ url: `http://example.org/fhir/ValueSet/after-${mark}`, status: 'draft' },
    }),
    entryOf('DELETE', `Patient/unless-${mark}`),
  ];

  it.each(REFUSED)('a transaction is refused for %s, and no row is left', async (_title, { entry, status, below }) => {
    const present = put(patient(`unless-refused`));
    expect((await send('POST', '', transaction(present))).status).toBe(200);
    const before = await everyRow();
    const answer = await send('POST', '', transaction(...around(entry, 'refused')));
    expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
    const places = answer.json.issue.flatMap(({ expression }: { expression?: string[] }) => expression ?? []);
    expect(places[0]).toMatch(/^Bundle\.entry\[1\]/);
    if (below !== '') expect(places).toEqual([`Bundle.entry[1]${below}`]);
    expect(await everyRow()).toEqual(before);
  }); // prettier-ignore

  // A reference by criteria is one in transactions only (http.html#trules).
  const alone = REFUSED.filter(([title]) => !title.startsWith('a reference by criteria'));
  it.each(alone)('a batch executes all but %s', async (_title, { entry, status }) => {
    const answer = await send('POST', '', bundleOf('batch', ...around(entry, 'batch')));
    expect(answer.status).toBe(200);
    const responses = answer.json.entry.map(({ response }: { response: { status: string } }) => response);
    const [first, refused, third] = responses.map((response: { status: string }) => Number(response.status.slice(0, 3)));
    expect([first < 300, refused, third < 300]).toEqual([true, status, true]);
    expect(responses[1].outcome.resourceType).toBe('OperationOutcome');
    expect(responses[1].outcome.issue[0].severity).toBe('error');
    for (const name of ['Patient/before-batch', 'ValueSet/after-batch'])
      expect([(await send('GET', `/${name}`)).status, (await send('DELETE', `/${name}`)).status]).toEqual([200, 200]);
    expect((await send('GET', '/Patient/known')).json.meta.versionId).toBe('1');
  }); // prettier-ignore

  const byCriteria = (value: string): string => `Patient?identifier=${value}`;
  const existing = put(patient('known'));
  it.each<[string, object, object]>([
    ['two PUTs', existing, existing],
    ['a PUT and a DELETE', existing, entryOf('DELETE', 'Patient/known')],
    ['a DELETE of a version and a PUT', entryOf('DELETE', 'Patient/known/_history/1'), existing],
    ['a PATCH and a PUT', entryOf('PATCH', 'Patient/known', {}, { resource: activate }), existing],
    ['two PATCHes', entryOf('PATCH', 'Patient/known', {}, { resource: activate }), entryOf('PATCH', 'Patient/known', {}, { resource: activate })],
    ['a PUT by id and one by criteria that it meets', existing, entryOf('PUT', byCriteria('known'), {}, { resource: patient('known') })],
    ['a DELETE by criteria and a PATCH', entryOf('DELETE', byCriteria('known')), entryOf('PATCH', 'Patient/known', {}, { resource: activate })],
    ['two PUTs by criteria that one meets, differently spelt', entryOf('PUT', byCriteria('known'), {}, { resource: patient('known') }), entryOf('PUT', byCriteria(`${SYSTEM}|known`), {}, { resource: patient('known') })],
    ['two PUTs by criteria that nobody meets', entryOf('PUT', byCriteria('new'), {}, { resource: patient('new') }), entryOf('PUT', byCriteria('new'), {}, { resource: patient('new') })],
    ['a PUT of an id and one by criteria that makes it', put(patient('made')), entryOf('PUT', byCriteria('nobody-yet'), {}, { resource: patient('made') })],
  ])('a transaction that writes one resource twice is refused: %s', async (_title, one, other) => {
    const before = await everyRow();
    const first = post({ resourceType: 'Basic', code: { text: 'x' } });
    for (const entries of [[one, other], [other, one]]) {
      const { status, json } = await send('POST', '', transaction(first, ...entries));
      expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.entry[2].request.url']]);
    }
    expect(await everyRow()).toEqual(before);
  }); // prettier-ignore

  /** The server takes requests under this name, which is none of its public addresses. */
  const hostOfRequest = (): string => `localhost:${new URL(server.base).port}`;
  const ofSystem = (): string => `${server.path('system', release)}/Patient/known`;
  it.each<[string, () => string]>([
    ['another tenant', () => `${PUBLIC_ADDRESS}${server.path('other', release)}/Patient/known`],
    ['no tenant that there is', () => `${PUBLIC_ADDRESS}${server.path('nobody', release)}/Patient/known`],
    ['the other release', () => `${PUBLIC_ADDRESS}${server.path('system', release === 'r4' ? 'r4b' : 'r4')}/Patient/known`],
    ['another host', () => `https://elsewhere.example${ofSystem()}`],
    ['another host without a scheme', () => `//elsewhere.example${ofSystem()}`],
    ['the host of the request, which is no public address', () => `http://${hostOfRequest()}${ofSystem()}`],
  ])('an entry cannot lead to %s, whatever it asks for', async (_title, urlOf) => {
    const url = urlOf();
    const headers = { 'content-type': 'application/fhir+json', host: hostOfRequest() };
    const entries = [
      entryOf('GET', url),
      entryOf('PUT', url, {}, { resource: patient('known') }),
      entryOf('PATCH', url, {}, { resource: activate }),
      entryOf('DELETE', url),
      entryOf('POST', url.replace(/\/known$/, ''), {}, { resource: { resourceType: 'Patient' } }),
    ];
    const before = await everyRow();
    for (const entry of entries) {
      const { status, json } = await send('POST', '', transaction(entry), headers);
      expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.entry[0].request.url']]);
    }
    const batch = await send('POST', '', bundleOf('batch', ...entries), headers);
    expect(batch.json.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3))).toEqual(
      entries.map(() => '400'),
    );
    expect(await everyRow()).toEqual(before);
  }); // prettier-ignore

  it('an entry may name a resource by its public address', async () => {
    const url = `${PUBLIC_ADDRESS}${ofSystem()}`;
    const { status, json } = await send('POST', '', transaction(entryOf('GET', url)));
    expect([status, json.entry?.[0].resource.id]).toEqual([200, 'known']);
  });
});
