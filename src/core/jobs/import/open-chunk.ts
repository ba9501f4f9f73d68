import type { ImportSource } from '../../api/imports';
import type { Database } from '../../storage/connection/database';
import { readChunk, type ChunkName } from '../../storage/jobs/import-chunks';
import type { JobKey } from '../../storage/jobs/jobs';
import { readLines, type LineReading } from './read-lines';
import type { ReadChunk } from './write-chunk';

export interface OpenTools extends Pick<LineReading, 'toWrite' | 'preparer'> {
  readonly database: Database;
}

/** Returns what is left of a chunk; undefined: nothing. */
export async function openChunk(
  { database, toWrite, preparer }: OpenTools,
  job: JobKey,
  sources: readonly ImportSource[],
  name: ChunkName,
): Promise<ReadChunk | undefined> {
  const chunk = await readChunk(database, job, name);
  const source = sources[name.file];
  if (chunk === undefined || source === undefined) return undefined;
  return {
    id: job.id,
    source,
    chunk,
    lines: await readLines(chunk, { type: source.type, toWrite, preparer }),
  };
}
