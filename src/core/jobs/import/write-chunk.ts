/** Writes the lines of one chunk of an import, part by part. */
import type { ImportSource } from '../../api/imports';
import type { ImportPart } from '../../storage/jobs/import-part';
import { ImportPartWritten, type StoredChunk } from '../../storage/jobs/import-chunks';
import type { ReadLine, UnreadableLine } from './read-lines';
import { refusedLine } from './refused-line';
import { writeLines, type LineFates, type WriteTools } from './write-lines';

/** A chunk whose lines are read. */
export interface ReadChunk {
  readonly id: string;
  readonly source: ImportSource;
  readonly chunk: StoredChunk;
  readonly lines: readonly (ReadLine | UnreadableLine)[];
}

export interface ChunkTools extends WriteTools {
  /** As `LinesToWrite`. */
  readonly isLast: boolean;
  /** How many refused lines may still be listed; the others are only counted. */
  readonly room: { lines: number };
  /** `Type/id` of the lines that wait in this pass: later lines of the same resources wait too. */
  readonly waitingNames: Set<string>;
}

/** Of more waiting lines the order of lines of one resource is not kept: their names would be in memory. */
export const MOST_WAITING_NAMES = 300_000;

/** The resources that a chunk writes, by type and id. */
export function resourcesOf({ lines }: ReadChunk): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => ('error' in line || line.id === undefined ? [] : [nameOf(line)])));
}

/** Writes what is left of a chunk. False: another attempt has written some of it, so that it must be read again. */
export async function writeChunk(tools: ChunkTools, read: ReadChunk): Promise<boolean> {
  let progress = new ChunkProgress(read);
  while (progress.left.length > 0) {
    const { lines, unreadable, behind } = progress.next(tools);
    const before = progress;
    const toNext = (fates: LineFates): ReturnType<ChunkProgress['after']> =>
      before.after(tools, unreadable, { ...fates, waiting: [...fates.waiting, ...behind] });
    try {
      const fates = await writeLines(tools, {
        lines,
        isLast: tools.isLast,
        toParts: (some) => [toNext(some).part],
      });
      noteWaiting(tools, fates.waiting);
      const { part, progress: next } = toNext(fates);
      tools.room.lines -= part.refused.length;
      progress = next;
    } catch (error) {
      if (error instanceof ImportPartWritten) return false;
      throw error;
    }
  }
  return true;
}

/** Notes that these lines wait. */
export function noteWaiting(
  { waitingNames }: Pick<ChunkTools, 'waitingNames'>,
  lines: readonly ReadLine[],
): void {
  for (const line of lines)
    if (line.id !== undefined && waitingNames.size < MOST_WAITING_NAMES) waitingNames.add(nameOf(line));
}

/** How far a chunk is written. */
export class ChunkProgress {
  constructor(
    readonly read: ReadChunk,
    readonly left: readonly (ReadLine | UnreadableLine)[] = read.lines,
    private readonly step = read.chunk.step,
    private readonly waiting: readonly number[] = read.chunk.waiting,
  ) {}

  /** Returns the next lines, as a transaction writes each resource once. `behind`: they wait for earlier lines of their resources. */
  next({ waitingNames }: Pick<ChunkTools, 'waitingNames'>): {
    readonly lines: readonly ReadLine[];
    readonly unreadable: readonly UnreadableLine[];
    readonly behind: readonly ReadLine[];
  } {
    const lines: ReadLine[] = [];
    const behind: ReadLine[] = [];
    const unreadable: UnreadableLine[] = [];
    const names = new Set<string>();
    for (const line of this.left) {
      if ('error' in line) {
        unreadable.push(line);
        continue;
      }
      if (line.id !== undefined) {
        if (waitingNames.has(nameOf(line))) {
          behind.push(line);
          continue;
        }
        if (names.has(nameOf(line))) break;
        names.add(nameOf(line));
      }
      lines.push(line);
    }
    return { lines, unreadable, behind };
  }

  /** Returns the part of these lines, and the progress after it. */
  after(
    { room }: Pick<ChunkTools, 'room'>,
    unreadable: readonly UnreadableLine[],
    { written, refused, waiting, left }: LineFates,
  ): { readonly part: ImportPart; readonly progress: ChunkProgress } {
    const { id, source, chunk } = this.read;
    const done = new Set<number>();
    for (const { place } of [...unreadable, ...written, ...refused.map(([line]) => line), ...waiting])
      done.add(place);
    for (const { place } of left) done.delete(place);
    const rest = this.left.filter(({ place }) => !done.has(place));
    const allWaiting = [...this.waiting, ...waiting.map(({ place }) => place)];
    const outcomes = [
      ...unreadable.map(({ place, error }) =>
        refusedLine(source.name, chunk.firstLine + place, error.issues),
      ),
      ...refused.map(([{ place }, issues]) => refusedLine(source.name, chunk.firstLine + place, issues)),
    ];
    const listed = Math.max(0, Math.min(outcomes.length, room.lines));
    const isPassOver = rest.length === 0 && allWaiting.length > 0;
    const part: ImportPart = {
      ...{ id, file: chunk.file, number: chunk.number, step: this.step },
      pass: isPassOver ? chunk.pass + 1 : chunk.pass,
      todo: isPassOver ? [...allWaiting].sort((one, other) => one - other) : rest.map(({ place }) => place),
      waiting: isPassOver ? [] : allWaiting,
      written: written.length,
      refused: outcomes.slice(0, listed),
      unlisted: outcomes.length - listed,
    };
    return { part, progress: new ChunkProgress(this.read, rest, this.step + 1, allWaiting) };
  }
}

/** Returns `Type/id` of a line; the id is empty where the server assigns it. */
export function nameOf({ type, id }: ReadLine): string {
  return `${type}/${id ?? ''}`;
}
