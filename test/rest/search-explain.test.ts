/** `_explain=true`: how a search was executed. */
import { openSharedServer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let silent: SharedServer;
let root: string;
beforeAll(async () => {
  server = await openSharedServer();
  silent = await openSharedServer('structure');
  root = server.path('system', 'r4');
  for (const resource of RESOURCES) {
    const path = `${root}/${resource.resourceType}/${resource.id}`;
    expect((await server.request('PUT', path, resource)).status).toBe(201);
  }
});
afterAll(async () => {
  await silent.close();
  await server.close();
});

const RESOURCES = [
  { resourceType: 'Organization', id: 'canary-ward', name: 'Canary' },
  {
    resourceType: 'Patient',
    id: 'canary',
    name: [{ family: 'Canary' }],
    birthDate: '1987-06-05',
    managingOrganization: { reference: 'Organization/canary-ward' },
  },
  {
    resourceType: 'Observation',
    id: 'canary-o',
    status: 'final',
    code: { coding: [{ system: 'urn:canary', code: 'canary' }] },
    subject: { reference: 'Patient/canary' },
    valueQuantity: { value: 8765432, unit: 'canaries' },
  },
];

interface Entry {
  readonly resource: { readonly resourceType: string; readonly issue?: readonly { diagnostics: string }[] };
  readonly search: { readonly mode: string };
}

async function explain(query: string): Promise<{ texts: string[]; outcome: object; others: Entry[] }> {
  const separator = query.includes('?') ? '&' : '?';
  const { status, json } = await server.request('GET', `${root}${query}${separator}_explain=true`);
  expect(status).toBe(200);
  const entries = json.entry as Entry[];
  const outcome = entries.at(-1);
  if (outcome?.search.mode !== 'outcome') throw new Error('nothing is explained');
  const texts = (outcome.resource.issue ?? []).map(({ diagnostics }) => diagnostics);
  return { texts, outcome: outcome.resource, others: entries.slice(0, -1) };
}

it('is refused like any unknown parameter unless the server allows it', async () => {
  const path = `${silent.path('system', 'r4')}/Patient?name=canary&_explain=true`;
  const { status, json } = await silent.request('GET', path);
  expect(status).toBe(400);
  expect(json.issue[0].diagnostics).toContain("'_explain' is not a search parameter of Patient");
});

it('accepts true and false, and nothing else', async () => {
  const { status, json } = await server.request('GET', `${root}/Patient?name=canary&_explain=maybe`);
  expect([status, json.issue[0].code]).toEqual([400, 'value']);
  const plain = await server.request('GET', `${root}/Patient?name=canary&_explain=false`);
  expect(plain.json.entry).toHaveLength(1);
});

it('returns the plan, the SQL with placeholders, its times, and the plan of PostgreSQL', async () => {
  const { texts, others } = await explain('/Observation?code=canary&status=final');
  expect(others).toHaveLength(1);
  expect(texts[0]).toMatch(/^Time: \d+\.\d+ ms/);
  expect(texts[1]).toMatch(/^Plan for Observation in the tenant's own resources: /);
  expect(texts[1]).toMatch(/\n- 'code' \(token\) (drives|is tested [^,]*), has about 1 index rows/);
  expect(texts[1]).toMatch(/\n- 'status' \(token\) (drives|is tested [^,]*), has about 1 index rows/);
  const statements = texts.filter((text) =>
    /^Statement \d+, run (once|\d+ times), \d+\.\d+ ms, \d+ rows:\n/.test(text),
  );
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) expect(statement).toContain('$1');
  expect(statements.at(-1)).toContain('token_index');
  expect(texts.at(-1)).toMatch(/^Plan of PostgreSQL for statement \d+:\n/);
  expect(texts.at(-1)).toMatch(/Index (Only )?Scan/);
});

it.each([
  ['/Patient?name=', 'left', 'right'],
  ['/Observation?code=', 'left', 'right'],
  ['/Observation?status=final&code=', 'left', 'right'],
  ['/Observation?subject=', 'Patient/left', 'Patient/right'],
  ['/Observation?value-quantity=', 'gt5', 'gt77.5'],
  ['/Observation?date=', 'ge2020', 'ge2021-03-04T05:06:07Z'],
  ['/Observation?subject:Patient.name=', 'left', 'right'],
])('%s: searches of one shape have the same SQL, for any values (%s, %s)', async (query, one, other) => {
  const statements = async (value: string): Promise<string[]> =>
    (await explain(query + encodeURIComponent(value))).texts.flatMap(
      (text) => /^Statement \d+, run .*\n([\s\S]*)$/.exec(text)?.[1] ?? [],
    );
  const executed = await statements(one);
  expect(executed.length).toBeGreaterThan(0);
  expect(await statements(other)).toEqual(executed);
});

it('shows the access path of a chain', async () => {
  const { texts } = await explain('/Observation?subject:Patient.organization.name=canary');
  expect(texts[1]).toMatch(
    /'subject:Patient.organization.name' \(chain found from the inside by '[\w.:]+': .*chain found from the inside by 'name': 'name' \(string\)/,
  );
});

it('shows that a list over all types reads only the types of its items', async () => {
  const list = {
    ...{ resourceType: 'List', id: 'canary-list', status: 'current', mode: 'working' },
    entry: [{ item: { reference: 'Patient/canary' } }],
  };
  await server.request('PUT', `${root}/List/canary-list`, list);
  const plansOf = async (query: string): Promise<string[]> =>
    (await explain(query)).texts.flatMap((text) => /^Plan for (\w+) in/.exec(text)?.[1] ?? []);
  expect(await plansOf('?_list=canary-list')).toEqual(['Patient']);
  expect(await plansOf('?_list=List/canary-list&_tag:missing=true')).toEqual(['Patient']);
  expect(await plansOf('?_list=nothing')).toEqual([]);
  await server.request('DELETE', `${root}/List/canary-list`);
});

it.each([
  '/Patient',
  '/Patient?name=canary&birthdate=1987-06-05&_total=accurate',
  '/Patient?_id=canary&_include=Patient:organization&_revinclude=Observation:subject',
  '/Patient?name=canary&_sort=family,-_id',
  '/Patient?_sort=-family',
  '/Patient?_sort=death-date',
  '/Observation?status=final&_sort=value-quantity',
  '/Patient?_content=canary',
  '/Observation?value-quantity=8765432&subject=canary',
  '/Observation?value-quantity=gt8765431&_sort=date',
  '/Observation?status:in=http://hl7.org/fhir/ValueSet/observation-status&_summary=count',
  '/ValueSet?url=http://hl7.org/fhir/ValueSet/administrative-gender',
  '?_type=Patient,Organization&name=canary',
  '/Patient/canary/*',
])(
  'of %s: is a valid outcome without a value that was sent or stored, beside the same answer',
  async (query) => {
    const plain = await server.request('GET', root + query);
    const { texts, outcome, others } = await explain(query);
    expect(others).toEqual(plain.json.entry ?? []);
    expect(texts.some((text) => text.startsWith('Plan for '))).toBe(true);
    const explained = texts.join('\n');
    expect(explained).not.toMatch(/canar(y|ies)|8765|1987|example\.org|administrative|observation-status/i);
    // Nor a hash, a key or an instant; the number for no clinical date is a constant of the program.
    expect(explained.replaceAll(`'-9223372036854775808'`, '')).not.toMatch(/(?<![\w$.])\d{6,}/);
    const { json } = await server.request('POST', `${root}/OperationOutcome/$validate`, outcome);
    expect(json.issue.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([]);
  },
);

it('is part of the links of the answer', async () => {
  const first = await server.request('GET', `${root}/Observation?_count=1&_explain=true&code=canary,other`);
  expect(first.status).toBe(200);
  const self = (first.json.link as { relation: string; url: string }[]).find(
    ({ relation }) => relation === 'self',
  );
  expect(self?.url).toContain('_explain=true');
});
