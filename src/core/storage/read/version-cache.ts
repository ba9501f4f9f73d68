import { isCacheable } from '../../memory/cache-registry';
import { CachedSequences, NO_SEQUENCES } from '../write/cached-sequences';
import type { VersionMark, VersionRow } from './version-row';

/** Characters of the longest text that is cached: a longer one would evict many others. */
const MAX_LENGTH = 64 * 1024;
/** Bytes of a row beside its text, and of the entry of a type. */
const ROW_BYTES = 500;
/** A row holds the stored text and, once it was answered, the answered text. */
const COPIES = 2;
/** Share of the cache for replaced versions. */
const SHARE_OF_REPLACED = 1 / 32;

/**
 * Caches the versions that reads and searches of this process received last, so that PostgreSQL need not send their
 * texts again. Each read still asks PostgreSQL which versions are current, and uses a cached text only if it is of that
 * version. So nothing is stale, and a change needs no invalidation.
 *
 * Eviction works by generations: when the young generation is full it becomes the old one, and the previous old one is
 * dropped. A row of the old generation that is used becomes young again. An LRU list took 4 % of the processor in
 * searches.
 */
export class VersionCache {
  private readonly groups = new Map<string, CachedType>();
  private readonly sequences = new Map<number, CachedSequences>();
  private readonly replaced: ReplacedVersions;
  private readonly generationBytes: number;
  private youngBytes = 0;

  /** @param bytes approximate limit on the size of the cache; 0: nothing is cached */
  constructor(bytes: number) {
    this.generationBytes = bytes / 2;
    this.replaced = new ReplacedVersions(bytes * SHARE_OF_REPLACED);
  }

  /** Returns the cached versions of a type in a space. */
  of(space: number, type: number): CachedType {
    const name = `${space} ${type}`;
    let group = this.groups.get(name);
    if (group === undefined) {
      group = new CachedType({
        add: (row) => isCacheable(space) && this.add(row),
        addSequence: ({ sequence }) => this.sequencesOf(space).add(sequence),
        replace: (row) => {
          this.sequences.get(space)?.remove(row.sequence);
          this.replaced.put(space, row);
        },
        findReplaced: (mark) => this.replaced.find(space, mark),
      });
      // Entries of types without cached rows count too: many tenants have many of them.
      if (this.count(ROW_BYTES)) this.groups.set(name, group);
    }
    return group;
  }

  /**
   * Returns the sequences of cached versions of a space, as a bound value of statements (cached-sequences.ts). It has
   * only those of the young generation, which are still cached when the statement answers.
   */
  cachedSequences(space: number): Buffer {
    return this.sequences.get(space)?.buffer ?? NO_SEQUENCES;
  }

  /** Evicts all versions of these spaces, also from `CachedType` objects that reads in progress still hold. */
  evictSpaces(spaces: ReadonlySet<number>): void {
    this.replaced.clear();
    for (const space of spaces) this.sequences.delete(space);
    for (const [name, group] of this.groups) {
      if (!spaces.has(Number(name.slice(0, name.indexOf(' '))))) continue;
      group.clear();
      this.groups.delete(name);
    }
  }

  private sequencesOf(space: number): CachedSequences {
    let sequences = this.sequences.get(space);
    if (sequences === undefined) this.sequences.set(space, (sequences = new CachedSequences()));
    return sequences;
  }

  /** True if a row of this size may be cached; counts its bytes. */
  private add({ body }: VersionRow): boolean {
    return body.length <= MAX_LENGTH && this.count(sizeOf(body));
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

interface CacheOwner {
  /** True if the row may be cached. */
  add(row: VersionRow): boolean;
  /** Adds the row to the cached sequences that later statements are bound to. */
  addSequence(row: VersionRow): void;
  /** Called when another version replaces this row in the cache. */
  replace(row: VersionRow): void;
  findReplaced(mark: VersionMark): VersionRow | undefined;
}

/** The cached versions of one type and space, by the decimal form of their keys. */
export class CachedType {
  private young = new Map<string, VersionRow>();
  private old = new Map<string, VersionRow>();

  constructor(private readonly owner: CacheOwner) {}

  /** Returns the row of exactly this version. */
  find(keyText: string, mark: VersionMark): VersionRow | undefined {
    const row = this.latest(keyText);
    return isSame(row, mark) ? row : this.owner.findReplaced(mark);
  }

  /** Returns the row of the version that was cached last. */
  latest(keyText: string): VersionRow | undefined {
    return this.young.get(keyText) ?? this.renew(keyText);
  }

  private renew(keyText: string): VersionRow | undefined {
    const row = this.old.get(keyText);
    if (row === undefined) return undefined;
    this.old.delete(keyText);
    this.put(keyText, row);
    return row;
  }

  /** Caches a row with its text, in place of another version of the same resource. */
  put(keyText: string, row: VersionRow): void {
    const before = this.young.get(keyText);
    if (!this.owner.add(row)) return;
    this.young.set(keyText, row);
    if (before !== undefined && before !== row) this.owner.replace(before);
    this.owner.addSequence(row);
  }

  /**
   * Adds a cached row to the cached sequences again, because a statement sent its text: the table may have dropped its
   * entry (cached-sequences.ts).
   */
  addSequenceAgain(keyText: string, row: VersionRow): void {
    if (this.young.get(keyText) === row) this.owner.addSequence(row);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }

  /** Evicts the old generation; returns false if no row is left. */
  age(): boolean {
    this.old = this.young;
    this.young = new Map();
    return this.old.size > 0;
  }
}

/** Versions that were replaced recently: a statement under way may still be bound to their sequences. */
class ReplacedVersions {
  private young = new Map<string, VersionRow>();
  private old = new Map<string, VersionRow>();
  private youngBytes = 0;

  constructor(private readonly bytes: number) {}

  put(space: number, row: VersionRow): void {
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
