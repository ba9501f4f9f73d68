/**
 * Makes the types of GraphQL documents of the console and of the tests (test/clients/codegen.ts), and of the addresses of
 * administration. `--check` fails when they would change.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const packages = path.join(root, 'test/clients/node_modules');
const check = process.argv.includes('--check') ? ['--check'] : [];

function run(program, ...given) {
  // The generators look for their plugins where they run, not beside themselves.
  const env = { ...process.env, NODE_PATH: packages };
  const { status } = spawnSync(process.execPath, [program, ...given], { cwd: root, env, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

run('scripts/install-apart.mjs', 'test/clients');
run(path.join(packages, '.bin/graphql-codegen'), '--config', 'test/clients/codegen.ts', ...check);
const types = 'console/src/__generated__/administration.ts';
const openapi = 'schema/administration.openapi.json';
run(path.join(packages, '.bin/openapi-typescript'), openapi, '--output', types, ...check);
