/** While a body of 2 MB is worked on, the server's own thread is free for others. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { heldFor, PROBED } from '../support/loop-hold';
import { startProcess, type ServerProcess } from '../support/process';

const PARSE_TIME = path.resolve(__dirname, '..', 'support', 'parse-time.cjs');
/** Other load of the machine only adds time: the shortest of several times counts. */
const ROUNDS = 20;

let server: ServerProcess;
beforeAll(async () => {
  server = await startProcess({ environment: PROBED });
});
afterAll(() => server.close());

/** The time that the main thread would be blocked if it parsed the text, before any further work. */
function timeToParse(text: string): number {
  return Number(execFileSync(process.execPath, [PARSE_TIME], { input: text, encoding: 'utf8' }));
}

const MEGABYTES = 2_000_000;
/** As many as make 2 MB. */
function many(make: (index: number) => object): object[] {
  const { length } = JSON.stringify(make(10_000));
  return Array.from({ length: Math.ceil(MEGABYTES / (length + 1)) }, (_, index) => make(index));
}

const patient = {
  resourceType: 'Patient',
  // Small parts, as in resources: parsing takes longer than copying the text, which each step has to do once.
  extension: many((index) => ({ url: 'urn:a', valueQuantity: { value: index + 0.5, unit: 'a' } })),
};
const valueSet = {
  resourceType: 'ValueSet',
  status: 'draft',
  compose: {
    include: [{ system: 'http://example.org/a', concept: many((index) => ({ code: `c${index}` })) }],
  },
};
const profile = {
  resourceType: 'StructureDefinition',
  url: 'http://example.org/a',
  name: 'A',
  status: 'draft',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  extension: patient.extension,
  differential: { element: [{ id: 'Patient.name', path: 'Patient.name', min: 1 }] },
};
const parameters = (name: string, resource: object, ...others: object[]): object => ({
  resourceType: 'Parameters',
  parameter: [{ name, resource }, ...others],
});
const page = [{ name: 'count', valueInteger: 10 }];
const CREATE = 'mutation($r: ResourceInput!) { create(resource: $r) { versionId } }';
const INVOKE =
  'mutation($p: ParametersInput) { invoke(code: "expand", type: ValueSet, parameters: $p) { json } }';
const GRAPHQL = '/w/system/api/v1/graphql/r4';
const FHIR = '/w/system/api/v1/fhir/r4';
const JSON_TYPE = { 'content-type': 'application/json' };

it.each<[string, string, object]>([
  ['a resource by REST', `${FHIR}/Patient`, patient],
  ['a resource in a variable of GraphQL', GRAPHQL, { query: CREATE, variables: { r: patient } }],
  [
    'an operation by GraphQL',
    GRAPHQL,
    { query: INVOKE, variables: { p: parameters('valueSet', valueSet, ...page) } },
  ],
  ['$validate', `${FHIR}/$validate`, patient],
  ['ValueSet/$expand', `${FHIR}/ValueSet/$expand`, parameters('valueSet', valueSet, ...page)],
  [
    'StructureDefinition/$snapshot',
    `${FHIR}/StructureDefinition/$snapshot`,
    parameters('definition', profile),
  ],
])('%s blocks it for less time than parsing', async (_title, address, body) => {
  const text = JSON.stringify(body);
  const parsing = timeToParse(text);
  let held = Infinity;
  for (let round = 0; round < ROUNDS && held >= parsing; round++) {
    await heldFor(server);
    const { status } = await server.request('POST', address, text, JSON_TYPE);
    expect([200, 201]).toContain(status);
    held = Math.min(held, await heldFor(server));
  }
  expect(held).toBeLessThan(parsing);
});
