/** The shells in which the commands of a page run, as a reader has them: one for the page, and windows of their own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../support/eventually';
import { closedAtEnd } from '../support/left-open';
import { NPX_LINE } from '../support/launch';

const ROOT = path.resolve(__dirname, '..', '..');
const SOON_MS = 20_000;
/** graphql-codegen works for 15 seconds, and a busy machine takes many times as long. */
const COMMAND_MS = 300_000;

/** Folders with packages. The first that has one is taken: clients must have one copy of what they share. */
export const PACKAGE_FOLDERS: readonly string[] = ['test/clients/node_modules', 'node_modules'].map(
  (folder) => path.join(ROOT, folder),
);
const EACH_FOLDER = PACKAGE_FOLDERS.map((folder) => `'${folder}'`).join(' ');

/**
 * Programs in front of those of the machine. A folder gets the packages that the page installs there, and no others; they are those of
 * this repository, so that a page needs no network. `npx tsx` is esbuild and Node.js.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  npm: `case "$1" in
install) shift ;;
*) echo "npm $1 is not replaced by the tests" >&2; exit 1 ;;
esac
for name; do
  case "$name" in @*) name="@$(echo "$name" | cut -d@ -f2)" ;; *) name="$(echo "$name" | cut -d@ -f1)" ;; esac
  mkdir -p "$(dirname "node_modules/$name")"
  for folder in ${EACH_FOLDER}; do
    [ -e "node_modules/$name" ] || [ ! -d "$folder/$name" ] || ln -s "$folder/$name" "node_modules/$name"
  done
done`,
  npx: `${NPX_LINE}
if [ "$1" != tsx ]; then
  for folder in ${EACH_FOLDER}; do [ ! -x "$folder/.bin/$1" ] || exec "$folder/.bin/$@"; done
fi
'${ROOT}/node_modules/.bin/esbuild' "$2" --bundle --packages=external --platform=node --format=esm --log-level=error --outfile=.tsx-$$.mjs
trap 'kill $!' TERM
'${process.execPath}' .tsx-$$.mjs & wait $!`,
};

export interface Window {
  /** Returns the output so far. */
  readonly printed: () => string;
}

export interface PageShell {
  /** Its first working directory. */
  readonly folder: string;
  /** A file of the page, below the working directory of the shell. */
  write(name: string, text: string): Promise<void>;
  /**
   * Runs commands to their end. Variables and the working directory stay. `output` is that of both streams.
   * @throws Error when a command fails and `mayFail` is false
   */
  run(commands: string, mayFail: boolean): Promise<string>;
  /** Starts commands in a window of their own, and waits until they have printed something. */
  open(commands: string): Promise<Window>;
  close(): Promise<void>;
}

/** Ends the shell and the programs that it has started: it leads a process group. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch (error) {
    // It has ended by itself, and its end is about to be reported.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
  await ended;
}

/** A shell with the folder of Andiron (dist/, docs/) as its working directory, and the settings of `environment`. */
export async function openPageShell(environment: Readonly<Record<string, string>>): Promise<PageShell> {
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-page-'));
  const programs = path.join(folder, '.bin');
  await mkdir(programs);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    await writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(programs, name), 0o755);
  }
  for (const name of ['dist', 'examples']) await symlink(path.join(ROOT, name), path.join(folder, name));
  const env = {
    PATH: `${programs}:${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    ...environment,
  };
  const children: ChildProcess[] = [];
  const start = (): { child: ChildProcess; printed: () => string } => {
    const child = spawn('sh', [], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    children.push(child);
    let printed = '';
    child.stdout.on('data', (part: Buffer) => (printed += part.toString()));
    child.stdin.write('exec 2>&1\n');
    return { child, printed: () => printed };
  };
  const { child, printed } = start();
  let began = 0;
  let number = 0;
  const send = async (commands: string, mayFail: boolean): Promise<string> => {
    number += 1;
    const file = path.join(folder, `.commands-${number}.sh`);
    const mark = `\n--- end of ${number}\n`;
    await writeFile(file, commands);
    const [before, after] = mayFail ? ['', ''] : ['set -e; ', 'set +e; '];
    child.stdin?.write(`${before}. '${file}' </dev/null; ${after}printf '\\n--- end of ${number}\\n'\n`);
    await eventually(async () => printed().includes(mark, began) || child.exitCode !== null, COMMAND_MS);
    const to = printed().indexOf(mark, began);
    const output = printed().slice(began, to === -1 ? undefined : to);
    if (to === -1) throw new Error(`a command failed with code ${child.exitCode}:\n${commands}\n${output}`);
    began = to + mark.length;
    return output.replace(/^Using the quick start at .*\n/gm, '');
  };
  return {
    folder,
    run: send,
    async write(name, text) {
      await send(
        `mkdir -p "$(dirname '${name}')" && cat > '${name}' <<'END OF THE FILE'\n${text}END OF THE FILE`,
        false,
      );
    },
    async open(commands) {
      const window = start();
      window.child.stdin?.end(`${commands}\n`);
      await eventually(async () => window.printed() !== '' || window.child.exitCode !== null, SOON_MS);
      return { printed: window.printed };
    },
    close: closedAtEnd(async () => {
      for (const each of children) await end(each);
      await rm(folder, { recursive: true, force: true });
    }),
  };
}
