import { sql, type RawBuilder } from 'kysely';

/** True, or the statement fails by `isLostRequirement`. */
export function requireThat(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`andiron.require(${condition})`;
}
