/** Lines of an import that refer to each other, so that no order can have each target first. */
import type { ImportSource } from '../../api/imports';
import { turns } from '../../concurrency/turns';
import { isJsonObject, type JsonValue } from '../../fhir/json';
import { ImportPartWritten, listChunks } from '../../storage/jobs/import-chunks';
import type { JobKey } from '../../storage/jobs/jobs';
import { openChunk, type OpenTools } from './open-chunk';
import type { ReadLine } from './read-lines';
import { ChunkProgress, nameOf, type ChunkTools, type ReadChunk } from './write-chunk';
import { writeLines, type LineFates } from './write-lines';

export interface CircleTools extends Omit<ChunkTools, 'isLast' | 'waitingNames'>, OpenTools {
  /** Returns `Type/id` of a reference to a resource of the space; undefined for any other. */
  local(reference: string): string | undefined;
}

/** Lines of one pass. */
interface LinesOfPass {
  readonly sources: readonly ImportSource[];
  readonly pass: number;
  readonly lines: number;
}

/** Of more waiting lines nothing is written together: they would be in memory at once. */
const MOST_LINES = 20_000;
/** Lines that one transaction writes. */
const MOST_OF_CIRCLE = 5_000;

/**
 * Writes the waiting lines that refer to each other, each group in a transaction of its own; the others are left, and those of a
 * group whose references have no target either. False: none was written or refused. Cost: reads all lines of the pass, and does
 * nothing where they are more than 20,000.
 */
export async function writeCircles(
  tools: CircleTools,
  job: JobKey,
  { sources, pass, lines }: LinesOfPass,
): Promise<boolean> {
  if (lines > MOST_LINES) return false;
  let hasChanged = false;
  const chunks: ReadChunk[] = [];
  for await (const name of listChunks(tools.database, job, pass)) {
    const chunk = await openChunk(tools, job, sources, name);
    if (chunk?.chunk.pass === pass) chunks.push(chunk);
  }
  const progress = new Map(chunks.map((chunk) => [chunk, new ChunkProgress(chunk)]));
  const chunkOf = new Map<ReadLine, ReadChunk>();
  for (const chunk of chunks)
    for (const line of chunk.lines) if (!('error' in line)) chunkOf.set(line, chunk);
  for (const circle of await findCircles(tools, [...chunkOf.keys()])) {
    const after = (fates: LineFates): ReturnType<ChunkProgress['after']>[] =>
      [...progress].flatMap(([chunk, of]) => {
        const own = ofChunk(fates, (line) => chunkOf.get(line) === chunk);
        return own.written.length + own.refused.length === 0 ? [] : [of.after(tools, [], own)];
      });
    try {
      const fates = await writeLines(tools, {
        ...{ lines: circle, isLast: false },
        toParts: (some) => after(some).map(({ part }) => part),
      });
      for (const { part, progress: next } of after(fates)) {
        tools.room.lines -= part.refused.length;
        progress.set(next.read, next);
        hasChanged = true;
      }
    } catch (error) {
      // Another process works on it: what is left is read again.
      if (error instanceof ImportPartWritten) return true;
      throw error;
    }
  }
  return hasChanged;
}

function ofChunk(
  { written, refused, waiting, left }: LineFates,
  isOwn: (line: ReadLine) => boolean,
): LineFates {
  return {
    written: written.filter(isOwn),
    refused: refused.filter(([line]) => isOwn(line)),
    // The last pass refuses them, after the earlier lines of their resources.
    waiting: [],
    left: [...waiting, ...left].filter(isOwn),
  };
}

/** Returns the groups of lines that references connect, of two lines and more. */
async function findCircles(
  { local }: Pick<CircleTools, 'local'>,
  lines: readonly ReadLine[],
): Promise<readonly (readonly ReadLine[])[]> {
  const byName = new Map<string, ReadLine>();
  // Of two lines of one resource, the later one is written by the last pass.
  for (const line of lines)
    if (line.id !== undefined && !byName.has(nameOf(line))) byName.set(nameOf(line), line);
  const parents = new Map<ReadLine, ReadLine>();
  const rootOf = (line: ReadLine): ReadLine => {
    let root = line;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    if (root !== line) parents.set(line, root);
    return root;
  };
  for (const line of byName.values()) {
    await turns.take();
    for (const reference of referencesOf(JSON.parse(line.text) as JsonValue)) {
      const target = byName.get(local(reference) ?? '');
      if (target === undefined) continue;
      const [one, other] = [rootOf(line), rootOf(target)];
      if (one !== other) parents.set(one, other);
    }
  }
  const groups = new Map<ReadLine, ReadLine[]>();
  for (const line of byName.values()) {
    const root = rootOf(line);
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [line]);
    else group.push(line);
  }
  return [...groups.values()].filter(({ length }) => length > 1 && length <= MOST_OF_CIRCLE);
}

function* referencesOf(value: JsonValue): Generator<string, void> {
  if (Array.isArray(value)) {
    for (const each of value) yield* referencesOf(each);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string') yield member;
      else yield* referencesOf(member);
    }
  }
}
