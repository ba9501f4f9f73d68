/** The comparison of schemas that `npm run check` makes with those that clients already use. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(__dirname, '../..');
const SCRIPT = path.join(ROOT, 'scripts/check-schema-changes.mjs');

async function breakingChanges(before: string, after: string): Promise<readonly string[]> {
  const program = `
    import { breakingChanges } from ${JSON.stringify(SCRIPT)};
    console.log(JSON.stringify(await breakingChanges(...process.argv.slice(1))));
  `;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program, before, after]);
  return JSON.parse(stdout) as string[];
}

const BEFORE = 'type Query { patient(id: ID!): Patient } type Patient { id: ID name: String }';

it.each([
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
])('names %s', async (_title, after, messages) => {
  expect(await breakingChanges(BEFORE, after)).toEqual(messages);
});

it('finds none in the schema of this program', async () => {
  await run(process.execPath, [SCRIPT], { cwd: ROOT });
});
