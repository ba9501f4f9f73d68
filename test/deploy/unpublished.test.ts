/** The package is not published: a stranger who registers its name would run programs on the machines of our readers. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ANDIRON } from '../../src/cli/commands';
import { ROOT } from '../support/deployment-files';

/** Files that readers and operators see. */
const SHOWN = [
  '*.md',
  'docs',
  'src',
  'console',
  'deploy',
  'examples',
  'package.json',
  'Dockerfile',
  'compose.yaml',
];
/** Commands that ask the registry for the name. `npx --no-install andiron` never does, and a path or file is none. */
const FROM_REGISTRY = [
  /\bnpx (?!(?:-\S+ )*--no-install )(?:-\S+ )*andiron\b(?![\w./-])/,
  /\bnpm (?:exec|x|create|init) (?:-\S+ )*andiron\b(?![\w./-])/,
  /\b(?:npm|pnpm|yarn|bun) (?:install|i|add|global add) (?:[^\s&|;`]+ )*andiron(?:@\S*)?(?=[\s`'"]|$)/,
  /\b(?:pnpm|yarn|bun) (?:dlx|x) (?:-\S+ )*andiron\b/,
];

const faultsIn = (text: string): readonly string[] =>
  text.split('\n').filter((line) => FROM_REGISTRY.some((pattern) => pattern.test(line)));

it('is found in a clone as its pages type it', () => {
  const options = { cwd: ROOT, encoding: 'utf8' } as const;
  expect(execFileSync('npx', ['--no-install', 'andiron', '--version'], options)).toMatch(
    /^andiron \d+\.\d+\.\d+$/m,
  );
});

it('is run by no command that would take it from the registry', () => {
  const tracked = execFileSync('git', ['ls-files', '-z', ...SHOWN], { cwd: ROOT, encoding: 'utf8' });
  const files = tracked.split('\0').filter((file) => !/\.(?:png|gz)$/.test(file) && file !== '');
  expect(files.length).toBeGreaterThan(100);
  const faults = files.flatMap((file) =>
    faultsIn(readFileSync(path.join(ROOT, file), 'utf8')).map((line) => `${file}: ${line}`),
  );
  expect(faults).toEqual([]);
});

it.each([
  'npx andiron quickstart',
  'npx -y andiron quickstart',
  'run `npx andiron tenant list` here',
  'npm install -g andiron',
  'npm i andiron@latest',
  'npm exec andiron',
  'yarn add andiron',
  'pnpm dlx andiron serve',
])('finds %s', (line) => {
  expect(faultsIn(line)).toEqual([line]);
});

it.each([
  'npm install ./andiron-0.1.0.tgz && npx --no-install andiron quickstart',
  'npx --no-install andiron quickstart',
  'npm install @andiron/console',
  'docker run andiron',
])('allows %s', (line) => {
  expect(faultsIn(line)).toEqual([]);
});

/** The commands of `andiron` that a line of a program shows as they cannot be typed in a clone. */
function untypedIn(text: string): readonly string[] {
  const names = ANDIRON.commands.map(({ name }) => name).join('|');
  const command = new RegExp(`(?<!--no-install )\\bandiron (?:${names})\\b`);
  return (
    text
      .split('\n')
      // Comments are not shown; the help completes the lines of examples.
      .filter((line) => !/^\s*(?:\/?\*|\/\/)|\bline: ['"]/.test(line) && command.test(line))
  );
}

it('is typed in every text of the program and the console as it works in a clone', () => {
  const tracked = execFileSync('git', ['ls-files', '-z', 'src', 'console/src'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const files = tracked.split('\0').filter((file) => /\.tsx?$/.test(file) && !file.includes('__generated__'));
  expect(files.length).toBeGreaterThan(100);
  const faults = files.flatMap((file) =>
    untypedIn(readFileSync(path.join(ROOT, file), 'utf8')).map((line) => `${file}: ${line}`),
  );
  expect(faults).toEqual([]);
  expect(untypedIn("  'until andiron reindex has run'")).toHaveLength(1);
  expect(untypedIn("  'until npx --no-install andiron reindex has run'\n// andiron reindex")).toEqual([]);
});
