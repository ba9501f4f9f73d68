/** The pages of docs/ whose commands and requests are run, and by which test. Those of docs/reference but one are made by the program. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DOCS = path.resolve(__dirname, '..', '..', 'docs');
const PARTS: readonly string[] = ['use', 'run', 'understand', 'decisions', 'bench'];

/** All pages with blocks that people write. */
export const PAGES: readonly string[] = [
  'index.md',
  'reference/behaviour.md',
  ...PARTS.flatMap((part) =>
    readdirSync(path.join(DOCS, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .sort()
      .map((file) => `${part}/${file}`),
  ),
].filter((page) => /^```/m.test(readFileSync(path.join(DOCS, page), 'utf8')));

/**
 * `npm test` runs these: one of each part that has commands, together with every kind of block. They start no program of
 * ours. The nightly run has the others.
 */
export const PAGES_OF_EACH_RUN: readonly string[] = [
  'use/graphql.md',
  'use/patch.md',
  'run/audit.md',
  'run/monitoring.md',
  'run/sizing.md',
];

/** These start many programs, or large ones. */
export const SLOW_PAGES: readonly string[] = ['run/access.md', 'run/tenants.md', 'use/troubleshooting.md'];

/** These install packages that only test/clients has; its tests run them. */
export const CLIENT_PAGES: readonly string[] = [
  'use/front-end.md',
  'use/start.md',
  'use/recipes/fhir-kit-client.md',
  'use/recipes/fhirclient-js.md',
  'use/recipes/medplum-core.md',
];

/** Pages whose blocks of `sh` another test runs, by the headings above them: they need a machine of their own. */
export const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'run/backup.md': 'test/faults/backup.long.ts',
};
