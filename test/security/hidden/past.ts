/** Ways to get hidden data from the past, at moments between all changes of both sides. */
import type { Release } from '../../../src/core';
import { CHANGES, wordOf } from './data';
import { graphql, type Question } from './two-sides';

const WORD = wordOf(0);

const PATIENT = `id text { div } identifier { value } telecom { value } name { given family } contact { telecom { value } name { text } }
  extension { url valueString } _birthDate { extension { valueString } } generalPractitioner { reference }
  meta { versionId tag { code } } json`;
const OBSERVATION = `id valueQuantity { value } valueString note { text } performer { reference } component { referenceRange { text } }
  subject { reference resource(optional: true) { ... on Patient { telecom { value } identifier { value } } } }
  contained { ... on Patient { telecom { value } } } meta { versionId } json`;

/** All of them, at one moment. */
function textsAt(moment: string): readonly string[] {
  const asOf = `asOf: "${moment}"`;
  return [
    ...['a', 'b', 'c', 'd'].map((id) => `{ Patient(id: "${id}", ${asOf}) { ${PATIENT} } }`),
    `{ PatientList(${asOf}) { ${PATIENT} } }`,
    `{ PatientList(${asOf}, identifier: "${WORD}-mrn-0") { id } }`,
    `{ PatientList(${asOf}, identifier: "${WORD}-mrn-1") { id } }`,
    `{ PatientList(${asOf}, telecom: "${WORD}-phone") { id } }`,
    `{ PatientList(${asOf}, given: "${WORD}") { id } }`,
    `{ PatientList(${asOf}, family: "Abel") { ${PATIENT} } }`,
    `{ PatientList(${asOf}, general_practitioner: "Practitioner/p1") { id } }`,
    `{ PatientList(${asOf}, _sort: "given") { id } }`,
    `{ PatientList(${asOf}, _sort: "-identifier", _count: 1) { id } }`,
    `{ PatientList(${asOf}, _sort: "family") { id name { family given } } }`,
    `{ PatientList(${asOf}, _content: "${WORD}") { id } }`,
    `{ PatientList(${asOf}, _text: "${WORD}") { id } }`,
    `{ PatientList(${asOf}, _filter: "identifier eq ${WORD}-mrn-0") { id } }`,
    `{ PatientList(${asOf}, fhirpath: "telecom.exists()") { id } }`,
    `{ PatientList(${asOf}, fhirpath: "identifier.value = '${WORD}-mrn-0' or name.given.count() > 1") { id } }`,
    `{ PatientConnection(${asOf}, _count: 1) { count next last edges { resource { id } } } }`,
    `{ PatientConnection(${asOf}, where: { identifier: { missing: true } }) { count edges { resource { id } } } }`,
    `{ PatientConnection(${asOf}, where: { not: [{ telecom: { eq: "phone|${WORD}-phone" } }] }) { count } }`,
    `{ PatientConnection(${asOf}, where: { or: [{ given: { startsWith: "${WORD}" } }, { gender: { eq: male } }] }) { count } }`,
    `{ PatientConnection(${asOf}, where: { _has: { Observation: { subject: { value_quantity: { gt: "50" } } } } }) { count } }`,
    `{ ObservationList(${asOf}) { ${OBSERVATION} } }`,
    `{ ObservationList(${asOf}, value_quantity: "gt50") { id } }`,
    `{ ObservationList(${asOf}, subject: "Patient/a") { ${OBSERVATION} } }`,
    `{ ObservationList(${asOf}, performer: "Practitioner/p1") { id } }`,
    `{ ObservationConnection(${asOf}, _count: 1) { count next last edges { resource { id } } } }`,
    `{ v1: Observation(id: "v1", ${asOf}) { ${OBSERVATION} } v9: Observation(id: "v9", ${asOf}) { ${OBSERVATION} } h1: Observation(id: "h1", ${asOf}) { id } }`,
    // Seen at some of the moments and not now, or the other way about.
    `{ c2: Condition(id: "c2", ${asOf}) { json } c3: Condition(id: "c3", ${asOf}) { json } c4: Condition(id: "c4", ${asOf}) { json } c5: Condition(id: "c5", ${asOf}) { json } }`,
    `{ ConditionList(${asOf}) { id json } }`,
    `{ ConditionConnection(${asOf}, subject: "Patient/a") { count edges { resource { id json } } } }`,
    `{ ConditionConnection(${asOf}, code: "${WORD}") { count } }`,
    `{ ProcedureConnection(${asOf}, _count: 2) { count next edges { resource { id performedDateTime } } } }`,
    `{ ProcedureList(${asOf}, _sort: "date") { id } }`,
    `{ EncounterList(${asOf}) { id subject { reference } json } }`,
    `{ EncounterList(${asOf}, subject: "Patient/a") { id } }`,
    `{ FlagList(${asOf}) { id } Flag(id: "f1", ${asOf}) { id } }`,
    `{ List(id: "l1", ${asOf}) { entry { item { reference } } json } Bundle(id: "bun", ${asOf}) { json } Binary(id: "bin", ${asOf}) { data } }`,
    `{ Questionnaire(id: "ask", ${asOf}) { json } QuestionnaireResponse(id: "answer", ${asOf}) { json } }`,
    ...['Patient/a', 'Patient/c', 'Observation/v1', 'Observation/h1', 'Condition/c4', 'Bundle/bun'].map(
      (address) => {
        const [type, id] = address.split('/');
        return `{ read(type: ${type}, id: "${id}", ${asOf}) { type id versionId json } }`;
      },
    ),
    `{ search(type: Patient, ${asOf}) { total resources { id json } issues { code diagnostics } } }`,
    `{ search(type: Patient, query: "identifier=${WORD}-mrn-0", ${asOf}) { total resources { id } issues { code diagnostics } } }`,
    `{ search(type: Patient, query: "telecom:missing=true", ${asOf}) { total resources { id } } }`,
    `{ search(type: Patient, query: "_sort=-identifier", first: 1, ${asOf}) { resources { id } pageInfo { hasNextPage endCursor } } }`,
    `{ search(type: Patient, query: "own-phone=${WORD}-phone", ${asOf}) { total } }`,
    `{ search(type: Patient, query: "_summary=true", ${asOf}) { resources { json } } }`,
    `{ search(type: Observation, query: "own-inside=${WORD}-inside", ${asOf}) { total } }`,
    `{ search(type: Observation, query: "value-quantity=gt50", ${asOf}) { total resources { id } } }`,
    `{ search(type: Observation, query: "code=weight", total: ACCURATE, first: 2, ${asOf}) { total resources { id json } pageInfo { hasNextPage endCursor } } }`,
    `{ search(type: Observation, query: "subject:Patient.identifier=${WORD}-mrn-0", ${asOf}) { total } }`,
    `{ search(type: Condition, total: ACCURATE, first: 1, ${asOf}) { total resources { id } } }`,
    `{ search(type: Condition, compartment: { type: Patient, id: "a" }, ${asOf}) { total resources { id } } }`,
    `{ search(type: Encounter, compartment: { type: Patient, id: "a" }, ${asOf}) { total } }`,
    `{ search(type: Procedure, first: 1, ${asOf}) { total resources { id } pageInfo { hasNextPage endCursor } } }`,
    `{ search(type: Bundle, query: "own-held=${WORD}-held", ${asOf}) { total } }`,
  ];
}

const MOMENTS = Array.from({ length: CHANGES }, (_one, index) => `@moment:${index}@`);

/** GraphQL's `asOf`: before anything was there, after each change, and in a future. */
export function graphqlPast(release: Release): readonly Question[] {
  return ['2020-01-01T00:00:00Z', ...MOMENTS, '2099-01-01T00:00:00Z'].flatMap((moment) =>
    textsAt(moment).map((text) => graphql(release, text)),
  );
}

/** REST's histories of a moment, and since then; entries of batches. */
export function historiesOfThen(): readonly string[] {
  return MOMENTS.flatMap((moment) =>
    [
      '',
      'Patient/',
      'Condition/',
      'Observation/',
      'Flag/',
      'Patient/a/',
      'Condition/c4/',
      'Observation/v9/',
    ].flatMap((place) => [
      `${place}_history?_at=${moment}`,
      `${place}_history?_since=${moment}`,
      `${place}_history?_at=${moment}&_count=2`,
    ]),
  );
}
