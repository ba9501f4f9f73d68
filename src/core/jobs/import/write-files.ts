/** Writes the lines of an import, in passes: a line whose references have no target yet waits for the next pass. */
import type { ImportSource } from '../../api/imports';
import {
  listChunks,
  listWaiting,
  readChunk,
  readPending,
  renewJob,
  type ChunkName,
} from '../../storage/jobs/import-chunks';
import type { JobKey } from '../../storage/jobs/jobs';
import { AtOnce } from './at-once';
import { writeCircles, type CircleTools } from './circles';
import { openChunk } from './open-chunk';
import { readLines } from './read-lines';
import {
  MOST_WAITING_NAMES,
  noteWaiting,
  resourcesOf,
  writeChunk,
  type ChunkTools,
  type ReadChunk,
} from './write-chunk';

export interface FileTools extends CircleTools {
  /** Chunks that are written at the same time. */
  readonly atOnce: number;
}

/**
 * Writes all lines that are left. Throws the errors that are none of a line. Cost: a pass writes what it can, and after one
 * without success, what refers to each other; the last one refuses the rest.
 */
export async function writeFiles(
  tools: FileTools,
  job: JobKey,
  sources: readonly ImportSource[],
): Promise<void> {
  let before = Infinity;
  let isLast = false;
  for (;;) {
    const pending = await readPending(tools.database, job);
    if (pending === undefined) return;
    // A pass in which no line was written or refused: the next one would have the same end.
    if (!isLast && pending.lines >= before) {
      isLast = !(await writeCircles(tools, job, { sources, pass: pending.pass, lines: pending.lines }));
      before = Infinity;
      continue;
    }
    before = pending.lines;
    const waitingNames = new Set<string>();
    const pass = { ...tools, isLast, waitingNames };
    if (!isLast) await readWaiting(pass, job, sources, pending.pass);
    await writePass(pass, job, sources, pending.pass);
  }
}

type PassTools = FileTools & Pick<ChunkTools, 'isLast' | 'waitingNames'>;

/** Reads the names of the lines that wait in a pass which has begun before, in another process. */
async function readWaiting(
  tools: PassTools,
  job: JobKey,
  sources: readonly ImportSource[],
  pass: number,
): Promise<void> {
  for await (const name of listWaiting(tools.database, job, pass)) {
    tools.signal.throwIfAborted();
    if (tools.waitingNames.size >= MOST_WAITING_NAMES) return;
    const source = sources[name.file];
    const chunk = await readChunk(tools.database, job, name);
    if (chunk === undefined || source === undefined) continue;
    // Those of a chunk that has ended the pass are what it has to do in the next one.
    const todo = chunk.pass > pass ? chunk.todo : chunk.waiting;
    const lines = await readLines(
      { ...chunk, todo },
      {
        ...{ type: source.type, preparer: tools.preparer },
        toWrite: (text) => text,
      },
    );
    noteWaiting(
      tools,
      lines.flatMap((line) => ('error' in line ? [] : [line])),
    );
  }
}

async function writePass(
  tools: PassTools,
  job: JobKey,
  sources: readonly ImportSource[],
  pass: number,
): Promise<void> {
  const atOnce = new AtOnce(tools.atOnce);
  let isRenewed = false;
  const write = async (name: ChunkName, first: ReadChunk): Promise<void> => {
    for (let read: ReadChunk | undefined = first; read !== undefined;) {
      if (await writeChunk(tools, read)) break;
      const again: ReadChunk | undefined = await openChunk(tools, job, sources, name);
      // What waits now is for the next pass.
      read = again?.chunk.pass === pass ? again : undefined;
    }
    if (!isRenewed) await renewJob(tools.database, job);
    isRenewed = true;
  };
  try {
    for await (const name of listChunks(tools.database, job, pass)) {
      tools.signal.throwIfAborted();
      const read = await openChunk(tools, job, sources, name);
      if (read?.chunk.pass !== pass) continue;
      // Of different resources, so that the last line of a resource is the one that stays.
      await atOnce.enter(() => write(name, read), resourcesOf(read));
    }
  } finally {
    await atOnce.end();
  }
}
