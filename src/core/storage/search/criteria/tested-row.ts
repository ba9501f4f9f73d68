import type { RawBuilder } from 'kysely';

/** A row whose resource is tested: what it tells of the resource, as SQL. */
export interface TestedRow {
  readonly key: RawBuilder<unknown>;
  /** Where the row carries the clinical date: as a bigint, or as the low bound of its range. */
  readonly sortDate?: RawBuilder<unknown>;
  readonly low?: RawBuilder<unknown>;
  /** Alias of the row where it is a head, with HEAD_COLUMNS. */
  readonly head?: string;
}
