import { execFile, type ExecFileException } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VERSION } from '../src/core/version';
import { runHere } from './support/command-here';
import { CLI, type Ended } from './support/run-command';

describe('andiron', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'andiron-cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** As a process of its own: what only one has is `.env`, and a server that starts. */
  function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return new Promise((resolve) => {
      // A quick start of this user is none of its business.
      const env = { PATH: process.env['PATH'], XDG_STATE_HOME: folder, ...environment };
      execFile(
        process.execPath,
        [CLI, ...args],
        { cwd: folder, env },
        (error: ExecFileException | null, output, errors) => {
          resolve({ code: Number(error?.code ?? 0), output, errors });
        },
      );
    });
  }

  it('lists its commands', async () => {
    const { code, output } = await runHere(['--help']);
    expect(code).toBe(0);
    for (const name of ['serve', 'quickstart', 'migrate', 'tenant', 'import-package', 'reindex', 'config'])
      expect(output).toContain(`\n  ${name} `);
  });

  it('names its version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, output: `andiron ${VERSION}\n`, errors: '' });
  });

  it('explains the options of a command', async () => {
    const { output } = await runHere(['quickstart', '--help']);
    for (const option of ['--port', '--host', '--data', '--empty'])
      expect(output).toContain(`\n  ${option} `);
  });

  it.each([
    [['sing'], "'sing' is not a command. See npx --no-install andiron --help"],
    [['tenat', 'list'], "'tenat' is not a command; did you mean tenant? See npx --no-install andiron --help"],
    [['quickstart', '--loud'], "'--loud' is not an option of andiron quickstart"],
    [['tenant', 'sell', 'acme'], "'sell' is not a command of andiron tenant"],
    [['tenant'], 'A command of andiron tenant is missing: list, create, '],
    [
      ['tenant', 'create'],
      'NAME is missing: npx --no-install andiron tenant create [NAME …] [SETTING=VALUE …] [options]. See ',
    ],
    [
      ['client', 'list'],
      '--tenant is missing: name of the tenant. See npx --no-install andiron client list --help',
    ],
    [['tenant', 'delete', 'acme', '--confirm', 'acme-2'], 'This permanently deletes tenant acme'],
    [['reindex', '--release', 'r5'], '--release must be r4 or r4b'],
  ])('answers the wrong command line %j with one line and code 2', async (args, words) => {
    const { code, errors, output } = await runHere(args);
    expect(code).toBe(2);
    expect(output).toBe('');
    expect(errors).toMatch(/^andiron: [^\n]*\n$/);
    expect(errors).toContain(words);
  });

  it('ends a wrong command line with code 2 for the shell', async () => {
    const errors = "andiron: 'sing' is not a command. See npx --no-install andiron --help\n";
    expect(await run(['sing'])).toEqual({ code: 2, output: '', errors });
  });

  it('shows all settings, and secrets masked', async () => {
    const environment = { FHIR_DATABASE_PASSWORD: 'swordfish', PORT: '8080' };
    const { code, output } = await runHere(['config'], { environment });
    expect(code).toBe(0);
    expect(output).toContain('PORT=8080\n');
    expect(output).toContain('FHIR_DATABASE_PASSWORD=********\n');
    expect(output).not.toContain('swordfish');
  });

  it('reads .env of the working directory, which the environment overrides, and shows the sources of settings as one JSON document', async () => {
    writeFileSync(
      path.join(folder, '.env'),
      'PORT=8081\nLOG_LEVEL=debug\nFHIR_DATABASE_PASSWORD=swordfish\n',
    );
    const { code, output, errors } = await run(['config', '--json'], { LOG_LEVEL: 'warn' });
    rmSync(path.join(folder, '.env'));
    const { settings } = JSON.parse(output) as { settings: readonly { readonly name: string }[] };
    const of = (name: string): unknown => settings.find((setting) => setting.name === name);
    expect([code, errors]).toEqual([0, '']);
    expect(of('PORT')).toEqual({
      ...{ name: 'PORT', value: '8081', source: '.env', default: '3000' },
      meaning: 'Port to listen on; 0 uses a free port',
    });
    expect(of('LOG_LEVEL')).toMatchObject({ value: 'warn', source: 'the environment', default: 'info' });
    expect(of('REDIS_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' });
    expect(of('FHIR_DATABASE_PASSWORD')).toMatchObject({ value: '********', source: '.env' });
  });

  it('warns of a variable that is probably a misspelled setting', async () => {
    const environment = { FHIR_DATABSE_HOST: 'db.internal' };
    const { code, errors } = await runHere(['config'], { environment });
    expect([code, errors]).toEqual([
      0,
      'andiron: FHIR_DATABSE_HOST is not a setting; did you mean FHIR_DATABASE_HOST?\n',
    ]);
  });

  it('does not start with malformed settings, and prints each fault on a line of its own, with .env where it comes from there', async () => {
    writeFileSync(path.join(folder, '.env'), 'PORT=http\n');
    const { code, errors } = await run(['serve'], { REDIS_PORT: '0' });
    rmSync(path.join(folder, '.env'));
    expect(code).toBe(1);
    expect(errors.trim().split('\n')).toEqual([
      expect.stringMatching(/^andiron: REDIS_PORT must be [^(]*$/),
      "andiron: PORT must be a whole number from 0 to 65535; it is 'http' (PORT comes from .env)",
    ]);
  });

  it('names the settings of a database that cannot be reached, in one line', async () => {
    const settings = { FHIR_DATABASE_HOST: '127.0.0.1', FHIR_DATABASE_PORT: '1', METRICS_ADDRESS: 'off' };
    const environment = { ...settings, LOG_LEVEL: 'error' };
    const ended = {
      ...{ code: 1, output: '' },
      errors:
        'andiron: PostgreSQL at 127.0.0.1, port 1, cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT\n',
    };
    expect(await run(['serve'], environment)).toEqual(ended);
    expect(await runHere(['tenant', 'list'], { environment })).toEqual(ended);
  });

  it('names the option or setting of a file that cannot be read', async () => {
    const create = ['client', 'create', '--tenant', 'acme', '--jwks', 'no.json'];
    expect(await runHere(create)).toEqual({
      ...{ code: 1, output: '' },
      errors: 'andiron: The file no.json of --jwks cannot be read: it does not exist\n',
    });
    const environment = { FHIR_DATABASE_SSL: 'true', FHIR_DATABASE_CA_FILE: 'no.pem' };
    expect((await runHere(['tenant', 'list'], { environment })).errors).toBe(
      "andiron: FHIR_DATABASE_CA_FILE names a file that cannot be read; it is 'no.pem'\n",
    );
  });
});
