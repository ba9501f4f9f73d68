/** Limits of the suite itself: it stays quick only as long as few files start servers, and few run for both releases. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Before a file is added here, another one leaves: each server costs its start and cold code. */
const MOST_WITH_SERVERS = 60;

/** Files that compare what the two releases define, or keep both apart; all others run for one (TESTED_RELEASES). */
const BOTH_RELEASES: readonly string[] = [
  'access/owners',
  'console/form-definition',
  'console/summary',
  'core/fhir-subscriptions/topic',
  'core/fhir/definitions',
  'core/fhir/definitions-rules',
  'core/fhir/path/search-parameters',
  'core/fhir/terminology/published-expansions',
  'core/fhir/validate/examples',
  'core/fhir/validate/invariants-table',
  'core/interactions/examples',
  'core/operations/every-value-set',
  'core/search/compartment',
  'core/search/examples',
  'core/search/parameter',
  'graphql/schema',
  'graphql/typed-documents',
  'rest/metadata',
  'rest/openapi',
  'rest/operations',
  'rest/subscriptions/topic-based',
];

const FILES = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
  // The clients are no part of `npm test`.
  .filter(
    (name) => name.endsWith('.test.ts') && !name.startsWith('clients') && name !== path.basename(__filename),
  )
  .map((name) => ({
    name: name.replace(/\.test\.ts$/, ''),
    text: readFileSync(path.join(__dirname, name), 'utf8'),
  }));

const namesOf = (pattern: RegExp): readonly string[] =>
  FILES.filter(({ text }) => pattern.test(text))
    .map(({ name }) => name)
    .sort();

it('few files start servers of their own, and each says why', () => {
  const starting = namesOf(/\b(?:startServer|startProcess)\(/);
  expect(starting.length).toBeLessThanOrEqual(MOST_WITH_SERVERS);
  expect(starting.filter((name) => !namesOf(/\bbecause[:,]/).includes(name))).toEqual([]);
});

it('files run for one release, but those that compare both', () => {
  expect(namesOf(/\.each\(RELEASE_NAMES\)/)).toEqual(BOTH_RELEASES);
});

it('commands name their paths before their projects, since Jest takes each word behind --selectProjects for a project', () => {
  const isWrong = (line: string): boolean =>
    /--selectProjects(?: +\w[\w-]*)+ +(?!--)['"]?[\w.(]+\//.test(line);
  expect(isWrong('jest --selectProjects long test/faults')).toBe(true);
  const lines = ['.ci/run', 'package.json', 'scripts/nightly.mjs', 'CONTRIBUTING.md'].flatMap((name) =>
    readFileSync(path.join(__dirname, '..', name), 'utf8').split('\n'),
  );
  expect(lines.filter(isWrong)).toEqual([]);
});

it('the faults that the tests must notice have their place in the code', () => {
  const script = path.join(__dirname, '..', 'scripts', 'planted-faults.mjs');
  const listed = execFileSync(process.execPath, [script, '--list'], { encoding: 'utf8' });
  expect(listed.trimEnd().split('\n').length).toBeGreaterThan(70);
});
