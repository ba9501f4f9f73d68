/** Runs command lines as a user types them, with `andiron` and `npx` on the PATH. */
import { execFile, spawn, type ExecFileException } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CLI, NPX_LINE } from './launch';
import { closedAtEnd } from './left-open';

export { CLI };

export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface Shell {
  /** The working directory of the lines. */
  readonly folder: string;
  /** Runs a line to its end. */
  run(line: string): Promise<Ended>;
  /** Starts a line and waits until it has printed `text`. Rejects if it ends before. `stop` ends it by SIGTERM. */
  start(line: string, text: string): Promise<{ stop(): Promise<Ended> }>;
}

/** `environment` is added to an otherwise empty one. */
export async function createShell(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Shell> {
  const programs = path.join(folder, '.bin');
  await mkdir(programs);
  const scripts = { andiron: `exec '${process.execPath}' '${CLI}' "$@"`, npx: NPX_LINE };
  for (const [name, script] of Object.entries(scripts))
    await writeFile(path.join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    // A quick start that a developer runs on this machine is not the one of the lines.
    XDG_STATE_HOME: path.join(folder, '.state'),
    ...environment,
  };
  return {
    folder,
    run: (line) =>
      new Promise((resolve) => {
        execFile(
          ...(['sh', ['-c', line], { cwd: folder, env }] as const),
          (error: ExecFileException | null, output, errors) =>
            resolve({ code: Number(error?.code ?? 0), output, errors }),
        );
      }),
    start: (line, text) =>
      new Promise((resolve, reject) => {
        // Without the shell in between, the signal reaches the program.
        const program = line.replace(/^((?:[A-Z_]+=\S+ )*)/, '$1 exec ');
        const child = spawn('sh', ['-c', program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
        const written = { output: '', errors: '' };
        const ended = new Promise<Ended>((end) => {
          child.once('exit', (code) => end({ code: code ?? -1, ...written }));
        });
        const stop = closedAtEnd(async () => {
          child.kill('SIGTERM');
          await ended;
        });
        child.stdout.on('data', (part: Buffer) => {
          written.output += part.toString();
          if (written.output.includes(text)) resolve({ stop: () => stop().then(() => ended) });
        });
        child.stderr.on('data', (part: Buffer) => (written.errors += part.toString()));
        child.once('exit', () => reject(new Error(`${line} ended:\n${written.output}${written.errors}`)));
      }),
  };
}
