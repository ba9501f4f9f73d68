/** A refused transaction leaves nothing in any table: https://hl7.org/fhir/R4/http.html#transaction. */
import type { Release } from '../../src/core';
import { entryOf, post, put, transaction, uuid } from '../support/bundles';
import { connectTo, type SharedDatabase } from '../support/shared-database';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let owner: SharedDatabase;
beforeAll(async () => {
  server = await openSharedServer();
  owner = await connectTo(server);
  await server.createTenant('other', { 'referential-integrity': 'on-write-and-delete' });
});
afterAll(async () => {
  await owner.close();
  await server.close();
});

interface Resource {
  readonly resourceType: string;
  readonly [member: string]: unknown;
}
const identified = (value: string, more: object = {}): Resource => ({
  resourceType: 'Patient',
  name: [{ family: 'Undone', given: ['Una'] }],
  birthDate: '1970-01-02',
  identifier: [{ system: 'http://example.org/mrn', value }],
  ...more,
});
const observation = (reference: string): Resource => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  valueQuantity: { value: 1.5, unit: 'kg' },
  subject: { reference },
});
const VALUE_SET = { resourceType: 'ValueSet', url: 'http://example.org/undone', status: 'draft' };
const parameters = (path: string): Resource => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [
        { name: 'type', valueCode: 'replace' },
        { name: 'path', valueString: path },
        { name: 'value', valueBoolean: false },
      ],
    },
  ],
});

/**
 * The cause of an entry's failure, at each step of the work: the entry, the status, and the beginning of its
 * expression.
 */
const FAILURES: readonly [title: string, entry: object, status: number, below: string][] = [
  ['a method that there is not', entryOf('FETCH', 'Patient'), 400, '.request.method'],
  ['a url that leads elsewhere', entryOf('GET', 'http://elsewhere.example/Patient/1'), 400, '.request.url'],
  ['a malformed date', post({ resourceType: 'Patient', birthDate: 'yesterday' }), 400, '.resource.birthDate'],
  ['a code that is none', post({ resourceType: 'Patient', gender: 'none' }), 422, '.resource.gender'],
  ['a broken invariant', post({ resourceType: 'Patient', contact: [{ gender: 'male' }] }), 422, '.resource.contact[0]'],
  ['an ifMatch that is not current', put({ resourceType: 'Patient', id: 'guarded' }, { ifMatch: 'W/"7"' }), 412, ''],
  ['an ifNoneMatch of what is there', put({ resourceType: 'Patient', id: 'guarded' }, { ifNoneMatch: '*' }), 412, ''],
  ['a create on condition of what two meet', post(identified('two'), undefined, { ifNoneExist: 'identifier=two' }), 412, ''],
  ['a delete of what two meet', entryOf('DELETE', 'Patient?identifier=two'), 412, ''],
  ['a reference by criteria to nobody', post(observation('Patient?identifier=nobody')), 412, '.resource.subject.reference'],
  ['a reference by criteria to two', post(observation('Patient?identifier=two')), 412, '.resource.subject.reference'],
  ['a patch of nobody', entryOf('PATCH', 'Patient/nobody', {}, { resource: parameters('Patient.active') }), 404, ''],
  ['a patch of what is deleted', entryOf('PATCH', 'Patient/gone', {}, { resource: parameters('Patient.active') }), 410, ''],
  ['a patch that leads nowhere', entryOf('PATCH', 'Patient/guarded', {}, { resource: parameters('Patient.active') }), 422, '.resource'],
  ['a read of nobody', entryOf('GET', 'Patient/nobody'), 404, ''],
  ['a search that is none', entryOf('GET', 'Patient?nonsense=1'), 400, ''],
  ['an operation that there is not', entryOf('GET', 'Patient/$nonsense'), 404, ''],
  ['an operation that writes', entryOf('POST', 'Patient/guarded/$meta-add'), 422, '.request.url'],
]; // prettier-ignore

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('a refused transaction under %s of the tenant %s', (release, tenant) => {
  const send = (method: string, rest: string, body?: unknown): Promise<Answer> =>
    server.request(method, `${server.path(tenant, release)}${rest}`, body);

  /** Number of rows of the space in each table, and the last version-sequences of the tenants of this file. */
  async function countRows(): Promise<Readonly<Record<string, unknown>>> {
    const space = await owner.spaceOf(tenant, release);
    const { rows: tables } = await owner.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c
         join information_schema.tables t using (table_schema, table_name)
        where c.table_schema = 'andiron' and c.column_name = 'space' and t.table_type = 'BASE TABLE' order by 1`,
    );
    const counts: Record<string, unknown> = {};
    for (const { name } of tables) {
      const { rows } = await owner.query<{ count: string }>(
        `select count(*) as count from andiron.${name} where space = $1`,
        [space],
      );
      counts[name] = rows[0]?.count;
    }
    const tenants = await Promise.all(['system', 'other'].map((name) => owner.tenantNumber(name)));
    const { rows } = await owner.query<object>(
      'select * from andiron.change_counter where tenant = any($1) order by tenant',
      [tenants],
    );
    return { ...counts, counters: rows };
  }

  beforeAll(async () => {
    for (const id of ['guarded', 'changed', 'removed', 'gone'])
      expect((await send('PUT', `/Patient/${id}`, identified(id, { id }))).status).toBe(201);
    for (const value of ['two', 'two']) await send('POST', '/Patient', identified(value));
    expect((await send('DELETE', '/Patient/gone')).status).toBe(200);
  });

  it.each(FAILURES)(
    'for %s in its eighth entry names that entry and leaves no row in any table',
    async (_title, failing, status, below) => {
      const before = await countRows();
      const answer = await send(
        'POST',
        '',
        transaction(
          post(identified('first'), uuid(1)),
          post(observation(uuid(1))),
          put({ ...identified('changed'), id: 'changed' }),
          put({ ...identified('new'), id: 'new' }),
          entryOf('DELETE', 'Patient/removed'),
          post(identified('once'), uuid(2), { ifNoneExist: 'identifier=once' }),
          post(observation('Patient?identifier=guarded')),
          failing,
          post(VALUE_SET),
          post({ resourceType: 'Basic', code: { text: 'x' }, subject: { reference: uuid(2) } }),
        ),
      );
      expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
      for (const { expression } of answer.json.issue)
        expect(expression).toEqual([expect.stringMatching(/^Bundle\.entry\[7\]/)]);
      expect(answer.json.issue[0].expression[0].slice('Bundle.entry[7]'.length)).toMatch(
        new RegExp(`^${below.replaceAll(/[.[\]]/g, String.raw`\$&`)}`),
      );
      expect(await countRows()).toEqual(before);
      for (const id of ['changed', 'removed'])
        expect((await send('GET', `/Patient/${id}`)).headers.etag).toBe('W/"1"');
      expect((await send('GET', '/Patient/new')).status).toBe(404);
    },
  );

  it('would have left rows in the tables of versions, heads and of each kind of index', async () => {
    const before = await countRows();
    const body = transaction(post(identified('first'), uuid(1)), post(observation(uuid(1))), post(VALUE_SET));
    expect((await send('POST', '', body)).status).toBe(200);
    const after = await countRows();
    const changed = Object.keys(after).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    );
    expect(changed.sort()).toEqual([
      'counters',
      'range_index',
      'reference_index',
      'resource',
      'resource_version',
      'string_index',
      'token_index',
      'uri_index',
    ]);
  });
});
