import { sql, type RawBuilder } from 'kysely';

/** True, or the statement fails by `isLostRequirement` (migrations/0030). */
export function requireThat(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`andiron.require(${condition})`;
}
