/** Every command line that the help of `andiron` shows, in the order of the commands. */
import { generateKeyPairSync } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ANDIRON } from '../../src/cli/commands';
import { commandsOf, toTyped } from '../../src/cli/help';
import { findFreePort } from '../../src/embedded/free-port';
import { packResources } from '../packages/make-package';
import { openRegistry, type Registry } from '../packages/open-registry';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';
import { createShell, type Shell } from '../support/run-command';

const EXAMPLES = commandsOf('andiron', ANDIRON).flatMap(({ path: command, command: { examples } }) =>
  examples.map((example) => ({ command, line: toTyped(example) })),
);
/** The output of a command that runs until it is stopped. */
const STARTED: Readonly<Record<string, string>> = {
  'andiron serve': '"msg":"listening"',
  'andiron quickstart': 'Ctrl-C stops everything',
};

/** What commands answer where nobody has made what their example names, or the database is not distributed. */
const ABSENT: Readonly<Record<string, RegExp>> = {
  'andiron user remove-second-factor':
    /^andiron: The user '[^']+' does not exist, or has no second factor\n$/,
  'andiron access Observation/f001': /^andiron: Observation\/f001 does not exist\n$/,
  'andiron subscription off':
    /^andiron: Subscription\/ward-7 of tenant acme is not switched off: it does not exist/,
  'andiron subscription on':
    /^andiron: Subscription\/ward-7 of tenant acme is not switched on: it does not exist/,
  // Citus is in no package that a test can install; test/citus has it.
  'andiron distribute': /^andiron: The database has no extension citus: /,
  'andiron nodes': /^andiron: The database is not distributed: /,
  // What LOINC publishes may not be copied here.
  'andiron import-terminology Loinc_2.81': /^andiron: .*Loinc/,
  'andiron tenant move': /^andiron: The database is not distributed: /,
};

let database: TestDatabase;
let registry: Registry;
let shell: Shell;
/** Ids that earlier examples have printed, by the word of the help. */
const ids = new Map<string, string>();

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-examples-'));
  // PostgreSQL of a quick start runs as another user where this is root.
  await chmod(folder, 0o755);
  database = await createTestDatabase();
  registry = await openRegistry();
  shell = await createShell(folder, {
    ...toEnvironment(database),
    ...{
      LOG_LEVEL: 'info',
      XDG_STATE_HOME: path.join(folder, '.state'),
      PUBLIC_URL: 'http://localhost:3000',
    },
    ...{ PACKAGE_REGISTRY: registry.address, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' },
  });
  await writeInputs(folder);
});
afterAll(async () => {
  await registry.close();
  await database.drop();
  await rm(shell.folder, { recursive: true, force: true });
});

/** The files and packages that examples name. */
async function writeInputs(folder: string): Promise<void> {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'warehouse-1', alg: 'ES384', use: 'sig' };
  await writeFile(path.join(folder, 'keys.json'), JSON.stringify({ keys: [key] }));
  const policy = { rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['status=final'] }] };
  await writeFile(path.join(folder, 'catalogue.csv'), 'code,display,parent\nroom,Room,\nbed,Bed,room\n');
  await writeFile(path.join(folder, 'ward.json'), JSON.stringify(policy));
  const observation = { resourceType: 'Observation', id: 'o1', status: 'final', code: { text: 'Pulse' } };
  await writeFile(path.join(folder, 'Patient.ndjson'), '{"resourceType":"Patient","id":"ana"}\n');
  await writeFile(path.join(folder, 'Observation.ndjson.gz'), gzipSync(`${JSON.stringify(observation)}\n`));
  const valueSet = { resourceType: 'ValueSet', url: 'http://ward.example/rooms', status: 'active' };
  const resources = {
    'ValueSet-rooms.json': valueSet,
    'example/Patient-ana.json': { resourceType: 'Patient', id: 'ana' },
  };
  const ips = { name: 'hl7.fhir.uv.ips', version: '2.0.0', fhirVersions: ['4.0.1'] };
  await registry.publish(ips.name, ips.version, await packResources(folder, ips, resources));
  const guide = await packResources(folder, { ...ips, name: 'guide.example' }, resources);
  await copyFile(guide, path.join(folder, 'guide.tgz'));
}

function noteIds(output: string): void {
  for (const [word, pattern] of [
    ['CLIENT_ID', /^client_id=(.+)$/m],
    ['SECRET_ID', /^secret_id=(.+)$/m],
    ['USER_ID', /^user_id=(.+)$/m],
  ] as const) {
    const [, id] = pattern.exec(output) ?? [];
    if (id !== undefined && !ids.has(word)) ids.set(word, id);
  }
}

it.each(EXAMPLES)('$line', async ({ command, line }) => {
  const known = line.replace(/\b(?:CLIENT|SECRET|USER)_ID\b/g, (word) => ids.get(word) ?? word);
  const written = known.replace('8080', String(await findFreePort()));
  const text = STARTED[command];
  const { code, output, errors } =
    text === undefined ? await shell.run(written) : await (await shell.start(written, text)).stop();
  const told = errors
    .replace(/^The \w+ is not shown again\n/, '')
    .replace(/^andiron: The export has the secrets in the headers of Subscriptions\. .*\n/, '');
  const absent = Object.entries(ABSENT).find(([begin]) => line.includes(begin))?.[1];
  expect({ code, errors: told }).toEqual({
    code: absent === undefined ? 0 : 1,
    errors: absent === undefined ? '' : expect.stringMatching(absent),
  });
  if (absent === undefined && line.includes('--json')) expect(typeof JSON.parse(output)).toBe('object');
  noteIds(output);
});

it('the examples have done what they say', async () => {
  const { output } = await shell.run('andiron tenant list');
  const clinics = Array.from({ length: 1_000 }, (_none, index) => `clinic-${index + 1}`);
  expect([...output.matchAll(/^\S+/gm)].map(String)).toEqual(
    ['acme', 'acme-3', 'acme-4', ...clinics, 'nord', 'system'].toSorted(),
  );
  expect(await readFile(path.join(shell.folder, 'acme.ndjson'), 'utf8')).toMatch(/^\{[^]*\}\n$/);
});
