/** Runs commands of `andiron` in this process: without the second that the start of a process takes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportFailure } from '../../src/cli/failure';
import { run } from '../../src/cli/run';
import type { Ended } from './run-command';

export interface Here {
  /** Settings and variables; there are no others. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The working directory, without `.env`; default an empty one. */
  readonly folder?: string;
}

/** Puts the results of writes to `stream` into a list; returns the text and the way back. */
function capture(stream: NodeJS.WriteStream): { text(): string; restore(): void } {
  const parts: string[] = [];
  const write = stream.write;
  stream.write = (part: string | Uint8Array) => {
    parts.push(typeof part === 'string' ? part : Buffer.from(part).toString());
    return true;
  };
  return {
    text: () => parts.join(''),
    restore() {
      stream.write = write;
    },
  };
}

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Returns the way back from handlers of signals that are added from now on. */
function keepHandlers(): () => void {
  const before = new Set(ENDING_SIGNALS.flatMap((signal) => process.listeners(signal)));
  return () => {
    for (const signal of ENDING_SIGNALS)
      for (const handler of process.listeners(signal))
        if (!before.has(handler)) process.removeListener(signal, handler);
  };
}

/** The code that a command has set for the end of its process. */
const exitCode = (): number => Number(process.exitCode ?? 0);

/**
 * Runs `andiron …args` to its end, for commands that neither keep running nor read the standard input. One at a time:
 * the environment, the working directory, the output and the handlers of signals of a process are everyone's.
 */
export async function runHere(
  args: readonly string[],
  { environment = {}, folder }: Here = {},
): Promise<Ended> {
  const empty = await mkdtemp(path.join(tmpdir(), 'andiron-command-'));
  const before = { env: process.env, folder: process.cwd(), code: process.exitCode };
  process.chdir(folder ?? empty);
  // Without its state, a command finds no quick start that a developer runs on this machine.
  process.env = { PATH: before.env['PATH'], XDG_STATE_HOME: empty, ...environment };
  process.exitCode = undefined;
  const [output, errors] = [capture(process.stdout), capture(process.stderr)];
  const removeHandlers = keepHandlers();
  try {
    const failed = await run(args).then(() => undefined, reportFailure);
    return { code: failed ?? exitCode(), output: output.text(), errors: errors.text() };
  } finally {
    output.restore();
    errors.restore();
    removeHandlers();
    process.env = before.env;
    process.exitCode = before.code;
    process.chdir(before.folder);
    await rm(empty, { recursive: true });
  }
}
