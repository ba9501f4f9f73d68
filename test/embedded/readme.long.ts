/** The command lines that README.md shows with a prompt, run beside a quick start, with the outputs that it shows. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../src/embedded/free-port';
import { createShell, type Shell } from '../support/run-command';

const ROOT = path.resolve(__dirname, '..', '..');

interface Step {
  readonly heading: string;
  readonly line: string;
  /** The output that README.md shows after it. */
  readonly shown: string;
}

/** A command ends where the shell finds it complete. */
function isComplete(line: string): boolean {
  if (line.endsWith('\\')) return false;
  try {
    execFileSync('sh', ['-n', '-c', line], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function readSteps(): readonly Step[] {
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const sections = readme.split(/^#+ /m).slice(1);
  return sections.flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```\n(\$ .*?)^```$/gms)].map(([, block = '']) => block);
    return blocks.flatMap((block) =>
      block
        .split(/^\$ /m)
        .slice(1)
        .map((part) => {
          const lines = part.trimEnd().split('\n');
          let length = 1;
          while (length < lines.length && !isComplete(lines.slice(0, length).join('\n'))) length += 1;
          const [line, shown] = [lines.slice(0, length).join('\n'), lines.slice(length).join('\n')];
          return { heading, line, shown };
        }),
    );
  });
}

const STEPS = readSteps();
const GENERATED_ID = /\b0s[0-9a-z]{14}\b/;
const VARIABLE = /^(?:export )?[A-Z][A-Z0-9_]*=\S+$/;

let port: number;
let shell: Shell;
let stop: () => Promise<unknown>;
/** The id of the server for the one that README.md shows. */
let id: string | undefined;
/** Lines that set variables for the lines after them. */
const variables: string[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-readme-'));
  await chmod(folder, 0o755);
  shell = await createShell(folder, {
    METRICS_ADDRESS: 'off',
    XDG_STATE_HOME: path.join(folder, '.state'),
  });
  port = await findFreePort();
  ({ stop } = await shell.start(`andiron quickstart --wait --port ${port}`, 'Ctrl-C stops everything'));
});
afterAll(async () => {
  await stop();
  await rm(shell.folder, { recursive: true, force: true });
});

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Matches the output that README.md shows: … is any text; ids, instants and sequence numbers are those of the server. */
function toPattern(shown: string): RegExp {
  // The first digits of an id are as random as the rest.
  const parts = shown.split(
    / ?(…) ?|(\b0s[0-9a-z]{14}\b)|(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00))|("valueInteger":\d+)/,
  );
  const pattern = parts.map((part: string | undefined) => {
    if (part === undefined) return '';
    if (part === '…') return '.*?';
    if (GENERATED_ID.test(part)) return id === undefined ? '[0-9a-z]+' : literal(id);
    if (/^\d{4}-\d\d-\d\dT/.test(part)) return String.raw`\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)`;
    if (part.startsWith('"valueInteger"')) return String.raw`"valueInteger":\d+`;
    return literal(part);
  });
  return new RegExp(`^${pattern.join('')}(?:\n|$)`);
}

it('README.md has commands of each kind', () => {
  expect([...new Set(STEPS.map(({ heading }) => heading))]).toEqual(['REST', 'GraphQL']);
});

it.each(STEPS)('$heading: $line', async ({ line, shown }) => {
  const here = (text: string): string =>
    text
      .replaceAll('localhost:3000', `localhost:${port}`)
      .replace(new RegExp(GENERATED_ID, 'g'), (written) => id ?? written);
  if (VARIABLE.test(line)) variables.push(here(line));
  const { code, output, errors } = await shell.run([`cd '${ROOT}'`, ...variables, here(line)].join('\n'));
  expect([code, errors]).toEqual([0, '']);
  expect(output).toMatch(toPattern(here(shown)));
  id ??= GENERATED_ID.test(shown) ? /"id":"([^"]+)"/.exec(output)?.[1] : undefined;
});
