import { mayRemember } from '../process-memory';
import type { VersionMark, VersionRow } from './version-row';

/** Longer texts would push out many others. */
const MOST_LENGTH = 64 * 1024;
/** Bytes of a row beside its text, and of what is kept of a type. */
const ROW_BYTES = 500;
/** A row holds its text as it is stored and, once it was answered, as it was answered. */
const COPIES = 2;
/** Weight of the latest row in the share of rows that were known. */
const WEIGHT = 1 / 256;
/** From this share of known rows on, asking for what is not known costs less than it saves. */
const WARM = 0.75;

/**
 * The last versions that reads and searches of this process came across, so that PostgreSQL need not send their texts
 * again: it is always asked which versions are current, and a text is taken from here only if it is of that very
 * version. Nothing is ever stale, and nothing need be told when something changes.
 *
 * What was not used for long is forgotten by halves: a young generation becomes the old one when it is full, and what
 * is used of the old one is young again (a list of uses took 4 % of the processor in searches).
 */
export class VersionMemory {
  private readonly groups = new Map<string, RememberedType>();
  private readonly generationBytes: number;
  private youngBytes = 0;

  /** @param bytes of the texts at most, about; 0: nothing is remembered */
  constructor(bytes: number) {
    this.generationBytes = bytes / 2;
  }

  /** What is remembered of a type in a space. */
  of(space: number, type: number): RememberedType {
    const name = `${space} ${type}`;
    let group = this.groups.get(name);
    if (group === undefined) {
      group = new RememberedType((row) => mayRemember(space) && this.add(row));
      // Those that nothing was ever kept of are many too, where there are many tenants.
      if (this.count(ROW_BYTES)) this.groups.set(name, group);
    }
    return group;
  }

  /** Also those that somebody who reads at this moment still holds. */
  forgetSpaces(spaces: ReadonlySet<number>): void {
    for (const [name, group] of this.groups) {
      if (!spaces.has(Number(name.slice(0, name.indexOf(' '))))) continue;
      group.clear();
      this.groups.delete(name);
    }
  }

  /** Whether a row of this size may be kept; counts it. */
  private add({ body }: VersionRow): boolean {
    return body.length <= MOST_LENGTH && this.count(ROW_BYTES + COPIES * body.length);
  }

  private count(bytes: number): boolean {
    if (bytes > this.generationBytes) return false;
    if (this.youngBytes + bytes > this.generationBytes) this.age();
    this.youngBytes += bytes;
    return true;
  }

  private age(): void {
    for (const [name, group] of this.groups) if (!group.age()) this.groups.delete(name);
    this.youngBytes = 0;
  }
}

/** The versions of one type and space that are remembered, by the decimal form of their keys. */
export class RememberedType {
  private young = new Map<string, VersionRow>();
  private old = new Map<string, VersionRow>();
  /** Of what was lately found, the share that was known. */
  private knownShare = 0;

  constructor(private readonly add: (row: VersionRow) => boolean) {}

  get isWarm(): boolean {
    return this.knownShare > WARM;
  }

  /** The row of that very version. */
  find(keyText: string, mark: VersionMark): VersionRow | undefined {
    const row = this.latest(keyText);
    const isKnown =
      row?.version === mark.version && row.sequence === mark.sequence && row.lastUpdated === mark.lastUpdated;
    this.knownShare += WEIGHT * ((isKnown ? 1 : 0) - this.knownShare);
    return isKnown ? row : undefined;
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
    if (this.add(row)) this.young.set(keyText, row);
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
