/** Adding `_key` to documents, as examples/front-end/add-keys.ts does for all clients. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, parse, print, validate, type DocumentNode } from 'graphql';
import { keyAdder } from '../../examples/front-end/add-keys';
import { readBlocks } from '../support/page-blocks';
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

it('is done by graphql-codegen as the docs say, so that the types have the keys', async () => {
  const blocks = await readBlocks('use/front-end.md');
  const configuration = blocks.find(({ text }) => text.includes('documentTransforms'))?.text ?? '';
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-codegen-'));
  try {
    await mkdir(path.join(folder, 'src'));
    await writeFile(path.join(folder, 'codegen.ts'), configuration);
    await writeFile(
      path.join(folder, 'src', 'birth-date.tsx'),
      `import { graphql } from './gql';
       export const birthDate = graphql(/* GraphQL */ \`query BirthDate { Patient(id: "1") { birthDate } }\`);`,
    );
    for (const [name, target] of [
      ['node_modules', 'node_modules'],
      ['add-keys.ts', 'examples/front-end/add-keys.ts'],
      ['nodeFields.json', 'schema/r4.nodeFields.json'],
      ['schema.graphql', 'schema/r4.graphql'],
    ] as const)
      await symlink(path.join(ROOT, target), path.join(folder, name));
    await promisify(execFile)(
      process.execPath,
      ['node_modules/.bin/graphql-codegen', '--config', 'codegen.ts'],
      {
        cwd: folder,
      },
    );
    const types = await readFile(path.join(folder, 'src', 'gql', 'graphql.ts'), 'utf8');
    expect(types).toMatch(/export type BirthDateQuery = .*birthDate.*_key: string/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
