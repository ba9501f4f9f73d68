import { sql, type RawBuilder } from 'kysely';

/** Bytes of an entry for 32 consecutive sequences: the low half of the group's number, and a bit for each cached sequence. */
const ENTRY_BYTES = 8;
const MIN_ENTRIES = 8;
/** At most 32 kB in each statement, some 20 µs on both sides: 131,072 sequences without gaps, or 4,096 groups. */
const MAX_ENTRIES = 4096;

/** Bound value of a statement that must not omit any text. */
export const NO_SEQUENCES = Buffer.alloc(ENTRY_BYTES);

/**
 * The sequences of the versions of a space that a process caches, as a table that PostgreSQL checks for each row that
 * it finds. So one statement can omit the texts of cached versions, although its matches are not known before. The
 * table has no wrong entries among sequences less than 2^37 apart, and a reader reads a text that it does not have;
 * colliding groups overwrite each other, and the texts of the lost ones are sent again.
 * Cost: `buffer` is free.
 */
export class CachedSequences {
  private table = Buffer.alloc(ENTRY_BYTES * MIN_ENTRIES);
  private used = 0;

  /** Bound value for `isCachedSql`. Later calls change its content. */
  get buffer(): Buffer {
    return this.table;
  }

  add(sequence: number): void {
    // Base resources, and versions that are in no history, all have the sequence 0.
    if (sequence <= 0) return;
    const group = groupOf(sequence);
    let at = this.placeOf(group);
    if (!this.isOf(at, group)) {
      if (this.used >= this.entries / 2 && this.entries < MAX_ENTRIES) {
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
    const group = groupOf(sequence);
    const at = this.placeOf(group);
    if (!this.isOf(at, group)) return;
    const bits = (this.bitsAt(at) & ~(1 << (sequence & 31))) >>> 0;
    this.table.writeUInt32LE(bits, at + 4);
    if (bits === 0) this.used--;
  }

  private get entries(): number {
    return this.table.length / ENTRY_BYTES;
  }

  /** Byte offset of the entry of a group; the number of entries is a power of two. */
  private placeOf(group: number): number {
    return (group & (this.entries - 1)) * ENTRY_BYTES;
  }

  private bitsAt(at: number): number {
    return this.table.readUInt32LE(at + 4);
  }

  private isOf(at: number, group: number): boolean {
    return this.bitsAt(at) !== 0 && this.table.readUInt32BE(at) === group;
  }

  /** Copies into a new table, because the old one may be waiting to be sent. */
  private grow(): void {
    const before = this.table;
    this.table = Buffer.alloc(2 * before.length);
    for (let at = 0; at < before.length; at += ENTRY_BYTES)
      if (before.readUInt32LE(at + 4) !== 0)
        before.copy(this.table, this.placeOf(before.readUInt32BE(at)), at, at + ENTRY_BYTES);
  }
}

/** The low 32 bits of the number of a sequence's group. */
function groupOf(sequence: number): number {
  return Math.floor(sequence / 32) >>> 0;
}

/** Condition that `cached`, the `buffer` of `CachedSequences`, has the sequence. */
export function isCachedSql(cached: RawBuilder<unknown>, sequence: RawBuilder<unknown>): RawBuilder<unknown> {
  const group = sql`(${sequence}::bigint >> 5)`;
  const place = sql`(${group} & (octet_length(${cached}) >> 3) - 1)::int`;
  return sql`substring(${cached} from ${place} * 8 + 1 for 4) = substring(int8send(${group}) from 5)
    and get_bit(${cached}, ${place} * 64 + 32 + (${sequence} & 31)::int) = 1`;
}
