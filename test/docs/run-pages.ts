/**
 * Runs every block of pages, in its order, beside a server with the examples, as `npm run quickstart` starts it.
 * CONTRIBUTING.md has the rules for blocks.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { loadExamples } from '../../src/embedded/examples';
import { findFreePort } from '../../src/embedded/free-port';
import type { TestDatabase } from '../support/database';
import { toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { silentLog } from '../support/log';
import { readBlocks, type Block } from '../support/page-blocks';
import { startServer, type TestServer } from '../support/server';
import { FILE_NAME, FILES, isRun } from './block-rules';
import { writeInputs } from './page-inputs';
import { openPageShell, PACKAGE_FOLDERS, type PageShell, type Window } from './page-shell';
import { sendGraphql, sendHttp, sendSql, type Addresses } from './requests';
import { toPattern, toSteps } from './shown-output';

const SOON_MS = 20_000;
/** Commands start processes, which take long on a busy machine. */
const PAGE_TIMEOUT_MS = 600_000;
/** The machine may have no Python; the pages say so. */
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
/** Packages that pages install, and the repository has not. */
const REPLACED: readonly string[] = ['tsx'];
/** Those that the pages for operators speak of. */
const TENANTS: readonly string[] = ['acme', 'old-acme'];
/** An answer that commands must not get unless the page shows it. */
const FAILED = /"severity":"(?:error|fatal)"|"errors":\[/;

interface Place {
  /** The texts of pages, and their values here. */
  readonly texts: readonly (readonly [string, string])[];
  readonly addresses: Addresses;
  readonly database: TestDatabase['settings'];
  /** That of the commands. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The address of a server in production, as pages write it. */
const PRODUCTION = 'https://fhir.example';

/** A second server, with enforced access, where one of `pages` speaks of one. */
async function startProduction(pages: readonly string[]): Promise<TestServer | undefined> {
  const blocks = (await Promise.all(pages.map(readBlocks))).flat();
  if (!blocks.some((block) => isRun(block) && block.text.includes(PRODUCTION))) return undefined;
  // Processes with one database share its Subscriptions, and in this one their author has no rights.
  return startServer({ because: 'it has no Subscriptions', environment: { AUTH_MODE: 'enforced' } });
}

async function openPlace(pages: readonly string[]): Promise<Place> {
  const port = String(await findFreePort());
  const settings = { PORT: port, LOG_LEVEL: 'warn', OUTBOUND_ALLOWED_HOSTS: 'localhost:*' };
  const metrics = String(await findFreePort());
  const server: TestServer = await startServer({
    because: 'it has the port and the examples that the pages name',
    environment: { ...settings, METRICS_ADDRESS: `127.0.0.1:${metrics}` },
  });
  for (const name of TENANTS) await server.createTenant(name);
  const output = Object.assign(new PassThrough().resume(), { isTTY: false as const });
  await loadExamples(server.app.core, 'system', silentLog, { output });
  const production = await startProduction(pages);
  return {
    texts: [
      // The first: the ports below may have these digits.
      ['9000', String(await findFreePort())],
      ['localhost:3000', `localhost:${port}`],
      ['127.0.0.1:3000', `127.0.0.1:${port}`],
      ['localhost:9464', `localhost:${metrics}`],
      ['port 3000', `port ${port}`],
      ...(production === undefined ? [] : [[PRODUCTION, production.base] as const]),
    ],
    addresses: {
      fhirRoot: server.root('system', 'r4'),
      graphql: `${server.base}/w/system/api/v1/graphql/r4`,
    },
    database: server.database.settings,
    environment: { ...toEnvironment(server.database), ...settings },
    async close() {
      await production?.close();
      await server.close();
    },
  };
}

/** Packages that a command installs have the versions of this repository. */
function checkPackages({ place, text }: Block): void {
  for (const [, list = ''] of text.matchAll(/npm install (.*)$/gm))
    for (const [, name = '', version] of list.matchAll(/(?<=^| )(@?[a-z][\w./-]*)(?:@(\S+))?/g)) {
      if (REPLACED.includes(name)) continue;
      const file = PACKAGE_FOLDERS.map((folder) => path.join(folder, name, 'package.json')).find(existsSync);
      if (file === undefined) throw new Error(`${place}: ${name} is not installed for the tests`);
      const installed = JSON.parse(readFileSync(file, 'utf8')).version;
      if (version !== installed) throw new Error(`${place}: ${name} is tested in version ${installed}`);
    }
}

interface Awaited {
  readonly block: Block;
  readonly window: Window;
  readonly shown: string;
}

/** Runs a block of commands; returns the windows that it leaves open, with the output that they must have at the end. */
async function runCommands(block: Block, shell: PageShell): Promise<readonly Awaited[]> {
  const { place, language, words, text } = block;
  checkPackages(block);
  if (words.includes('window')) {
    const steps = language === 'console' ? toSteps(text) : [{ command: text, shown: '' }];
    const window = await shell.open(steps.map(({ command }) => command).join('\n'));
    return [{ block, window, shown: steps.map(({ shown }) => shown).join('\n') }];
  }
  if (language === 'sh') {
    const output = await shell.run(text, false);
    if (FAILED.test(output)) throw new Error(`${place}: ${output}`);
    return [];
  }
  for (const { command, shown } of toSteps(text)) {
    if (command.startsWith('python3 ') && !HAS_PYTHON) continue;
    // A page that omits the whole output must not hide a failure.
    const isOmitted = shown.trim() === '…';
    const output = await shell.run(command, !isOmitted);
    if (isOmitted ? FAILED.test(output) : !toPattern(shown).test(output))
      throw new Error(`${place}: ${command}\nshows\n${shown}\nand prints\n${output}`);
  }
  return [];
}

async function runPage(
  blocks: readonly Block[],
  shell: PageShell,
  { addresses, database }: Place,
): Promise<void> {
  const windows: Awaited[] = [];
  for (const [index, block] of blocks.entries()) {
    if (!isRun(block)) continue;
    const next = blocks[index + 1];
    const answer = next?.words.includes('answer') === true ? next : undefined;
    if (block.language === 'http') await sendHttp(block, addresses);
    else if (block.language === 'graphql') await sendGraphql(block, addresses, answer);
    else if (block.language === 'sql') await sendSql(block, database);
    else if (FILES.includes(block.language))
      await shell.write(FILE_NAME.exec(block.text)?.[1] ?? '', block.text);
    else windows.push(...(await runCommands(block, shell)));
  }
  for (const { block, window, shown } of windows) {
    const isAsShown = async (): Promise<boolean> => shown === '' || toPattern(shown).test(window.printed());
    await eventually(isAsShown, SOON_MS).catch(() => {
      throw new Error(`${block.place} shows\n${shown}\nand prints\n${window.printed()}`);
    });
  }
}

/** Declares a test for each of the pages; they share a server. */
export function testPages(pages: readonly string[]): void {
  let place: Place | undefined;
  beforeAll(async () => {
    place = await openPlace(pages);
  }, PAGE_TIMEOUT_MS);
  afterAll(() => place?.close());

  it.each(pages)(
    'docs/%s does what it says',
    async (page) => {
      if (place === undefined) throw new Error('there is no server');
      const { texts, environment } = place;
      const here = (text: string): string =>
        texts.reduce((replaced, [written, real]) => replaced.replaceAll(written, real), text);
      const shell = await openPageShell(environment);
      try {
        await writeInputs(page, shell.folder);
        const blocks = (await readBlocks(page)).map((block) => ({ ...block, text: here(block.text) }));
        await runPage(blocks, shell, place);
      } finally {
        await shell.close();
      }
    },
    PAGE_TIMEOUT_MS,
  );
}
