import type { RawBuilder } from 'kysely';

/** A row whose resource is tested, as SQL. */
export interface TestedRow {
  readonly key: RawBuilder<unknown>;
  /** Clinical date of the row, if the row has one: as a bigint, or as the low bound of its range. */
  readonly sortDate?: RawBuilder<unknown>;
  readonly low?: RawBuilder<unknown>;
  /** Alias of the row if it is a head, with HEAD_COLUMNS. */
  readonly head?: string;
}
