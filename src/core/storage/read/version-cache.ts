import { isCacheable } from '../../erasure/cache-registry';
import { KnownSequences, NOTHING_KNOWN } from '../write/known-sequences';
import type { VersionMark, VersionRow } from './version-row';

/** Longer texts would push out many others. */
const MOST_LENGTH = 64 * 1024;
/** Bytes of a row beside its text, and of what is kept of a type. */
const ROW_BYTES = 500;
/** A row holds its text as it is stored and, once it was answered, as it was answered. */
const COPIES = 2;
/** Of all that may be remembered, the share of those that stood before others. */
const SHARE_OF_REPLACED = 1 / 32;

/**
 * The last versions that reads and searches of this process came across, so that PostgreSQL need not send their texts
 * again: it is always asked which versions are current, and a text is taken from here only if it is of that very
 * version. Nothing is ever stale, and nothing need be told when something changes.
 *
 * What was not used for long is forgotten by halves: a young generation becomes the old one when it is full, and what
 * is used of the old one is young again (a list of uses took 4 % of the processor in searches).
 */
export class VersionCache {
  private readonly groups = new Map<string, RememberedType>();
  private readonly sequences = new Map<number, KnownSequences>();
  private readonly replaced: ReplacedVersions;
  private readonly generationBytes: number;
  private youngBytes = 0;

  /** @param bytes of the texts at most, about; 0: nothing is remembered */
  constructor(bytes: number) {
    this.generationBytes = bytes / 2;
    this.replaced = new ReplacedVersions(bytes * SHARE_OF_REPLACED);
  }

  /** What is remembered of a type in a space. */
  of(space: number, type: number): RememberedType {
    const name = `${space} ${type}`;
    let group = this.groups.get(name);
    if (group === undefined) {
      group = new RememberedType({
        add: (row) => isCacheable(space) && this.add(row),
        tell: ({ sequence }) => this.sequencesOf(space).add(sequence),
        replace: (row) => {
          this.sequences.get(space)?.remove(row.sequence);
          this.replaced.keep(space, row);
        },
        findReplaced: (mark) => this.replaced.find(space, mark),
      });
      // Those that nothing was ever kept of are many too, where there are many tenants.
      if (this.count(ROW_BYTES)) this.groups.set(name, group);
    }
    return group;
  }

  /**
   * What a statement is told of the versions that are remembered of a space (known-sequences.ts): of the young ones, which
   * will still be there when it answers.
   */
  known(space: number): Buffer {
    return this.sequences.get(space)?.buffer ?? NOTHING_KNOWN;
  }

  /** Also those that somebody who reads at this moment still holds. */
  forgetSpaces(spaces: ReadonlySet<number>): void {
    this.replaced.clear();
    for (const space of spaces) this.sequences.delete(space);
    for (const [name, group] of this.groups) {
      if (!spaces.has(Number(name.slice(0, name.indexOf(' '))))) continue;
      group.clear();
      this.groups.delete(name);
    }
  }

  private sequencesOf(space: number): KnownSequences {
    let sequences = this.sequences.get(space);
    if (sequences === undefined) this.sequences.set(space, (sequences = new KnownSequences()));
    return sequences;
  }

  /** Whether a row of this size may be kept; counts it. */
  private add({ body }: VersionRow): boolean {
    return body.length <= MOST_LENGTH && this.count(sizeOf(body));
  }

  private count(bytes: number): boolean {
    if (bytes > this.generationBytes) return false;
    if (this.youngBytes + bytes > this.generationBytes) this.age();
    this.youngBytes += bytes;
    return true;
  }

  private age(): void {
    this.sequences.clear();
    for (const [name, group] of this.groups) if (!group.age()) this.groups.delete(name);
    this.youngBytes = 0;
  }
}

function sizeOf(body: string): number {
  return ROW_BYTES + COPIES * body.length;
}

interface Whole {
  /** Whether a row may be kept. */
  add(row: VersionRow): boolean;
  /** Statements are told from now on that it is known. */
  tell(row: VersionRow): void;
  /** Another version has taken its place. */
  replace(row: VersionRow): void;
  findReplaced(mark: VersionMark): VersionRow | undefined;
}

/** The versions of one type and space that are remembered, by the decimal form of their keys. */
export class RememberedType {
  private young = new Map<string, VersionRow>();
  private old = new Map<string, VersionRow>();

  constructor(private readonly whole: Whole) {}

  /** The row of that very version. */
  find(keyText: string, mark: VersionMark): VersionRow | undefined {
    const row = this.latest(keyText);
    return isSame(row, mark) ? row : this.whole.findReplaced(mark);
  }

  /** The row of whatever version was remembered last. */
  latest(keyText: string): VersionRow | undefined {
    return this.young.get(keyText) ?? this.renew(keyText);
  }

  private renew(keyText: string): VersionRow | undefined {
    const row = this.old.get(keyText);
    if (row === undefined) return undefined;
    this.old.delete(keyText);
    this.keep(keyText, row);
    return row;
  }

  /** Remembers a row with its text in the place of another version of the same resource. */
  keep(keyText: string, row: VersionRow): void {
    const before = this.young.get(keyText);
    if (!this.whole.add(row)) return;
    this.young.set(keyText, row);
    if (before !== undefined && before !== row) this.whole.replace(before);
    this.whole.tell(row);
  }

  /** A row that came with its text though it is remembered: not all that is known can be told (known-sequences.ts). */
  tellAgain(keyText: string, row: VersionRow): void {
    if (this.young.get(keyText) === row) this.whole.tell(row);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }

  /** Forgets what is old; false when nothing is left. */
  age(): boolean {
    this.old = this.young;
    this.young = new Map();
    return this.old.size > 0;
  }
}

/** Versions that stood before others until lately: a statement under way may have been told that they are known. */
class ReplacedVersions {
  private young = new Map<string, VersionRow>();
  private old = new Map<string, VersionRow>();
  private youngBytes = 0;

  constructor(private readonly bytes: number) {}

  keep(space: number, row: VersionRow): void {
    const bytes = sizeOf(row.body);
    if (this.youngBytes + bytes > this.bytes / 2) {
      this.old = this.young;
      this.young = new Map();
      this.youngBytes = 0;
    }
    this.youngBytes += bytes;
    this.young.set(nameOf(space, row), row);
  }

  find(space: number, mark: VersionMark): VersionRow | undefined {
    if (this.young.size === 0 && this.old.size === 0) return undefined;
    const name = nameOf(space, mark);
    const row = this.young.get(name) ?? this.old.get(name);
    return isSame(row, mark) ? row : undefined;
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
    this.youngBytes = 0;
  }
}

function nameOf(space: number, { sequence }: VersionMark): string {
  return `${space} ${sequence}`;
}

function isSame(row: VersionRow | undefined, mark: VersionMark): row is VersionRow {
  return (
    row?.version === mark.version && row.sequence === mark.sequence && row.lastUpdated === mark.lastUpdated
  );
}
