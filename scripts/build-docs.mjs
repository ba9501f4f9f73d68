/**
 * Writes docs/reference/configuration.md and docs/reference/errors.md from src/config/table.ts, src/core/tenants/tenant-settings.ts and
 * src/core/errors.ts, and the table of settings
 * between its two marks in README.md. `--check` changes nothing and fails if one of them would change.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
execFileSync(process.execPath, [path.join(root, 'scripts', 'build.mjs'), '--if-stale'], { cwd: root });
const require = createRequire(import.meta.url);
const { settingNames, describeSetting } = require('../dist/src/config.js');
const { TENANT_SETTINGS } = require('../dist/src/core/tenants/tenant-settings.js');
const { LIMIT_SETTINGS } = require('../dist/src/core/limits/tenant-limits.js');
const { ERROR_CATALOGUE } = require('../dist/src/core/errors.js');

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
const code = (text) => (text === '' ? '' : `\`${text}\``);

function settingsTable() {
  const rows = settingNames().map((name) => {
    const { help, default: defaultText, expects, secret } = describeSetting(name);
    const value = expects === 'text' ? '' : ` Takes ${expects}.`;
    const hidden = secret ? ' Never shown.' : '';
    const shown = defaultText.includes(' ') ? defaultText : code(defaultText);
    return `| \`${name}\` | ${cell(shown)} | ${cell(`${help}.${value}${hidden}`)} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function tenantSettingsTable() {
  const rows = Object.values(TENANT_SETTINGS).map(
    ({ name, values, defaultFrom, meaning }) =>
      `| \`${name}\` | ${values.map(code).join(', ')} | \`${defaultFrom}\` | ${cell(meaning)}. |`,
  );
  const limits = LIMIT_SETTINGS.map(
    ({ name, expects, defaultFrom, meaning }) =>
      `| \`${name}\` | ${cell(expects)} | \`${defaultFrom}\` | ${cell(meaning)}. |`,
  );
  return ['| setting | values | default | meaning |', '|---|---|---|---|', ...rows, ...limits].join('\n');
}

function errorsTable() {
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([key, { status, code: issue, message }]) =>
      `| \`${key}\` | ${status} | \`${issue}\` | ${cell(message)} |`,
  );
  return ['| error | status | issue code | message |', '|---|---|---|---|', ...rows].join('\n');
}

const configuration = `# Configuration

*For operators. Generated from src/config/table.ts by \`npm run build:docs\`; change it there.*

Settings are environment variables. A file \`.env\` in the working directory is read too; the environment takes
precedence. An unset or empty variable has its default. A malformed or contradictory value stops the start, with one line
per fault. A variable that is probably a misspelled setting is a warning. \`andiron config\` shows the values in force and where each comes
from; \`andiron config --json\` shows them for programs.

${settingsTable()}

## Settings of a tenant

Generated from src/core/tenants/tenant-settings.ts. A tenant can override these settings of the server, which the third column
names.

${tenantSettingsTable()}

| | command | HTTP ([who may use it](../run/tenants.md)) |
|---|---|---|
| set | \`andiron tenant set acme validation=structure search-unknown=lenient\` | \`PATCH /w/system/api/v1/tenants/acme\` with \`{"settings":{"validation":"structure"}}\` |
| reset | \`andiron tenant set acme validation=\` | the same with \`null\` |
| show | \`andiron tenant show acme\` | \`GET /w/system/api/v1/tenants/acme\`; \`own\` lists the settings that the tenant overrides |

A change applies in every server process within 2 s, at once if Redis is reachable.
`;

const errors = `# Errors

*For developers of clients. Generated from src/core/errors.ts by \`npm run build:docs\`; change it there.*

Every error is answered as an OperationOutcome with the issue code below. GraphQL has the OperationOutcome in
\`extensions.resource\` and the issue code in \`extensions.code\`. Words in braces are replaced.

${errorsTable()}
`;

async function readOrEmpty(file) {
  return readFile(path.join(root, file), 'utf8').catch(() => '');
}

const BEGIN = '<!-- settings: made by npm run build:docs -->';
const END = '<!-- end of settings -->';

async function wanted() {
  const files = new Map([
    ['docs/reference/configuration.md', configuration],
    ['docs/reference/errors.md', errors],
  ]);
  const readme = await readOrEmpty('README.md');
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin >= 0 && end > begin) {
    files.set(
      'README.md',
      `${readme.slice(0, begin + BEGIN.length)}\n${settingsTable()}\n${readme.slice(end)}`,
    );
  }
  return files;
}

let stale = 0;
for (const [file, text] of await wanted()) {
  if ((await readOrEmpty(file)) === text) continue;
  stale += 1;
  if (process.argv.includes('--check')) {
    console.error(`${file} is out of date: run npm run build:docs`);
  } else {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
    console.log(`Wrote ${file}`);
  }
}
if (stale > 0 && process.argv.includes('--check')) process.exit(1);
