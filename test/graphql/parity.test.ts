/**
 * Compiled execution has the results of graphql's own `execute`, over the whole schema of a release, our resolvers
 * and a database: the requests of the test of hidden data, the examples of HL7's page and documents with variables.
 * test/schema/execution-parity.test.ts has the corners of the language itself.
 */
import { execute, type ExecutionResult, type GraphQLSchema, parse, validate } from 'graphql';
import { type JsonValue, releaseDefinitions, stringifyJson } from '../../src/core';
import { compileOperation } from '../../src/gateway/execution/compile';
import { createGatewayContext, createSchema, type GatewayContext, ParsedCache } from '../../src/resolvers';
import { stringifyAround } from '../../src/schema/raw-json';
import { movers, observations, others, patients } from '../security/hidden/data';
import { graphqlReads } from '../security/hidden/graphql-reads';
import { openCore, type OpenedCore } from '../support/core';
import { readExamples } from '../support/examples';
import { TESTED_RELEASES } from '../support/releases';

type ParityDocument = readonly [text: string, variables?: Readonly<Record<string, unknown>>];

const OFFICIAL = [
  ...['Patient/example', 'Patient/f001', 'Observation/example', 'Observation/blood-pressure'],
  ...['Condition/example', 'Organization/f001', 'Encounter/example'],
];

/** The examples of HL7's page (http://hl7.org/fhir/R4/graphql.html), below the resource that they are about. */
const OF_HL7: readonly ParityDocument[] = [
  ['{ Patient(id: "example") { name { text given family } } }'],
  ['{ Patient(id: "example") { name(use: official) { text given(_count: 1) family } active @skip(if: true) id @include(if: true) } }'],
  ['{ Patient(id: "example") { name(fhirpath: "family.exists()") { text given family } telecom(system: phone, _offset: 1, _count: 2) { use value } } }'],
  ['{ Patient(id: "example") { contact { name { _family { myext: extension(url: "http://hl7.org/fhir/StructureDefinition/humanname-own-prefix") { value: valueString } } } } } }'],
  ['{ Patient(id: "example") { managingOrganization { reference resource(optional: true) { id ... on Organization { name } } } } }'],
  ['{ Patient(id: "example") { managingOrganization { resource { id } } birthDate _birthDate { extension { url valueDateTime } } } }'],
  ['{ Observation(id: "example") { valueQuantity { value unit } subject { who: resource { __typename ... on Patient { birthDate } ... on Group { name } } } } }'],
  ['{ Observation(id: "example") { subject { resource(type: Practitioner) { id } } } none: Observation(id: "nobody") { id } }'],
  ['{ Observation(id: "blood-pressure") { component { code { coding(_count: 1) { code } } valueQuantity { value } } } }'],
  ['query($id: ID!, $use: code) { Patient(id: $id) { name(use: $use) { family } json } }', { id: 'example', use: 'maiden' }],
  ['query($ids: [token], $some: Boolean!) { PatientList(_id: $ids, _sort: "_id") { id ...f @include(if: $some) } } fragment f on Patient { gender }', { ids: ['example', 'f001'], some: true }],
  ['query($ids: [token], $some: Boolean!) { PatientList(_id: $ids, _sort: "_id") { id ...f @include(if: $some) } } fragment f on Patient { gender }', { ids: ['example', 'f001'], some: false }],
  ['query($w: PatientWhere) { PatientConnection(where: $w) { count edges { mode score resource { id name { family } } } } }', { w: { family: { startsWith: 'chal' } } }],
  ['query($w: PatientWhere) { PatientConnection(where: $w) { count } }', { w: { familie: { startsWith: 'chal' } } }],
  ['query($n: Int!) { search(type: Patient, first: $n) { resources { id } } }', { n: 'three' }],
  ['query($n: Int!) { search(type: Patient, query: "_sort=_id", first: $n) { edges { cursor mode node { id } } pageInfo { hasNextPage } } }', { n: 2 }],
  ['{ a: PatientList(nonsense: 1) { id } }'],
  ['{ PatientList(birthdate: "yesterday") { id } Patient(id: "example") { id } }'],
  ['{ operations(level: TYPE, type: ValueSet) { code affectsState } metadata { fhirVersion resourceTypes } versionSequence }'],
  ['{ ValueSetExpand(url: "http://hl7.org/fhir/ValueSet/administrative-gender", filter: "fem") { expansion { total contains { code display } } } }'],
  ['{ CodeSystemLookup(system: "http://hl7.org/fhir/administrative-gender", code: "male") { parameter { name valueString } } }'],
  ['{ ConditionList(clinical_status: active, patient: example) { id subject { resource { id ... on Patient { ConditionConnection(_reference: patient, _count: 1) { count edges { resource { id } } } } } } } }'],
]; // prettier-ignore

function textOf({ data, errors }: ExecutionResult): string {
  const entries = (errors ?? []).map(({ message, path, locations }) => ({ message, path, locations }));
  entries.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  return stringifyAround({ data: data ?? null, errors: entries }, (value) =>
    stringifyJson(value as JsonValue, true),
  );
}

describe.each(TESTED_RELEASES)('documents over the schema of %s and a database', (release) => {
  let opened: OpenedCore;
  let schema: GraphQLSchema;
  const documents: readonly ParityDocument[] = [
    ...OF_HL7,
    ...graphqlReads(release).map(({ body }): ParityDocument => [(body as { query: string }).query]),
  ];

  const put = async (resources: readonly object[]): Promise<void> => {
    const entry = resources.map((resource) => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return { resource, request: { method: 'PUT', url: `${resourceType}/${id}` } };
    });
    const text = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
    await opened.core.interactions.bundle(await opened.context('system', release), { input: { text } });
  };

  beforeAll(async () => {
    opened = await openCore({ environment: { VALIDATION: 'structure' } });
    schema = createSchema(releaseDefinitions(release), { assumeValid: true });
    const official = readExamples(release).filter(({ type, id }) => OFFICIAL.includes(`${type}/${id}`));
    expect(official).toHaveLength(OFFICIAL.length);
    await put(official.map(({ text }) => JSON.parse(text) as object));
    for (const batch of [
      patients(0, 0),
      observations(0, 0),
      others(0),
      movers(0, 0),
      patients(0, 1).slice(0, 2),
    ])
      await put(batch);
  });
  afterAll(() => opened.close());

  const contextOf = async (): Promise<GatewayContext> =>
    createGatewayContext(opened.core, await opened.context('system', release), {
      settings: { extensionBase: 'https://andiron.example/fhir', maxDepth: 64 },
      parsed: new ParsedCache(),
    });

  async function compiled([text, variables]: ParityDocument): Promise<ExecutionResult> {
    const operation = compileOperation(schema, parse(text), undefined);
    if (!('run' in operation)) return { errors: operation };
    return operation.run({ context: await contextOf(), variables });
  }

  async function reference([text, variables]: ParityDocument): Promise<ExecutionResult> {
    return execute({
      schema,
      document: parse(text),
      contextValue: await contextOf(),
      ...(variables === undefined ? {} : { variableValues: variables }),
    });
  }

  it('are answered by compiled execution as by that of graphql, more than a hundred of them', async () => {
    const counts = { compared: 0, withoutErrors: 0, withErrors: 0 };
    const differing: unknown[] = [];
    for (const document of documents) {
      // Those that validation refuses come to no execution.
      if (validate(schema, parse(document[0])).length > 0) continue;
      const [ours, theirs] = [await compiled(document), await reference(document)];
      counts.compared++;
      if (theirs.errors === undefined) counts.withoutErrors++;
      else counts.withErrors++;
      if (textOf(ours) !== textOf(theirs))
        differing.push([document, textOf(ours).slice(0, 600), textOf(theirs).slice(0, 600)]);
    }
    expect(differing).toEqual([]);
    expect(counts.compared).toBeGreaterThan(100);
    expect(counts.withoutErrors).toBeGreaterThan(80);
    expect(counts.withErrors).toBeGreaterThan(4);
  });
});
