/** Computes in PostgreSQL the ids that keys stand for; search/rows/resource-key.ts computes the same in the program. */
import { sql, type RawBuilder } from 'kysely';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** Digits of 5 bits each: those of the key, then those of its checksum. */
const KEY_DIGITS = 13;
const SUM_DIGITS = 3;

/** SQL of the id that a key stands for; the key must not be negative. Cost: some microseconds for each row. */
export function idOfKeySql(key: RawBuilder<unknown>): RawBuilder<string> {
  const low = sql`(${key} & 4294967295)`;
  const high = sql`(${key} >> 32)`;
  // The next step uses each result twice; OFFSET makes PostgreSQL compute it once.
  return sql`(
    select ${digits(key, KEY_DIGITS)} || ${digits(sql`(s.mixed # (s.mixed >> 16))`, SUM_DIGITS)}
    from (select ${times(sql`(b.mixed # (b.mixed >> 13))`, 0x27d4eb2f)} as mixed
      from (select ${times(sql`(a.mixed # (a.mixed >> 15) # ${low})`, 0xc2b2ae35)} as mixed
        from (select ${times(sql`(${high} # ${sql.lit(0x5f356495)}::bigint)`, 0x85ebca6b)} as mixed offset 0) a
        offset 0) b
      offset 0) s)`;
}

/** SQL that writes the lowest bits of a number as digits. */
function digits(number: RawBuilder<unknown>, count: number): RawBuilder<string> {
  const each = Array.from({ length: count }, (_none, index) => {
    const shift = 5 * (count - 1 - index);
    return sql`substr(${sql.lit(ALPHABET)}, ((${number} >> ${sql.lit(shift)}) & 31)::int + 1, 1)`;
  });
  return sql<string>`(${sql.join(each, sql` || `)})`;
}

/** SQL of the lowest 32 bits of the product of two 32-bit numbers. No intermediate result exceeds 63 bits. */
function times(number: RawBuilder<unknown>, factor: number): RawBuilder<unknown> {
  const by = sql`${sql.lit(String(factor))}::bigint`;
  return sql`((((((${number} >> 16) * ${by}) & 65535) << 16) + (${number} & 65535) * ${by}) & 4294967295)`;
}
