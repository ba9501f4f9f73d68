/** What the REST console makes of what people write: addresses, headers, completions, parameters, commands and files. */
import { isObject, parseJson, toJson, type JsonObject } from '../../console/src/api/json';
import { readCapabilities, readSystemOperations } from '../../console/src/fhir/capabilities';
import { toCurlOf } from '../../console/src/fhir/search/search-curl';
import { restOf } from '../../console/src/rest/address';
import { completePath, type PathKnowledge } from '../../console/src/rest/complete-path';
import { entriesOf } from '../../console/src/rest/file/entries-of';
import { leaveUnknown, readFile, UnreadableFile } from '../../console/src/rest/file/read-file';
import { faultOf } from '../../console/src/rest/headers';
import { cutLines, layOut } from '../../console/src/rest/lay-out';
import { readOperation, toParameters } from '../../console/src/rest/parameters';

const ROOT = 'https://fhir.example/prefix/w/acme/api/v1/fhir/r4';

function object(text: string): JsonObject {
  const value = parseJson(text);
  if (!isObject(value)) throw new Error('no object');
  return value;
}

describe('an address', () => {
  it.each([
    ['Patient?name=ida anders', '/Patient?name=ida%20anders'],
    ['/Patient/ann', '/Patient/ann'],
    ['', ''],
    ['?_type=Patient', '?_type=Patient'],
    [`${ROOT}/Patient/ann`, '/Patient/ann'],
    ['/prefix/w/acme/api/v1/fhir/r4/metadata', '/metadata'],
    ['Patient?identifier=http://other.example/mrn|17', '/Patient?identifier=http://other.example/mrn|17'],
    ['ValueSet/$expand?url=http://a/b', '/ValueSet/$expand?url=http://a/b'],
  ])('%s is one below the root of the tenant', (text, rest) => expect(restOf(text, ROOT)).toBe(rest));

  it.each([
    'https://other.example/Patient',
    'http://fhir.example/prefix/w/acme/api/v1/fhir/r4/Patient',
    '//other.example/Patient',
    '\\\\other.example/Patient',
    '/\\other.example/Patient',
    'javascript:alert(1)',
    'data:text/plain,x',
    '../r4b/Patient',
    '..',
    'Patient/../../r4b/Patient',
    'Patient/%2e%2e/%2E%2e/r4b/Patient',
    'Patient\\..\\..\\r4b',
    '/../../../../beta/api/v1/fhir/r4/Patient',
    'https://fhir.example/prefix/w/acme/api/v1/fhir/r4@other.example/',
    'https://fhir.example/prefix/w/acme/api/v1/fhir/r4b/Patient',
    'Patient\n/ann',
    'Patient\t?x',
    'Patient\u0000',
    'Patient#fragment',
  ])('that leads elsewhere is none: %j', (text) => expect(restOf(text, ROOT)).toBeUndefined());

  it('is one below the root, however it was written', () => {
    const parts = [
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2F',
      '@',
      ':',
      'Patient',
      '?',
      '//',
      'other.example',
      '%5c',
      ';',
      ' ',
    ];
    for (let count = 0; count < 5_000; count++) {
      const pieces = Array.from(
        { length: 6 },
        (_, at) => parts[(count * 7 + at * at * 13 + ((count >> at) % 11)) % parts.length],
      );
      const rest = restOf(pieces.join(''), ROOT);
      if (rest === undefined) continue;
      const { origin, pathname } = new URL(`${ROOT}${rest}`);
      expect([origin, /^\/prefix\/w\/acme\/api\/v1\/fhir\/r4(?:\/|$)/.test(pathname)]).toEqual([
        'https://fhir.example',
        true,
      ]);
    }
  });
});

it('a header is one line, and none of those that the console or the browser sets', () => {
  expect(faultOf({ name: 'If-Match', value: 'W/"1"' })).toBeUndefined();
  expect(faultOf({ name: 'Prefer', value: '' })).toBeUndefined();
  expect(faultOf({ name: 'If-Match', value: 'x\r\nHost: other.example' })).toBe('value');
  expect(faultOf({ name: 'If-Match\r\nHost', value: 'x' })).toBe('name');
  expect(faultOf({ name: 'X-Name', value: 'Çelik 漢' })).toBe('value');
  for (const name of [
    'Authorization',
    'cookie',
    'HOST',
    'Sec-Fetch-Mode',
    'Content-Length',
    'Proxy-Authorization',
  ])
    expect([name, faultOf({ name, value: 'x' })]).toEqual([name, 'own']);
});

describe('the completion of a path', () => {
  const statement = object(`{"rest": [{
    "operation": [{"name": "validate", "definition": "http://hl7.org/fhir/OperationDefinition/Resource-validate"}],
    "resource": [
      {"type": "Observation", "searchParam": [{"name": "status", "type": "token"}, {"name": "subject", "type": "reference"}], "searchInclude": ["Observation:subject"], "searchRevInclude": ["Observation:has-member"],
       "operation": [{"name": "lastn", "definition": "x"}]},
      {"type": "ObservationDefinition"},
      {"type": "Organization", "searchParam": [{"name": "name", "type": "string"}], "searchRevInclude": ["Patient:organization"]},
      {"type": "Patient", "searchParam": [{"name": "name", "type": "string"}, {"name": "organization", "type": "reference"}],
       "searchRevInclude": ["Observation:subject"], "operation": [{"name": "everything", "definition": "y"}]}
    ]}]}`);
  const parameter = (code: string, type: string, targets: readonly string[] = []) => ({
    ...{ code, type, documentation: '', definition: '', targets, paths: [], comparators: [] },
  });
  const knowledge: PathKnowledge = {
    types: readCapabilities(statement),
    systemOperations: readSystemOperations(statement),
    parameters: [parameter('subject', 'reference', ['Patient']), parameter('status', 'token')],
  };
  const labels = (path: string): readonly string[] => completePath(path, knowledge).map(({ label }) => label);
  const paths = (path: string): readonly string[] => completePath(path, knowledge).map((each) => each.path);

  it('has types, addresses of the server and operations', () => {
    expect(labels('obs')).toEqual(['Observation', 'ObservationDefinition']);
    expect(labels('$')).toEqual(['$validate']);
    expect(labels('met')).toEqual(['metadata']);
    expect(labels('Patient/')).toEqual(['_search', '_history', '$everything']);
    expect(paths('Patient/ann/$')).toEqual(['Patient/ann/$everything']);
    expect(labels('Nothing/')).toEqual([]);
  });

  it('has search parameters, modifiers and what a value may be', () => {
    expect(paths('Observation?sub')).toEqual(['Observation?subject=']);
    expect(labels('Observation?subject')).toEqual(['subject.']);
    expect(labels('Observation?subject:')).toEqual([
      'subject:identifier',
      'subject:missing',
      'subject:Patient',
    ]);
    expect(labels('Observation?status:n')).toContain('status:not');
    expect(labels('Observation?status:missing=')).toEqual(['true', 'false']);
    expect(paths('Observation?status=final&_inc')).toEqual(['Observation?status=final&_include=']);
    expect(paths('Observation?_include=')).toEqual(['Observation?_include=Observation:subject']);
    expect(paths('Observation?_revinclude=')).toEqual(['Observation?_revinclude=Observation:has-member']);
    expect(paths('Observation?_sort=subject,-sta')).toEqual(['Observation?_sort=subject,-status']);
    expect(labels('Observation?_summary=c')).toEqual(['count']);
  });

  it('follows chains of references, and what refers to a record', () => {
    expect(paths('Observation?subject.na')).toEqual(['Observation?subject.name=']);
    expect(paths('Observation?subject:Patient')).toEqual(['Observation?subject:Patient.']);
    expect(paths('Observation?subject:Patient.nam')).toEqual(['Observation?subject:Patient.name=']);
    expect(labels('Observation?subject.name:')).toContain('subject.name:exact');
    expect(paths('Observation?subject.organization.na')).toEqual(['Observation?subject.organization.name=']);
    expect(labels('Observation?subject.name:missing=')).toEqual(['true', 'false']);
    expect(labels('Observation?status.')).toEqual([]);
    expect(paths('Patient?_has:')).toEqual(['Patient?_has:Observation:']);
    expect(paths('Patient?_has:Observation:')).toEqual(['Patient?_has:Observation:subject:']);
    expect(paths('Patient?_has:Observation:subject:stat')).toEqual([
      'Patient?_has:Observation:subject:status=',
    ]);
  });

  it('completes what stands at the caret, and keeps what stands around it', () => {
    const at = (text: string): readonly string[] => {
      const caret = text.indexOf('^');
      return completePath(text.replace('^', ''), knowledge, caret).map(
        (each) => `${each.path.slice(0, each.caret)}^${each.path.slice(each.caret)}`,
      );
    };
    expect(at('Obs^?status=final')).toEqual([
      'Observation^?status=final',
      'ObservationDefinition^?status=final',
    ]);
    expect(at('Patient/ann/$ev^ery?_count=1')).toEqual(['Patient/ann/$everything^?_count=1']);
    expect(at('Observation?stat^=final&subject=Patient/1')).toEqual([
      'Observation?status^=final&subject=Patient/1',
    ]);
    expect(at('Observation?stat^&_count=5')).toEqual(['Observation?status=^&_count=5']);
    expect(at('Observation?_summary=c^,x&_count=5')).toEqual(['Observation?_summary=count^,x&_count=5']);
  });
});

describe('the form of an operation', () => {
  const operation = readOperation(
    object(`{"code": "expand", "title": "Expand", "type": true, "parameter": [
      {"name": "url", "use": "in", "min": 1, "max": "1", "type": "uri"},
      {"name": "count", "use": "in", "min": 0, "max": "1", "type": "integer"},
      {"name": "limit", "use": "in", "min": 0, "max": "1", "type": "decimal"},
      {"name": "activeOnly", "use": "in", "min": 0, "max": "1", "type": "boolean"},
      {"name": "designation", "use": "in", "min": 0, "max": "*", "type": "string"},
      {"name": "valueSet", "use": "in", "min": 0, "max": "1", "type": "ValueSet"},
      {"name": "coding", "use": "in", "min": 0, "max": "1", "type": "Coding"},
      {"name": "dependency", "use": "in", "min": 0, "max": "*", "part": [{"name": "element"}]},
      {"name": "return", "use": "out", "min": 1, "max": "1", "type": "ValueSet"}]}`),
    (type) => type === 'ValueSet',
  );
  const make = (entered: Readonly<Record<string, string>>) =>
    toParameters(
      operation.parameters,
      Object.entries(entered).map(([name, value]) => ({ name, value })),
    );

  it('asks for what goes in', () =>
    expect(
      operation.parameters.map(({ name, kind, isRequired, repeats }) => [name, kind, isRequired, repeats]),
    ).toEqual([
      ['url', 'text', true, false],
      ['count', 'number', false, false],
      ['limit', 'number', false, false],
      ['activeOnly', 'boolean', false, false],
      ['designation', 'text', false, true],
      ['valueSet', 'resource', false, false],
      ['coding', 'complex', false, false],
      ['dependency', 'parts', false, true],
    ]));

  it('makes Parameters, whose numbers have the digits that were typed', () => {
    const made = make({
      url: 'http://a/b',
      limit: '1.00',
      activeOnly: 'false',
      coding: '{"code": "x"}',
      valueSet: '{"resourceType": "ValueSet"}',
      dependency: '[{"name": "element", "valueUri": "u"}]',
      designation: ' ',
    });
    expect('resource' in made && toJson(made.resource, 0)).toBe(
      '{"resourceType":"Parameters","parameter":[{"name":"url","valueUri":"http://a/b"},' +
        '{"name":"limit","valueDecimal":1.00},{"name":"activeOnly","valueBoolean":false},' +
        '{"name":"coding","valueCoding":{"code":"x"}},{"name":"valueSet","resource":{"resourceType":"ValueSet"}},' +
        '{"name":"dependency","part":[{"name":"element","valueUri":"u"}]}]}',
    );
  });

  it('says which values are missing or wrong', () =>
    expect(make({ count: '1,5', coding: 'x', dependency: '{}' })).toEqual({
      faults: [
        { name: 'url', fault: 'missing' },
        { name: 'count', fault: 'number' },
        { name: 'coding', fault: 'json' },
        { name: 'dependency', fault: 'json' },
      ],
    }));
});

it('a command keeps everything that was written, whatever a shell would do with it', () => {
  const request = {
    method: 'PUT',
    address: "https://a/Patient?name=O'Brien",
    headers: [
      { name: 'If-Match', value: 'W/"1"' },
      { name: 'Prefer', value: "$(rm -rf ~) `x` '" },
    ],
    body: `{"text": "it's $HOME"}`,
  };
  expect(toCurlOf(request, true)).toBe(
    `curl -g -X PUT -H 'accept: application/fhir+json' -H 'If-Match: W/"1"' -H 'Prefer: $(rm -rf ~) \`x\` '\\'''` +
      ` -H "authorization: Bearer $TOKEN" 'https://a/Patient?name=O%27Brien' --data-binary '{"text": "it'\\''s $HOME"}'`,
  );
  expect(toCurlOf({ ...request, method: 'HEAD', headers: [], body: '' }, false)).toBe(
    "curl -g -I -H 'accept: application/fhir+json' 'https://a/Patient?name=O%27Brien'",
  );
});

describe('an answer', () => {
  const shorten = (left: number): string => `<${left} more>`;
  it('is laid out without a change of a digit, also where it was cut off', () => {
    expect(layOut('{"a":1.00,"b":[],"c":{},"d":[{"e":"x, {y}"}]}', shorten)).toBe(
      '{\n  "a": 1.00,\n  "b": [],\n  "c": {},\n  "d": [\n    {\n      "e": "x, {y}"\n    }\n  ]\n}',
    );
    expect(layOut('{"a":[1,{"b":"unfin', shorten)).toBe('{\n  "a": [\n    1,\n    {\n      "b": "unfin');
  });

  it('has no line that is too long to be drawn', () => {
    expect(layOut(`{"data":"${'A'.repeat(6_000)}"}`, shorten)).toContain('<1002 more>');
    expect(cutLines(`a\n${'b'.repeat(6_000)}`, shorten)).toContain('<1000 more>');
  });
});

describe('a file', () => {
  const read = (text: string, name = 'x.json') => readFile(new Blob([text]), name);
  const PATIENT =
    '{"resourceType": "Patient", "id": "ann", "extension": [{"url": "u", "valueDecimal": 1.00}]}';

  it('of lines is a request for each line, and the text of the line is what is sent', async () => {
    const text = `${PATIENT}\n\n{"resourceType": "Patient"}\n{"resourceType": "Patient"\n[]\n{"id": "x"}\r\n`;
    const { kind, planned, faults } = await read(text, 'x.ndjson');
    expect(kind).toBe('lines');
    expect(planned.map(({ line, method, url }) => [line, method, url])).toEqual([
      [1, 'PUT', 'Patient/ann'],
      [3, 'POST', 'Patient'],
    ]);
    expect(planned[0]?.entry).toBe(`{"request":{"method":"PUT","url":"Patient/ann"},"resource":${PATIENT}}`);
    expect(faults.map(({ line }) => line)).toEqual([4, 5, 6]);
    expect((await read(`${PATIENT}\n${PATIENT}`)).kind).toBe('lines');
  });

  it('with hostile types and ids makes no address of them', async () => {
    const lines = ['{"resourceType": "../x"}', '{"resourceType": "Patient", "id": "../../beta"}'].join('\n');
    const { planned, faults } = await read(lines, 'x.ndjson');
    expect(planned.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST Patient']);
    expect(faults).toHaveLength(1);
  });

  it('that is a transaction stays one, to the letter', async () => {
    const text = `{"resourceType": "Bundle", "type": "transaction", "entry": [
      {"fullUrl": "urn:uuid:1", "resource": ${PATIENT}, "request": {"method": "PUT", "url": "Patient/ann"}},
      {"request": {"method": "DELETE", "url": "Patient/ben"}}]}`;
    const { kind, planned, whole } = await read(text);
    expect([kind, whole]).toEqual(['transaction', text]);
    expect(planned.map(({ line, method, url, type }) => [line, method, url, type])).toEqual([
      [1, 'PUT', 'Patient/ann', 'Patient'],
      [2, 'DELETE', 'Patient/ben', ''],
    ]);
    expect(planned[0]?.resource).toBe(PATIENT);
  });

  it('that is a collection is a request for each of its resources', async () => {
    const text = `{"resourceType": "Bundle", "entry": [{"resource": ${PATIENT}}, {"fullUrl": "x"}], "type": "collection"}`;
    const { kind, planned, faults } = await read(text);
    expect([kind, planned.length, faults.map(({ line }) => line)]).toEqual(['entries', 1, [2]]);
    expect(planned[0]?.resource).toBe(PATIENT);
  });

  it('that is a document is one resource', async () => {
    const { kind, planned } = await read('{"resourceType": "Bundle", "type": "document", "entry": []}');
    expect([kind, planned.map(({ url }) => url)]).toEqual(['resource', ['Bundle']]);
  });

  it.each([
    ['', 'empty'],
    ['hello', 'not-fhir'],
    ['{"resourceType": "Bundle", "type": "batch", "entry": [{]}', 'not-fhir'],
    ['{"name": "x"}', 'not-fhir'],
  ])('that is none says why: %j', async (text, reason) => {
    const refusal = await read(text).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UnreadableFile);
    expect(refusal).toMatchObject({ reason });
  });

  it('in another encoding, or too long, is refused before it is read', async () => {
    await expect(readFile(new Blob([new Uint8Array([0x1f, 0x8b, 0xff])]), 'x.gz')).rejects.toMatchObject({
      reason: 'text',
    });
    const long = Object.assign(new Blob([]), {});
    Object.defineProperty(long, 'size', { value: 100_000_001 });
    await expect(readFile(long, 'x.ndjson')).rejects.toMatchObject({ reason: 'long' });
  });

  it('leaves out lines of types that the server does not have, and says so of each', async () => {
    const lines = [
      '{"resourceType":"Patient"}',
      '{"resourceType":"Pateint"}',
      'x',
      '{"resourceType":"Patient"}',
    ];
    const plan = leaveUnknown(
      await readFile(new Blob([lines.join('\n')]), 'x.ndjson'),
      new Set(['Patient']),
      (type) => `no ${type}`,
    );
    expect(plan.planned.map(({ line }) => line)).toEqual([1, 4]);
    expect(plan.faults.map(({ line }) => line)).toEqual([2, 3]);
    expect(plan.faults[0]?.text).toBe('no Pateint');
  });

  it('is cut into the parts of a Bundle at the right places', async () => {
    const { members, entries } = await entriesOf(
      '{"type": "batch", "entry": [{"a": "}]\\"", "b": [1, {"c": 2}]}, {}]}',
    );
    expect([...members]).toEqual([['type', '"batch"']]);
    expect(entries.map((each) => [...each])).toEqual([
      [
        ['a', '"}]\\""'],
        ['b', '[1, {"c": 2}]'],
      ],
      [],
    ]);
    for (const text of ['{', '{"a"}', '{"a": ]}', '{"entry": [1 2]}', '{"a": 1,}', '{} {}'])
      await expect(entriesOf(text)).rejects.toThrow(SyntaxError);
  });
});
