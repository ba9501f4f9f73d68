import { sql, type RawBuilder } from 'kysely';

/** True, or the statement fails with an error that `isLostRequirement` recognizes. */
export function requireThat(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`andiron.require(${condition})`;
}
