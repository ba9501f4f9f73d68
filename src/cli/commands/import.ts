import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isRelease, RELEASE_NAMES, type Core, type ImportState, type LocalImport } from '../../core';
import type { Arguments, Command } from '../command';
import { textOf, wrongValue } from '../option-values';
import { JSON_OPTION, print } from '../output';
import { createStatusLine, progressBar, type StatusLine } from '../status-line';
import { TENANT_OPTION, withTenant } from '../with-tenant';

const ERRORS = 'import-errors.ndjson';
/** Between two looks at the progress. */
const POLL_MS = 500;
/** Patients' data: readable by the owner only. */
const MODE = 0o600;

interface FileToImport {
  readonly name: string;
  readonly place: string;
  readonly bytes: number;
  readonly modified: number;
}

/** Throws an Error for a file that cannot be read. */
async function openFiles(names: readonly string[]): Promise<readonly FileToImport[]> {
  return Promise.all(
    names.map(async (name) => {
      const place = path.resolve(name);
      const { size, mtimeMs } = await stat(place).catch(() => {
        throw new Error(`The file ${name} does not exist, or cannot be read`);
      });
      return { name, place, bytes: size, modified: mtimeMs };
    }),
  );
}

function toImport(
  files: readonly FileToImport[],
  given: Pick<LocalImport, 'tenant' | 'release' | 'source' | 'begun'>,
  status: StatusLine,
): LocalImport {
  const described: unknown[] = files.map(({ place, bytes, modified }) => [place, bytes, modified]);
  if (given.source !== undefined) described.push(given.source);
  return {
    ...given,
    files: files.map(({ name, place }) => ({ name, open: () => createReadStream(place) })),
    fingerprint: createHash('sha256').update(JSON.stringify(described)).digest('hex'),
    stored(file, bytes) {
      const { name = '', bytes: length = 0 } = files[file] ?? {};
      status.show(`Reading ${name} ${progressBar(bytes, length)}`);
    },
  };
}

/** Waits for the end of an import, and shows its progress. */
async function untilEnded(
  { jobs: { imports } }: Core,
  { context, id }: Awaited<ReturnType<Core['jobs']['imports']['local']['begin']>>,
  status: StatusLine,
): Promise<ImportState> {
  for (;;) {
    const state = await imports.find(context, id);
    if (state === undefined) throw new Error('The import was cancelled; what it has written stays');
    if (state.state !== 'queued' && state.state !== 'running') return state;
    const { done, failed, lines } = sumsOf(state);
    const refused = failed === 0 ? '' : `, ${failed} refused`;
    status.show(`Importing ${progressBar(done, lines)} ${done} of ${lines} lines${refused}`);
    // Another process, or a server, may have it; this one takes it when it is free.
    imports.local.work();
    await delay(POLL_MS);
  }
}

function sumsOf({ files }: ImportState): { done: number; failed: number; written: number; lines: number } {
  const sums = { done: 0, failed: 0, written: 0, lines: 0 };
  for (const { written, failed, lines } of files) {
    sums.done += written + failed;
    sums.failed += failed;
    sums.written += written;
    sums.lines += lines;
  }
  return sums;
}

/** Writes the OperationOutcomes of all refused lines. */
async function writeErrors(
  core: Core,
  { context, id }: Awaited<ReturnType<Core['jobs']['imports']['local']['begin']>>,
  { files }: ImportState,
  to: string,
): Promise<void> {
  const lines = async function* (): AsyncGenerator<string> {
    for (const { file, failed } of files) {
      const errors = failed === 0 ? undefined : await core.jobs.imports.errors(context, id, file);
      if (errors !== undefined) for await (const line of errors) yield `${line}\n`;
    }
  };
  await pipeline(Readable.from(lines()), createWriteStream(to, { mode: MODE }));
}

/** Says at the end by a signal what becomes of the import; the process then ends as without this. Returns how to stop that. */
function explainSignals(status: StatusLine, explanation: () => string | undefined): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    stop();
    status.clear();
    const text = explanation();
    if (text !== undefined) process.stderr.write(`andiron: ${text}\n`);
    process.kill(process.pid, signal);
  };
  const stop = (): void => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  for (const signal of signals) process.on(signal, onSignal);
  return stop;
}

function explain(id: string, isStored: boolean): string {
  const what = isStored
    ? 'goes on in the running servers; the same command goes on with it and shows its result'
    : 'has written nothing; the same command goes on with it';
  return `The import ${id} ${what}. DELETE /server/jobs/${id} stops it`;
}

function failureOf({ failure, state }: ImportState): string {
  if (state === 'cancelled') return 'The import was cancelled; what it has written stays';
  const text = failure?.outcome.toString('utf8') ?? '';
  const [, reason = 'the log of the process that executed it has its cause'] =
    /"diagnostics":("(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  return `The import failed: ${reason.startsWith('"') ? String(JSON.parse(reason)) : reason}`;
}

export const importFiles: Command = {
  name: 'import',
  usage: 'FILE …',
  summary:
    'Import files of NDJSON, gzipped ones too: each line creates or updates a resource; code 1 if a line was refused.',
  options: {
    ...TENANT_OPTION,
    release: { type: 'string', value: 'r4|r4b', help: 'FHIR release of the resources; default r4' },
    source: {
      ...{ type: 'string', value: 'URL' },
      help: 'base URL of the server that the resources come from: addresses below it become relative',
    },
    errors: {
      ...{ type: 'string', value: 'FILE' },
      help: `where the refused lines are named, as NDJSON of OperationOutcome; default ${ERRORS}`,
    },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron import Patient.ndjson Observation.ndjson.gz --tenant acme',
      does: 'Import two files; if the command is stopped, the same command goes on with them.',
    },
  ],
  async run(given: Arguments) {
    const { options, words } = given;
    const release = textOf(options['release']) ?? 'r4';
    if (!isRelease(release)) throw wrongValue('release', RELEASE_NAMES);
    const to = textOf(options['errors']) ?? ERRORS;
    const source = textOf(options['source']);
    const files = await openFiles(words);
    const status = createStatusLine(process.stdout, options['json'] !== true);
    let refused = 0;
    let id: string | undefined;
    let isStored = false;
    const stopExplaining = explainSignals(status, () => id && explain(id, isStored));
    await withTenant(given, async (core, tenant) => {
      const { local } = core.jobs.imports;
      const begun = await local.begin(
        toImport(files, { tenant, release, source, begun: (of) => void (id = of) }, status),
      );
      isStored = true;
      const state = await untilEnded(core, begun, status).finally(() => status.clear());
      if (state.state !== 'done') {
        await local.reported(begun.context, begun.id);
        throw new Error(failureOf(state));
      }
      const sums = sumsOf(state);
      refused = sums.failed;
      if (refused > 0) await writeErrors(core, begun, state, to);
      print(
        given,
        {
          written: sums.written,
          refused,
          files: state.files.map(({ name, written, failed }) => ({ name, written, refused: failed })),
          ...(refused > 0 ? { errors: to } : {}),
        },
        [
          ...state.files.map(({ name, written, failed }) => `${name}: ${written} written, ${failed} refused`),
          ...(refused > 0 ? [`The reasons are in ${to}`] : []),
        ],
      );
      await local.reported(begun.context, begun.id);
    }).finally(stopExplaining);
    if (refused > 0) throw new Error(`${refused} lines were refused`);
  },
};
