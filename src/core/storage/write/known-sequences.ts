import { sql, type RawBuilder } from 'kysely';

/** An entry tells 32 sequences that follow each other: the number of the group, and a bit for each that is known. */
const ENTRY_BYTES = 8;
const LEAST_ENTRIES = 8;
/** 32 kB in each statement at most, some 20 µs of both sides: 131,072 sequences without gaps, or 4,096 groups. */
const MOST_ENTRIES = 4096;

/** What a statement is bound to that may leave nothing out. */
export const NOTHING_KNOWN = Buffer.alloc(ENTRY_BYTES);

/**
 * Which versions of a space a process remembers, by their sequences, in a form that PostgreSQL looks into for each row that
 * it finds: so one statement leaves out the texts that are known, though nobody knew what it would find. What it tells is
 * true; of many groups far apart some are not told, and those texts come again. Cost: `buffer` none.
 */
export class KnownSequences {
  private table = Buffer.alloc(ENTRY_BYTES * LEAST_ENTRIES);
  private used = 0;

  /** The value of `isKnownSql`. It goes on to change. */
  get buffer(): Buffer {
    return this.table;
  }

  add(sequence: number): void {
    // Of base resources, and of what stands in no history, all have the sequence 0.
    if (sequence <= 0) return;
    const group = sequence >>> 5;
    let at = this.placeOf(group);
    if (!this.isOf(at, group)) {
      if (this.used >= this.entries / 2 && this.entries < MOST_ENTRIES) {
        this.grow();
        at = this.placeOf(group);
      }
      if (this.bitsAt(at) === 0) this.used++;
      this.table.writeUInt32BE(group, at);
      this.table.writeUInt32LE(0, at + 4);
    }
    this.table.writeUInt32LE((this.bitsAt(at) | (1 << (sequence & 31))) >>> 0, at + 4);
  }

  remove(sequence: number): void {
    const group = sequence >>> 5;
    const at = this.placeOf(group);
    if (!this.isOf(at, group)) return;
    const bits = (this.bitsAt(at) & ~(1 << (sequence & 31))) >>> 0;
    this.table.writeUInt32LE(bits, at + 4);
    if (bits === 0) this.used--;
  }

  private get entries(): number {
    return this.table.length / ENTRY_BYTES;
  }

  /** The number of entries is a power of two. */
  private placeOf(group: number): number {
    return (group & (this.entries - 1)) * ENTRY_BYTES;
  }

  private bitsAt(at: number): number {
    return this.table.readUInt32LE(at + 4);
  }

  private isOf(at: number, group: number): boolean {
    return this.bitsAt(at) !== 0 && this.table.readUInt32BE(at) === group;
  }

  /** A new table: the one before may wait to be sent. */
  private grow(): void {
    const before = this.table;
    this.table = Buffer.alloc(2 * before.length);
    for (let at = 0; at < before.length; at += ENTRY_BYTES)
      if (before.readUInt32LE(at + 4) !== 0)
        before.copy(this.table, this.placeOf(before.readUInt32BE(at)), at, at + ENTRY_BYTES);
  }
}

/** Whether the version with this sequence is one of those that `known`, the `buffer` of `KnownSequences`, tells. */
export function isKnownSql(known: RawBuilder<unknown>, sequence: RawBuilder<unknown>): RawBuilder<unknown> {
  const place = sql`(${sequence} >> 5 & (octet_length(${known}) >> 3) - 1)`;
  return sql`substring(${known} from ${place} * 8 + 1 for 4) = int4send(${sequence} >> 5)
    and get_bit(${known}, ${place} * 64 + 32 + (${sequence} & 31)) = 1`;
}
