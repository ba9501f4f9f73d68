/** The comparison of schemas that `npm run check:breaking` makes with those that clients already use. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const SCRIPT = path.join(ROOT, 'scripts/check-schema-changes.mjs');

const BEFORE = 'type Query { patient(id: ID!): Patient } type Patient { id: ID name: String }';

const CASES = [
  [
    'a field that is gone',
    BEFORE.replace(' name: String', ''),
    ["Field 'name' was removed from object type 'Patient'"],
  ],
  [
    'an argument that became necessary',
    BEFORE.replace('id: ID!', 'id: ID!, at: Int!'),
    ["Argument 'at: Int!' added to field 'Query.patient'"],
  ],
  [
    'a field of another type',
    BEFORE.replace('name: String', 'name: Int'),
    ["Field 'Patient.name' changed type from 'String' to 'Int'"],
  ],
  ['no new field', BEFORE.replace('name: String', 'name: String age: Int'), []],
  ['no new argument that may be left out', BEFORE.replace('id: ID!', 'id: ID!, at: Int'), []],
] as const;

/** The findings of the script in each of the cases: one process, because loading its library takes a second. */
let found: readonly (readonly string[])[];
beforeAll(async () => {
  const program = `
    import { breakingChanges } from ${JSON.stringify(SCRIPT)};
    const [before, ...schemas] = process.argv.slice(1);
    console.log(JSON.stringify(await Promise.all(schemas.map((after) => breakingChanges(before, after)))));
  `;
  const schemas = CASES.map(([, after]) => after);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, BEFORE, ...schemas]);
  found = JSON.parse(stdout) as string[][];
});

it.each(CASES.map(([title, , messages], index) => [title, index, messages] as const))(
  'names %s',
  (_title, index, messages) => {
    expect(found[index]).toEqual(messages);
  },
);
