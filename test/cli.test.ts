import { execFile, type ExecFileException } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '..');

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

describe('andiron', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'andiron-cli-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd: folder, env: { PATH: process.env['PATH'], ...environment } };
      const cli = path.join(ROOT, 'dist', 'src', 'cli.js');
      execFile(
        process.execPath,
        [cli, ...args],
        options,
        (error: ExecFileException | null, output, errors) => {
          resolve({ code: Number(error?.code ?? 0), output, errors });
        },
      );
    });
  }

  beforeAll(async () => {
    await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--if-stale'], { cwd: ROOT });
  });

  it('lists its commands', async () => {
    const { code, output } = await run(['--help']);
    expect(code).toBe(0);
    for (const name of ['serve', 'quickstart', 'migrate', 'tenant', 'import-package', 'reindex', 'config'])
      expect(output).toContain(`\n  ${name} `);
  });

  it('names its version', async () => {
    const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await run(['--version'])).toEqual({ code: 0, output: `andiron ${version}\n`, errors: '' });
  });

  it('explains the options of a command', async () => {
    const { output } = await run(['quickstart', '--help']);
    for (const option of ['--port', '--host', '--data', '--empty'])
      expect(output).toContain(`\n  ${option} `);
  });

  it.each([
    [['sing'], "'sing' is not a command"],
    [['quickstart', '--loud'], "Unknown option '--loud'"],
    [
      ['tenant', 'sell', 'acme'],
      'andiron tenant list | create NAME [SETTING=VALUE …] | disable NAME | enable NAME',
    ],
    [
      ['tenant', 'create'],
      'andiron tenant list | create NAME [SETTING=VALUE …] | disable NAME | enable NAME',
    ],
  ])('answers %j with one line and code 1', async (args, words) => {
    const { code, errors, output } = await run(args);
    expect(code).toBe(1);
    expect(output).toBe('');
    expect(errors).toMatch(/^andiron: [^\n]*\n$/);
    expect(errors).toContain(words);
  });

  it('shows all settings, and secrets masked', async () => {
    const { code, output } = await run(['config'], { FHIR_DATABASE_PASSWORD: 'swordfish', PORT: '8080' });
    expect(code).toBe(0);
    expect(output).toContain('PORT=8080\n');
    expect(output).toContain('FHIR_DATABASE_PASSWORD=********\n');
    expect(output).not.toContain('swordfish');
  });

  it('reads .env of the working directory, which the environment overrides', async () => {
    writeFileSync(path.join(folder, '.env'), 'PORT=8081\nLOG_LEVEL=debug\n');
    const { output } = await run(['config'], { LOG_LEVEL: 'warn' });
    expect(output).toContain('PORT=8081\n');
    expect(output).toContain('LOG_LEVEL=warn\n');
    rmSync(path.join(folder, '.env'));
  });

  it('does not start with malformed settings, and prints each fault on a line of its own', async () => {
    const { code, errors } = await run(['serve'], { PORT: 'http', REDIS_PORT: '0' });
    expect(code).toBe(1);
    expect(errors.trim().split('\n')).toEqual([
      expect.stringContaining('andiron: REDIS_PORT must be'),
      expect.stringContaining('andiron: PORT must be'),
    ]);
  });
});
