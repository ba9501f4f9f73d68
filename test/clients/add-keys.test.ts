/** Adding `_key` to documents, as examples/front-end/add-keys.ts does for all clients. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, parse, print, validate, type DocumentNode } from 'graphql';
import { keyAdder } from '../../examples/front-end/add-keys';
import { CACHE_FILES } from './front-end/cache-files';

const ROOT = path.join(__dirname, '../..');
const schema = buildSchema(readFileSync(path.join(ROOT, 'schema/r4.graphql'), 'utf8'), { assumeValid: true });
const addKeys = keyAdder(CACHE_FILES.nodeFields);

function withKeys(text: string): DocumentNode {
  const document = addKeys(parse(text));
  expect(validate(schema, document)).toEqual([]);
  return document;
}

it.each([
  [
    'below fields that return resources, and not below elements',
    '{ PatientList { name { family } } read(type: Patient, id: "1") { id } }',
    '{ PatientList { name { family } _key } read(type: Patient, id: "1") { id _key } }',
  ],
  [
    'in pages, references and what is contained',
    '{ PatientConnection { edges { resource { contained { id } managingOrganization { resource { id } } } } } }',
    '{ PatientConnection { edges { resource { contained { id _key } managingOrganization { resource { id _key } } _key } } } }',
  ],
  [
    'in fragments on resources, and not on elements',
    '{ Patient(id: "1") { ...P } } fragment P on Patient { name { ...N } } fragment N on HumanName { family }',
    '{ Patient(id: "1") { ...P _key } } fragment P on Patient { name { ...N } _key } fragment N on HumanName { family }',
  ],
  ['not twice', '{ Patient(id: "1") { _key } }', '{ Patient(id: "1") { _key } }'],
  [
    'not where a name means something else',
    '{ CompartmentDefinitionList { resource { code } } CapabilityStatementList { rest { resource { type } } } }',
    '{ CompartmentDefinitionList { resource { code } _key } CapabilityStatementList { rest { resource { type } } _key } }',
  ],
  [
    'in the results of changes and operations',
    'mutation { PatientUpdate(id: "1", res: {}) { resource { id } information { id } } }',
    'mutation { PatientUpdate(id: "1", res: {}) { resource { id _key } information { id _key } } }',
  ],
])('is done %s', (_title, before, after) => {
  expect(print(withKeys(before))).toBe(print(parse(after)));
});

it('leaves the documents of the tests valid', () => {
  const folder = path.join(ROOT, 'test/graphql/documents');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const valid = texts.filter((text) => validate(schema, parse(text)).length === 0);
  expect(valid.length).toBeGreaterThan(0);
  for (const text of valid) withKeys(text);
});
