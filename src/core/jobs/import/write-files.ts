/** Writes the lines of an import, in passes: a line whose references have no target yet waits for the next pass. */
import type { ImportSource } from '../../api/imports';
import type { Database } from '../../storage/connection/database';
import { listChunks, readPending, renewJob, type ChunkName } from '../../storage/jobs/import-chunks';
import type { JobKey } from '../../storage/jobs/jobs';
import { AtOnce } from './at-once';
import { writeCircles, type CircleTools } from './circles';
import { openChunk } from './open-chunk';
import { resourcesOf, writeChunk, type ChunkTools, type ReadChunk } from './write-chunk';

export interface FileTools extends CircleTools {
  readonly database: Database;
  /** Chunks that are written at the same time. */
  readonly atOnce: number;
}

/**
 * Writes all lines that are left. Throws the errors that are none of a line. Cost: a pass writes what it can; the last one, after
 * a pass without success, also what refers to each other.
 */
export async function writeFiles(
  tools: FileTools,
  job: JobKey,
  sources: readonly ImportSource[],
): Promise<void> {
  let before = Infinity;
  let isStuck = false;
  for (;;) {
    const pending = await readPending(tools.database, job);
    if (pending === undefined) return;
    // A pass in which no line was written or refused: the next one would have the same end.
    if (!isStuck && pending.lines >= before) {
      isStuck = true;
      await writeCircles(tools, job, { sources, pass: pending.pass, lines: pending.lines });
      continue;
    }
    before = pending.lines;
    await writePass({ ...tools, isLast: isStuck }, job, sources, pending.pass);
  }
}

async function writePass(
  tools: FileTools & Pick<ChunkTools, 'isLast'>,
  job: JobKey,
  sources: readonly ImportSource[],
  pass: number,
): Promise<void> {
  const atOnce = new AtOnce(tools.atOnce);
  let isRenewed = false;
  const write = async (name: ChunkName, first: ReadChunk): Promise<void> => {
    for (let read: ReadChunk | undefined = first; read !== undefined;) {
      if (await writeChunk(tools, read)) break;
      const again: ReadChunk | undefined = await openChunk(tools.database, job, sources, name);
      // What waits now is for the next pass.
      read = again?.chunk.pass === pass ? again : undefined;
    }
    if (!isRenewed) await renewJob(tools.database, job);
    isRenewed = true;
  };
  try {
    for await (const name of listChunks(tools.database, job, pass)) {
      tools.signal.throwIfAborted();
      const read = await openChunk(tools.database, job, sources, name);
      if (read?.chunk.pass !== pass) continue;
      // Of different resources, so that the last line of a resource is the one that stays.
      await atOnce.enter(() => write(name, read), resourcesOf(read));
    }
  } finally {
    await atOnce.end();
  }
}
