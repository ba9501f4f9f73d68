/** `CodeSystem/$import`: a large code system from a file at an address, as a job (docs/use/import-terminology.md). */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Release } from '../../src/core';
import { administerWell, createClient } from '../support/access';
import { eventually } from '../support/eventually';
import { ASYNC, ended, stateOf, WITHIN_MS, type Send } from '../support/imports';
import { TESTED_RELEASES } from '../support/releases';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const JSON_BODY = { ...ASYNC, 'content-type': 'application/fhir+json' };
const CATALOGUE = 'http://acme.example/rooms';

let server: SharedServer;
let source: Server;
let address: string;
/** The files by the paths of their addresses. */
const files = new Map<string, string | Buffer | RequestListener>();
const fetched: string[] = [];

beforeAll(async () => {
  server = await openSharedServer('audited');
  source = createServer((request, response) => {
    const { url = '' } = request;
    fetched.push(url);
    const file = files.get(url.replace(/\?.*$/, ''));
    if (typeof file === 'function') file(request, response);
    else response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
});
afterAll(async () => {
  source.closeAllConnections();
  source.close();
  await server.close();
});

async function openTenant(
  tenant: string,
  {
    release = 'r4',
    scopes = ['system/*.cruds'],
    settings = {},
  }: {
    readonly release?: Release;
    readonly scopes?: readonly string[];
    readonly settings?: Record<string, string>;
  } = {},
): Promise<{ readonly send: Send; readonly id: string }> {
  await server.createTenant(tenant, settings);
  const { id, basic: authorization } = await createClient(server, tenant, { scopes });
  const root = server.path(tenant, release);
  const send: Send = (method, rest, body, headers = {}) =>
    server.request(method, root + rest, body, { authorization, ...headers });
  return { send, id };
}

const parametersOf = (path: string, given: Readonly<Record<string, string>> = {}): object => ({
  resourceType: 'Parameters',
  parameter: [
    ...Object.entries(given).map(([name, value]) => ({
      ...{ name },
      [name === 'format' ? 'valueCode' : name === 'url' ? 'valueUri' : 'valueString']: value,
    })),
    { name: 'input', part: [{ name: 'url', valueUrl: address + path }] },
  ],
});

const CSV = { format: 'csv', url: CATALOGUE, version: '1', name: 'Rooms' };
const begin = (send: Send, path: string, given: Readonly<Record<string, string>>): Promise<Answer> =>
  send('POST', '/CodeSystem/$import', parametersOf(path, given), JSON_BODY);
const load = async (send: Send, path: string, given: Readonly<Record<string, string>>): Promise<Answer> =>
  ended(send, await begin(send, path, given));

/** The values of an answer of Parameters by their names. */
const valuesOf = ({ json }: Answer): Record<string, unknown> =>
  Object.fromEntries(
    json.parameter.map((each: Record<string, unknown>) => [
      each['name'],
      Object.entries(each).find(([name]) => name.startsWith('value'))?.[1],
    ]),
  );
const displayOf = async (send: Send, code: string, system = CATALOGUE): Promise<unknown> => {
  const answer = await send('GET', `/CodeSystem/$lookup?system=${encodeURIComponent(system)}&code=${code}`);
  return answer.status === 200 ? valuesOf(answer)['display'] : answer.status;
};
const reasonOf = ({ status, json }: Answer): readonly unknown[] => [status, json.issue[0].diagnostics];

it.each(TESTED_RELEASES)(
  'in %s a CSV is loaded, also fields with line breaks; again it is unchanged',
  async (release) => {
    const { send, id } = await openTenant(`codes-${release}`, { release });
    const rows = Array.from({ length: 2_000 }, (_none, index) => `r${index},Room ${index},all,`);
    // Where imports of NDJSON divide files, after 500 lines, is a blank line of the field.
    const hall = 'hall,Hall,all,"The first line\n\n\r\n  and the last, after blank ones"';
    const first = ['code,display,parent,definition', 'all,Everything,,', ...rows.slice(0, 497)];
    const text = [...first, hall, ...rows.slice(497)];
    files.set('/rooms.csv.gz', gzipSync(text.join('\n')));
    const accepted = await begin(send, '/rooms.csv.gz?token=secret', CSV);
    const done = await ended(send, accepted);
    expect([done.status, done.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('application/fhir+json'),
    ]);
    const { codeSystem } = valuesOf(done) as { readonly codeSystem: { readonly reference: string } };
    expect(valuesOf(done)).toEqual({
      ...{ outcome: 'stored', concepts: 2_002 },
      codeSystem: { reference: expect.stringMatching(/^CodeSystem\/[^/]+$/) },
    });
    expect((await send('GET', `/${codeSystem.reference}`)).json).toMatchObject({
      url: CATALOGUE,
      name: 'Rooms',
    });
    expect(await displayOf(send, 'r1999')).toBe('Room 1999');
    const lookup = await send('GET', `/CodeSystem/$lookup?system=${CATALOGUE}&code=hall&property=definition`);
    expect(lookup.text).toContain('The first line\\n\\n\\r\\n  and the last, after blank ones');
    const below = `/CodeSystem/$subsumes?system=${CATALOGUE}&codeA=all&codeB=r7`;
    expect(valuesOf(await send('GET', below))).toEqual({ outcome: 'subsumes' });
    expect(valuesOf(await load(send, '/rooms.csv.gz', CSV))).toMatchObject({
      outcome: 'unchanged',
      concepts: 2_002,
    });
    const auditor = await createClient(server, `codes-${release}`, { auditor: true });
    const audit = await send('GET', `/AuditEvent?altid=${id}&action=E&_count=50`, undefined, {
      authorization: auditor.basic,
    });
    const kickOffs = JSON.stringify(audit.json).match(new RegExp(btoa('CodeSystem/$import'), 'g'));
    expect(kickOffs).toHaveLength(2);
  },
);

it('NDJSON and ICD-10-CM are loaded too, and administrators see what kind of import it was', async () => {
  const { send } = await openTenant('codes-formats');
  const head = {
    resourceType: 'CodeSystem',
    url: CATALOGUE,
    version: '2',
    status: 'active',
    content: 'complete',
  };
  const concepts = [
    { code: 'a', display: 'A' },
    { code: 'b', property: [{ code: 'weight', valueInteger: 7 }] },
  ];
  files.set('/a.ndjson', [head, ...concepts].map((line) => JSON.stringify(line)).join('\n'));
  const accepted = await begin(send, '/a.ndjson?token=secret', {});
  expect(valuesOf(await ended(send, accepted))).toMatchObject({ outcome: 'stored', concepts: 2 });
  expect(await displayOf(send, 'a')).toBe('A');
  files.set(
    '/icd10cm-order-2026.txt',
    `00001 A00     0 ${'Cholera'.padEnd(60)} Cholera\n00002 A000    1 ${'Cholera, cholerae'.padEnd(60)} Cholera due to Vibrio cholerae\n`,
  );
  const icd = await load(send, '/icd10cm-order-2026.txt', { format: 'icd10cm' });
  expect(valuesOf(icd)).toMatchObject({ outcome: 'stored', concepts: 2 });
  expect(await displayOf(send, 'A00.0', 'http://hl7.org/fhir/sid/icd-10-cm')).toBe(
    'Cholera due to Vibrio cholerae',
  );
  const jobs = await server.administer('GET', `/tenants/${server.tenant('codes-formats')}/jobs`);
  const job = jobs.json.jobs.find(({ id }: { id: string }) => stateOf(accepted).endsWith(id));
  expect(job).toMatchObject({
    request: { release: 'r4', files: 1, names: [`${address}/a.ndjson`], codeSystem: 'ndjson' },
    result: { files: 1, received: 1, lines: 2, written: 2, refused: 0 },
  });
});

it.each<readonly [what: string, text: string, given: Readonly<Record<string, string>>, reason: string]>([
  ['a code with blanks', 'code,display\na,A\n"b  c",B\n', CSV, 'Line 3: '],
  ['a wrong language', 'code,designation: de\na,A\n', CSV, 'Line 2: '],
  [
    'a code that is there twice',
    'code,display\na,A\nb,B\na,C\n',
    CSV,
    'Line 4: The code system cannot be imported: the code a',
  ],
  ['an unknown column', 'code,colour\na,red\n', CSV, "/bad: the column 'colour'"],
  ['a row with too many fields', 'code,display\na,A\nb,B,C\n', CSV, 'on line 3'],
  [
    'a line that is no JSON',
    '{"resourceType":"CodeSystem","url":"http://x.example","status":"active","content":"complete"}\n{"code":"a"}\n{"code"}\n',
    {},
    'line 3',
  ],
  [
    'an unknown element',
    '{"resourceType":"CodeSystem","url":"http://x.example","status":"active","content":"complete"}\n{"code":"a"}\n\n{"code":"b","color":"red"}\n',
    {},
    'Line 4: ',
  ],
  [
    'a wrong status',
    '{"resourceType":"CodeSystem","url":"http://x.example","status":"new","content":"complete"}\n{"code":"a"}\n',
    {},
    "'new' is not in the value set",
  ],
  [
    'a line that is too long',
    `code,display\na,${'A'.repeat(1_100_000)}\n`,
    CSV,
    'line 2 has more than 1048576 bytes',
  ],
])('%s is refused by its line, and changes nothing', async (what, text, given, reason) => {
  const tenant = `codes-${what.toLowerCase().replaceAll(' ', '-')}`;
  const { send } = await openTenant(tenant);
  files.set('/good', 'code,display\na,Before\n');
  expect((await load(send, '/good', CSV)).status).toBe(200);
  files.set('/bad', text);
  const answer = await load(send, '/bad', given);
  expect(answer.json.resourceType).toBe('OperationOutcome');
  expect([answer.status >= 400 && answer.status < 500, answer.json.issue[0].diagnostics]).toEqual([
    true,
    expect.stringContaining(reason),
  ]);
  expect(await displayOf(send, 'a')).toBe('Before');
  expect((await send('GET', `/CodeSystem?url=${CATALOGUE},http://x.example&_summary=count`)).json.total).toBe(
    1,
  );
});

it('what cannot be asked for is refused at once', async () => {
  const { send } = await openTenant('codes-asked', { settings: { 'notification-hosts': 'files.example' } });
  const post = (body: unknown, headers: Readonly<Record<string, string>> = JSON_BODY) =>
    send('POST', '/CodeSystem/$import', body, headers);
  expect(reasonOf(await begin(send, '/rooms.csv', CSV))).toEqual([
    400,
    expect.stringContaining('notification-hosts'),
  ]);
  const cases = [
    [parametersOf('/a', { format: 'loinc' }), '"format" must be one of ndjson, csv, icd10cm'],
    [parametersOf('/a', { format: 'csv' }), 'name it by "url"'],
    [parametersOf('/a', { version: '1' }), '"version" is not allowed'],
    [parametersOf('/a', { colour: 'red' }), "'colour' is not allowed"],
    [{ resourceType: 'Parameters' }, 'one "input"'],
    [{ resourceType: 'Patient' }, 'Parameters'],
  ] as const;
  const local = await openTenant('codes-asked-local');
  for (const [body, reason] of cases)
    expect(reasonOf(await local.send('POST', '/CodeSystem/$import', body, JSON_BODY))).toEqual([
      400,
      expect.stringContaining(reason),
    ]);
  const metadata = parametersOf('/a', CSV);
  expect((await post(metadata, { 'content-type': 'application/fhir+json' })).status).toBe(400);
  expect((await post('code', { ...ASYNC, 'content-type': 'text/csv' })).status).toBe(415);
  const inside = {
    resourceType: 'Parameters',
    parameter: [{ name: 'input', part: [{ name: 'url', valueUrl: 'http://10.0.0.1/a' }] }],
  };
  expect(reasonOf(await local.send('POST', '/CodeSystem/$import', inside, JSON_BODY))).toEqual([
    400,
    expect.stringContaining('may not call'),
  ]);
  files.delete('/absent');
  expect(reasonOf(await load(local.send, '/absent?token=secret', CSV))).toEqual([
    400,
    expect.stringContaining('status 404'),
  ]);
  const jobs = await server.administer('GET', `/tenants/${server.tenant('codes-asked-local')}/jobs`);
  expect([jobs.json.jobs[0].state, jobs.text]).toEqual(['failed', expect.not.stringContaining('secret')]);
});

it.each([
  ['create', ['system/CodeSystem.rus']],
  ['update', ['system/CodeSystem.crs']],
  ['search', ['system/CodeSystem.cru']],
  ['read all', ['system/CodeSystem.cu', 'system/CodeSystem.rs?status=active']],
])('a client without the right to %s CodeSystems may not import one', async (right, scopes) => {
  const { send } = await openTenant(`codes-${right.replace(' ', '-')}`, { scopes });
  expect((await begin(send, '/rooms.csv', CSV)).status).toBe(403);
});

it('metadata and the OperationDefinition say what it is', async () => {
  const { send } = await openTenant('codes-metadata');
  const { json } = await send('GET', '/metadata');
  const { operation } = json.rest[0].resource.find(({ type }: { type: string }) => type === 'CodeSystem');
  const { definition } = operation.find(({ name }: { name: string }) => name === 'import');
  expect(definition).toBe('https://andiron.example/fhir/OperationDefinition/code-system-import');
  const found = await send('GET', `/OperationDefinition?url=${definition}`);
  expect(found.json.entry[0].resource).toMatchObject({
    code: 'import',
    resource: ['CodeSystem'],
    type: true,
  });
});

it('an import whose client is disabled meanwhile changes nothing', async () => {
  const { send, id } = await openTenant('codes-disabled');
  let go: (() => void) | undefined;
  files.set('/held', (_request, response) => void (go = () => response.end('code,display\na,A\n')));
  const accepted = await begin(send, '/held', CSV);
  await eventually(() => go !== undefined, WITHIN_MS);
  const tenant = `/tenants/${server.tenant('codes-disabled')}`;
  await administerWell(server, 'PATCH', `${tenant}/clients/${id}`, { disabled: true });
  await eventually(async () => (await send('GET', stateOf(accepted))).status === 401, WITHIN_MS);
  go?.();
  const job = stateOf(accepted).replace('/_bulk/', '');
  await eventually(
    async () => (await server.administer('GET', `${tenant}/jobs/${job}`)).json.state === 'failed',
    WITHIN_MS,
  );
  const { basic: authorization } = await createClient(server, 'codes-disabled', { scopes: ['system/*.rs'] });
  const other: Send = (method, rest) =>
    server.request(method, server.path('codes-disabled', 'r4') + rest, undefined, { authorization });
  expect(await displayOf(other, 'a')).toBe(404);
});

it('an import that is cancelled while its file comes changes nothing', async () => {
  const { send } = await openTenant('codes-cancelled');
  let isOpen = false;
  files.set('/slow', (_request, response) => {
    isOpen = true;
    response.write('code,display\na,A\n');
  });
  const accepted = await begin(send, '/slow', CSV);
  await eventually(async () => isOpen && (await send('GET', stateOf(accepted))).status === 202, WITHIN_MS);
  const { headers } = await send('GET', stateOf(accepted));
  expect(headers['x-progress']).toBe('receiving the file');
  const cancelled = await send('DELETE', stateOf(accepted));
  expect(reasonOf(cancelled)).toEqual([202, expect.stringContaining('cancelled')]);
  expect((await send('GET', stateOf(accepted))).status).toBe(404);
  expect(await displayOf(send, 'a')).toBe(404);
});

it('an import that is cancelled once the new version is visible does not say that nothing has changed', async () => {
  const { send } = await openTenant('codes-late');
  files.set('/one', 'code,display\na,Before\n');
  files.set('/two', 'code,display\na,After\n');
  expect((await load(send, '/one', CSV)).status).toBe(200);
  const accepted = await begin(send, '/two', CSV);
  await eventually(async () => (await displayOf(send, 'a')) === 'After', WITHIN_MS);
  const state = await send('GET', stateOf(accepted));
  // It leaves the last readers of the old version their time.
  expect([state.status, state.headers['x-progress']]).toEqual([202, expect.stringMatching(/concepts/)]);
  expect(reasonOf(await send('DELETE', stateOf(accepted)))).toEqual([
    202,
    expect.stringContaining('as the import has it if that was whole already'),
  ]);
  expect(await displayOf(send, 'a')).toBe('After');
  // What it has left is in nobody's way.
  expect(valuesOf(await load(send, '/two', CSV))).toMatchObject({ outcome: 'unchanged' });
});
