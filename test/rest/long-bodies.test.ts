/** An operation with a long input runs in the thread for long bodies, and gives the same answer. */
import { FAULTS, patientNamed } from '../support/exact';
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

/** Padding that makes a body long: characters that are not part of any value. */
const BLANKS = ' '.repeat(300_000);
const SYSTEM = 'http://example.org/animals';
const OUTCOME = 'OperationOutcome';

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body: string): Promise<Answer> =>
    server.request(method, `${server.path('system', release)}${rest}`, body);

  beforeAll(async () => {
    for (const resource of [
      { resourceType: 'CodeSystem', id: 'animals', url: SYSTEM, status: 'active', content: 'complete', concept: [{ code: 'cat', display: 'Cat', concept: [{ code: 'lion', display: 'Lion' }] }] },
      { resourceType: 'ValueSet', id: 'animals', url: `${SYSTEM}/all`, status: 'active', compose: { include: [{ system: SYSTEM }] } },
      { resourceType: 'Patient', id: 'tagged', meta: { tag: [{ system: SYSTEM, code: 'cat' }] } },
    ]) {
      const { status, text } = await send('PUT', `/${resource.resourceType}/${resource.id}`, JSON.stringify(resource));
      expect([status, text]).toEqual([201, expect.anything()]);
    }
  }); // prettier-ignore

  /** The answer without the parts that always differ. */
  const constant = ({ status, text }: Answer): readonly [number, string] => [
    status,
    text.replace(/"identifier":"urn:uuid:[^"]*"/, '').replace(/"timestamp":"[^"]*"/, ''),
  ];

  async function alike(rest: string, body: string): Promise<Answer> {
    const short = await send('POST', rest, body);
    const long = await send('POST', rest, body + BLANKS);
    expect(constant(long)).toEqual(constant(short));
    return long;
  }

  const parameters = (...parameter: object[]): string =>
    JSON.stringify({ resourceType: 'Parameters', parameter });
  const valueSet = { resourceType: 'ValueSet', status: 'draft', compose: { include: [{ system: SYSTEM, concept: [{ code: 'lion' }] }] } }; // prettier-ignore
  const profile = { resourceType: 'StructureDefinition', url: `${SYSTEM}/profile`, name: 'Animal', status: 'draft', kind: 'resource', abstract: false, type: 'Patient', baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient', derivation: 'constraint', differential: { element: [{ id: 'Patient.name', path: 'Patient.name', min: 1 }] } }; // prettier-ignore
  const inAnimals = [
    { name: 'url', valueUri: `${SYSTEM}/all` },
    { name: 'code', valueCode: 'lion' },
    { name: 'system', valueUri: SYSTEM },
  ];
  const inSystem = [
    { name: 'system', valueUri: SYSTEM },
    { name: 'code', valueCode: 'lion' },
  ];

  it.each<[string, string, string]>([
    ['/ValueSet/$expand', parameters({ name: 'url', valueUri: `${SYSTEM}/all` }), '"code":"lion"'],
    ['/ValueSet/$expand', parameters({ name: 'valueSet', resource: valueSet }), '"code":"lion"'],
    ['/ValueSet/animals/$expand', parameters(), '"total":2'],
    ['/ValueSet/$validate-code', parameters(...inAnimals), '"valueBoolean":true'],
    ['/CodeSystem/$validate-code', parameters({ name: 'url', valueUri: SYSTEM }, { name: 'code', valueCode: 'dog' }), '"valueBoolean":false'],
    ['/CodeSystem/$lookup', parameters(...inSystem), '"valueString":"Lion"'],
    ['/CodeSystem/$subsumes', parameters({ name: 'system', valueUri: SYSTEM }, { name: 'codeA', valueCode: 'cat' }, { name: 'codeB', valueCode: 'lion' }), 'subsumes'],
    ['/ValueSet/$batch-validate-code', parameters(...inAnimals.slice(0, 1), { name: 'validation', resource: JSON.parse(parameters(...inAnimals)) }), '"valueBoolean":true'],
    ['/ValueSet/$expand', parameters({ name: 'url', valueUri: `${SYSTEM}/handed` }, { name: 'tx-resource', resource: { ...valueSet, url: `${SYSTEM}/handed` } }), '"code":"lion"'],
    ['/CodeSystem/$find-matches', parameters({ name: 'system', valueUri: SYSTEM }, { name: 'exact', valueBoolean: true }, { name: 'property', part: [{ name: 'code', valueCode: 'display' }, { name: 'value', valueString: 'Lion' }] }), '"code":"lion"'],
    ['/StructureDefinition/$snapshot', parameters({ name: 'definition', resource: profile }), '"snapshot"'],
    ['/$meta', parameters(), '"code":"cat"'],
    ['/Patient/tagged/$meta', parameters(), '"code":"cat"'],
    ['/$validate', patientNamed('{"family":"A"}'), 'dom-6'],
    ['/Patient/tagged/$validate', parameters({ name: 'mode', valueCode: 'delete' }), 'could be deleted'],
    ['/Patient/not-there/$validate', parameters({ name: 'mode', valueCode: 'update' }, { name: 'resource', resource: { resourceType: 'Patient', id: 'not-there' } }), 'would create it'],
  ])('POST %s %.60s', async (rest, body, part) => {
    const { status, text } = await alike(rest, body);
    expect([status, text]).toEqual([200, expect.stringContaining(part)]);
  }); // prettier-ignore

  it.each<[string, string, number]>([
    ['/ValueSet/$unknown', parameters(), 404],
    ['/Patient/$expand', parameters(), 400],
    ['/ValueSet/$expand', '{"resourceType":}', 400],
    ['/ValueSet/$expand', parameters(), 400],
    ['/ValueSet/$expand', parameters({ name: 'url', valueInteger: 3 }), 400],
    ['/ValueSet/$expand', parameters({ name: 'url', valueUri: 'http://example.org/nothing' }), 404],
    ['/ValueSet/not-there/$expand', parameters(), 404],
    ['/ValueSet/$expand', parameters({ name: 'valueSet', resource: { ...valueSet, status: 'none' } }), 422],
    ['/StructureDefinition/$snapshot', parameters({ name: 'definition', resource: { ...profile, baseDefinition: 'http://example.org/nothing' } }), 422],
    ['/Patient/not-there/$meta', parameters(), 404],
  ])('POST %s %.60s is refused', async (rest, body, status) => {
    const { json, ...answer } = await alike(rest, body);
    expect([answer.status, json.resourceType]).toEqual([status, OUTCOME]);
  }); // prettier-ignore

  it.each(FAULTS)('with $title in the input it is refused', async ({ name, place }) => {
    const input = `{"resourceType":"Parameters","parameter":[{"name":"coding","resource":${patientNamed(name)}}]}`;
    const { status, json } = await alike('/CodeSystem/$lookup', input);
    expect([status, json.issue[0].expression[0]]).toEqual([400, expect.stringContaining(place)]);
  });

  it('a cached answer is the same for a long input as for a short one', async () => {
    const body = parameters({ name: 'url', valueUri: `${SYSTEM}/all` }, { name: 'count', valueInteger: 1 });
    const first = await send('POST', '/ValueSet/$expand', body + BLANKS);
    const second = await send('POST', '/ValueSet/$expand', body);
    expect([first.status, second.text]).toEqual([200, first.text]);
  });
});

describe('a body of more than a megabyte', () => {
  const TEXT = 'é'.repeat(60_000);
  const divOfText = (text: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${text}</div>`;
  const basic = (id: string): object => ({
    resourceType: 'Basic',
    id,
    text: { status: 'generated', div: divOfText(`${id} ${TEXT}`) },
    code: { text: 'a' },
  });
  const divOf = (resource: { text: { div: string } }): string => resource.text.div.slice(0, 60);

  it.each(['batch', 'transaction'])('is a %s with an answer for each entry in its order', async (type) => {
    const ids = Array.from({ length: 40 }, (_, index) => `${type}-${index}`);
    const entry = ids.map((id) => ({ request: { method: 'PUT', url: `Basic/${id}` }, resource: basic(id) }));
    const body = { resourceType: 'Bundle', type, entry };
    const { status, json } = await server.request('POST', server.path('system', 'r4'), body);
    expect(status).toBe(200);
    const divs = json.entry.map(({ resource }: { resource: { text: { div: string } } }) => divOf(resource));
    expect(divs).toEqual(
      ids.map((id) => `<div xmlns="http://www.w3.org/1999/xhtml">${id} ${TEXT}`.slice(0, 60)),
    );
    const stored = await server.request('GET', `${server.path('system', 'r4')}/Basic/${ids[39] ?? ''}`);
    expect(stored.json.text.div).toContain(TEXT);
  });

  const wide = { ...basic('wide'), text: { status: 'generated', div: divOfText('b'.repeat(1_200_000)) } };

  it.each<[string, string, string]>([
    ['a create', 'POST', '/Basic'],
    ['an update', 'PUT', '/Basic/wide'],
    ['an update by criteria', 'PUT', '/Basic?_id=wide'],
    ['an operation', 'POST', '/Basic/$validate'],
  ])('is %s', async (_title, method, rest) => {
    const { status, text } = await server.request(method, server.path('system', 'r4') + rest, wide);
    expect(text).toContain('"resourceType"');
    expect([200, 201]).toContain(status);
  });

  it('that is not UTF-8 is refused with the place', async () => {
    const bytes = Buffer.from(`{"resourceType":"Basic",\n"code":{"text":"${'a'.repeat(1_200_000)}\u0000"}}`);
    bytes[bytes.length - 4] = 0xff;
    const { status, json } = await server.request('POST', `${server.path('system', 'r4')}/Basic`, bytes);
    expect(status).toBe(400);
    expect(json.issue[0].diagnostics).toContain('line 2, column 1200017: its bytes are not UTF-8');
  });
});
