/**
 * Runs every block of pages for users, in its order, beside a server with the examples, as `npm run quickstart` starts it.
 * CONTRIBUTING.md has the rules for blocks.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { loadExamples } from '../../src/embedded/examples';
import { findFreePort } from '../../src/embedded/free-port';
import { toEnvironment } from '../support/environment';
import { eventually } from '../support/eventually';
import { silentLog } from '../support/log';
import { readBlocks, type Block } from '../support/page-blocks';
import { startServer, type TestServer } from '../support/server';
import { FILE_NAME, FILES, isRun } from './block-rules';
import { writeInputs } from './page-inputs';
import { openPageShell, type PageShell, type Window } from './page-shell';
import { sendGraphql, sendHttp, type Addresses } from './requests';
import { toPattern, toSteps } from './shown-output';

const ROOT = path.resolve(__dirname, '..', '..');
const SOON_MS = 20_000;
/** Commands start processes, which take long on a busy machine. */
const PAGE_TIMEOUT_MS = 240_000;
/** The machine may have no Python; the pages say so. */
const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0;
/** Packages that pages install, and the repository has not. */
const REPLACED: readonly string[] = ['tsx'];
/** An answer that a block of commands must not get unless it shows it. */
const FAILED = /"severity":"(?:error|fatal)"|"errors":\[/;

/** All pages for users. */
export const PAGES: readonly string[] = readdirSync(path.join(ROOT, 'docs', 'use'), {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.md'))
  .sort()
  .map((file) => `use/${file}`);

/** These start many programs, or large ones. */
export const SLOW_PAGES: readonly string[] = ['use/start.md', 'use/troubleshooting.md'];

interface Place {
  /** What pages write, and what it is here. */
  readonly texts: readonly (readonly [string, string])[];
  readonly addresses: Addresses;
  /** That of the commands. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function openPlace(): Promise<Place> {
  const port = String(await findFreePort());
  const settings = { PORT: port, LOG_LEVEL: 'warn', OUTBOUND_ALLOWED_HOSTS: 'localhost' };
  const server: TestServer = await startServer({ environment: settings });
  const output = Object.assign(new PassThrough().resume(), { isTTY: false as const });
  await loadExamples(server.app.core, 'system', silentLog, output);
  // Processes with one database share its Subscriptions, and in this one their author has no rights.
  const enforced = await startServer({ environment: { AUTH_MODE: 'enforced' } });
  return {
    texts: [
      ['localhost:3000', `localhost:${port}`],
      ['port 3000', `port ${port}`],
      ['9000', String(await findFreePort())],
      ['https://fhir.example', enforced.base],
    ],
    addresses: {
      fhirRoot: server.root('system', 'r4'),
      graphql: `${server.base}/w/system/api/v1/graphql/r4`,
    },
    environment: { ...toEnvironment(server.database), ...settings },
    async close() {
      await enforced.close();
      await server.close();
    },
  };
}

/** Packages that a command installs have the versions of this repository. */
function checkPackages({ place, text }: Block): void {
  for (const [, list = ''] of text.matchAll(/npm install (.*)$/gm))
    for (const [, name = '', version] of list.matchAll(/(?<=^| )(@?[a-z][\w./-]*)(?:@(\S+))?/g)) {
      if (REPLACED.includes(name)) continue;
      const file = path.join(ROOT, 'node_modules', name, 'package.json');
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
    const output = await shell.run(command, true);
    if (!toPattern(shown).test(output))
      throw new Error(`${place}: ${command}\nshows\n${shown}\nand prints\n${output}`);
  }
  return [];
}

async function runPage(blocks: readonly Block[], shell: PageShell, addresses: Addresses): Promise<void> {
  const windows: Awaited[] = [];
  for (const [index, block] of blocks.entries()) {
    if (!isRun(block)) continue;
    const next = blocks[index + 1];
    const answer = next?.words.includes('answer') === true ? next : undefined;
    if (block.language === 'http') await sendHttp(block, addresses);
    else if (block.language === 'graphql') await sendGraphql(block, addresses, answer);
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
    place = await openPlace();
  }, PAGE_TIMEOUT_MS);
  afterAll(() => place?.close());

  it.each(pages)(
    'docs/%s does what it says',
    async (page) => {
      if (place === undefined) throw new Error('there is no server');
      const { texts, addresses, environment } = place;
      const here = (text: string): string =>
        texts.reduce((replaced, [written, real]) => replaced.replaceAll(written, real), text);
      const shell = await openPageShell(environment);
      try {
        await writeInputs(page, shell.folder);
        const blocks = (await readBlocks(page)).map((block) => ({ ...block, text: here(block.text) }));
        await runPage(blocks, shell, addresses);
      } finally {
        await shell.close();
      }
    },
    PAGE_TIMEOUT_MS,
  );
}
