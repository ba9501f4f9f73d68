/** Ways to get hidden data by changes, and to change hidden data. */
import type { Release } from '../../../src/core';
import { wordOf } from './data';
import { graphql, type Question } from './two-sides';

const WORD = wordOf(0);
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

/** Attempts of changes, one after the other; changes are made on both sides. */
export function writes(release: Release): readonly Question[] {
  const root = `/fhir/${release}`;
  const patchWith = (path: string, operations: readonly object[]): Question => ({
    method: 'PATCH',
    path: `${root}/${path}`,
    body: operations,
    headers: JSON_PATCH,
  });
  const fhirPath = (address: string, path: string, type: string, value?: object): Question => ({
    method: 'PATCH',
    path: `${root}/${address}`,
    body: {
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'operation',
          part: [
            { name: 'type', valueCode: type },
            { name: 'path', valueString: path },
            ...(value ? [value] : []),
          ],
        },
      ],
    },
  });
  const put = (
    resource: { resourceType: string; id: string; [name: string]: unknown },
    headers?: Question['headers'],
  ): Question => ({
    method: 'PUT',
    path: `${root}/${resource.resourceType}/${resource.id}`,
    body: resource,
    ...(headers === undefined ? {} : { headers }),
  });
  const condition = (
    method: string,
    url: string,
    body?: unknown,
    headers?: Question['headers'],
  ): Question => ({
    method,
    path: `${root}/${url}`,
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
  const born = { resourceType: 'Patient', gender: 'other', name: [{ family: 'Neu' }] };
  const patient = {
    resourceType: 'Patient',
    id: 'a',
    active: true,
    gender: 'female',
    name: [{ family: 'Abel' }],
  };
  const category = [
    {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }],
    },
  ];
  const observation = {
    ...{ resourceType: 'Observation', status: 'final', category, code: { text: 'weight' } },
    subject: { reference: 'Patient/a' },
  };
  const inside = {
    ...{ ...observation, id: 'v4', subject: { reference: '#p' } },
    contained: [{ resourceType: 'Patient', id: 'p', gender: 'male' }],
  };
  const bundle = { resourceType: 'Bundle', id: 'bun', type: 'collection' };
  const hiddenCriteria = [
    `identifier=${WORD}-mrn-1`,
    `telecom=${WORD}-phone`,
    `identifier:missing=true&gender=female`,
    `given=${WORD}-given`,
    `general-practitioner=Practitioner/p1`,
    `_has:Observation:subject:value-quantity=11`,
    `own-phone=${WORD}-phone`,
    `_content=${WORD}`,
    `_list=l1`,
  ];
  const test = (path: string, value: unknown): object => ({ op: 'test', path, value });
  const add = { op: 'add', path: '/language', value: 'de' };
  const entries = (type: 'batch' | 'transaction', entry: readonly object[]): Question => ({
    method: 'POST',
    path: root,
    body: { resourceType: 'Bundle', type, entry },
  });
  const conditional = hiddenCriteria.flatMap((criteria) => [
    condition('POST', 'Patient', born, { 'if-none-exist': criteria }),
    condition('PUT', `Patient?${criteria}`, born),
    condition('DELETE', `Patient?${criteria}`),
    { ...patchWith(`Patient?${criteria}`, [add]) },
    condition('GET', `Patient?${criteria}`),
  ]);
  const asEntries = hiddenCriteria.flatMap((criteria) => [
    { request: { method: 'POST', url: 'Patient', ifNoneExist: criteria }, resource: born },
    { request: { method: 'PUT', url: `Patient?${criteria}` }, resource: born },
    { request: { method: 'DELETE', url: `Patient?${criteria}` } },
    {
      request: { method: 'POST', url: 'Observation' },
      resource: { ...observation, subject: { reference: `Patient?${criteria}` } },
    },
  ]);
  const mutation = (text: string, variables?: object): Question => graphql(release, text, variables);
  return [
    // Patches that test values.
    patchWith('Patient/a', [test('/telecom/0/value', `${WORD}-phone`), add]),
    patchWith('Patient/a', [add]),
    patchWith('Patient/c', [test('/identifier', undefined)]),
    patchWith('Patient/c', [{ op: 'remove', path: '/identifier' }]),
    patchWith('Observation/v4', [test('/contained/0/telecom/0/value', `${WORD}-inside`), add]),
    patchWith('Observation/v4', [{ op: 'remove', path: '/contained/0/telecom' }]),
    patchWith('Observation/v4', [{ op: 'copy', from: '/contained/0/telecom/0/value', path: '/code/text' }]),
    patchWith('Bundle/bun', [test('/entry/1/resource/telecom/0/value', `${WORD}-held`)]),
    patchWith('Bundle/bun', [
      { op: 'move', from: '/entry/1/resource/telecom', path: '/entry/1/resource/contact' },
    ]),
    patchWith('Condition/c2', [add]),
    patchWith('Condition/c3', [add]),
    patchWith('Condition/none', [add]),
    patchWith('Condition/c1', [test('/code', WORD)]),
    fhirPath('Patient/a', "Patient.telecom.where(value = 'x')", 'delete'),
    fhirPath('Observation/v4', 'Observation.contained.where(telecom.exists()).gender', 'delete'),
    fhirPath('Observation/v4', 'Observation.contained.telecom', 'delete'),
    fhirPath('Bundle/bun', 'Bundle.entry.resource.telecom', 'delete'),
    // Updates by a client without full access.
    put(patient),
    put(patient, { 'if-match': 'W/"2"' }),
    put(patient, { 'if-match': 'W/"1"' }),
    put(patient, { 'if-none-match': '*' }),
    put(inside),
    put({ ...bundle, entry: [] }),
    put({ resourceType: 'Binary', id: 'bin', contentType: 'text/plain' }),
    put({ resourceType: 'Patient', id: 'new1', gender: 'other' }),
    put({ resourceType: 'Patient', id: 'new2', identifier: [{ value: WORD }] }),
    put({ ...observation, id: 'new3' }),
    put({ ...observation, id: 'new4', valueString: WORD }),
    put({
      ...inside,
      id: 'new5',
      contained: [{ resourceType: 'Patient', id: 'p', telecom: [{ value: WORD }] }],
    }),
    put({ ...inside, id: 'new6' }),
    condition('POST', 'Observation', observation, { prefer: 'return=representation' }),
    condition('POST', 'Observation', observation, { prefer: 'return=minimal' }),
    condition('POST', 'Patient', born, { prefer: 'return=OperationOutcome' }),
    condition('POST', 'Patient', { ...born, active: true }),
    condition('POST', 'Patient', {
      ...born,
      text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' },
    }),
    condition('POST', 'Patient/a/$meta-add', {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 't' }] } }],
    }),
    condition('POST', 'Observation/v4/$meta-add', {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 't' }] } }],
    }),
    ...conditional,
    condition('POST', 'Patient', born, { 'if-none-exist': 'family=Abel' }),
    condition('POST', 'Patient', born, { 'if-none-exist': 'family=Dorn', prefer: 'return=representation' }),
    condition(
      'POST',
      'Condition',
      {
        resourceType: 'Condition',
        subject: { reference: 'Patient/a' },
        clinicalStatus: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
        },
      },
      { 'if-none-exist': `code=${WORD}` },
    ),
    condition('DELETE', `Condition?code=${WORD}`),
    condition('DELETE', 'Flag/f1'),
    condition('DELETE', 'Condition/c3'),
    condition('DELETE', 'Condition/c2'),
    condition('PUT', 'Patient?family=Baker', { ...born, gender: 'male' }),
    ...asEntries.map((entry) => entries('transaction', [entry])),
    entries('batch', [
      ...asEntries,
      { request: { method: 'GET', url: `Patient?identifier=${WORD}-mrn-1` } },
      { request: { method: 'GET', url: 'Patient/a' } },
      { request: { method: 'GET', url: 'Patient/a', ifNoneMatch: 'W/"2"' } },
      { request: { method: 'PUT', url: 'Patient/a' }, resource: patient },
      { request: { method: 'GET', url: 'Observation/_history?_count=2' } },
    ]),
    entries('transaction', [
      { request: { method: 'GET', url: 'Patient?family=Abel' } },
      { request: { method: 'GET', url: 'Patient/a/$everything' } },
      { request: { method: 'POST', url: 'Observation' }, resource: observation },
    ]),
    entries('transaction', [
      { request: { method: 'PUT', url: 'Observation/v4' }, resource: inside },
      { request: { method: 'POST', url: 'Observation' }, resource: observation },
    ]),
    entries('transaction', [
      {
        request: { method: 'PATCH', url: 'Observation/v4' },
        resource: {
          ...{ resourceType: 'Binary', contentType: 'application/json-patch+json' },
          data: Buffer.from(
            JSON.stringify([test('/contained/0/telecom/0/value', `${WORD}-inside`)]),
          ).toString('base64'),
        },
      },
    ]),
    // By GraphQL.
    ...hiddenCriteria.flatMap((criteria) => [
      mutation(
        'mutation($r: ResourceInput!, $c: String) { create(resource: $r, ifNoneExist: $c, dryRun: true) { created resource { id } } }',
        {
          r: born,
          c: criteria,
        },
      ),
      mutation(
        'mutation($r: ResourceInput!, $c: String) { update(resource: $r, criteria: $c, dryRun: true) { created } }',
        {
          r: born,
          c: criteria,
        },
      ),
      mutation(
        'mutation($c: String) { patch(type: Patient, criteria: $c, patch: [{op: add, path: "/language", value: "de"}], dryRun: true) { versionId } }',
        { c: criteria },
      ),
      mutation('mutation($c: String) { delete(type: Patient, criteria: $c, dryRun: true) { versionId } }', {
        c: criteria,
      }),
    ]),
    mutation(
      `mutation { patch(type: Patient, id: "a", patch: [{op: test, path: "/telecom/0/value", value: "${WORD}-phone"}], dryRun: true) { versionId } }`,
    ),
    mutation(
      `mutation { patch(type: Observation, id: "v4", patch: [{op: test, path: "/contained/0/telecom/0/value", value: "${WORD}-inside"}], dryRun: true) { versionId resource { json } } }`,
    ),
    mutation(
      `mutation { ObservationPatch(id: "v4", patch: [{op: remove, path: "/contained/0/telecom"}], dryRun: true) { resource { json } } }`,
    ),
    mutation(
      'mutation($r: ResourceInput!) @atomic { one: create(resource: $r) { resource { json } } two: update(resource: {resourceType: "Patient", id: "a"}) { versionId } }',
      { r: born },
    ),
    mutation(
      'mutation($r: ResourceInput!) { PatientUpdate(id: "a", res: $r, dryRun: true) { resource { json } } }',
      {
        r: patient,
      },
    ),
    mutation(
      'mutation($r: ResourceInput!) { PatientCreate(res: $r, ifNoneExist: "family=Abel") { location resource { json } } }',
      {
        r: born,
      },
    ),
    mutation(
      'mutation { ConditionDelete(id: "c3", dryRun: true) { information { issue { diagnostics } } } }',
    ),
    mutation('mutation { delete(type: Observation, id: "h1", dryRun: true) { versionId } }'),
    condition('DELETE', 'Observation/v3', undefined, { prefer: 'return=representation' }),
    condition('GET', 'Observation/v3'),
    condition('GET', 'Observation/v3/_history'),
    condition('DELETE', 'Patient/c'),
    condition('GET', 'Patient/c/_history'),
    condition('GET', '_history?_count=20'),
  ];
}
