import type { StatementContext } from '../connection/database';

/** The context of statements that read or write many resources for a job. */
export function bulk(space: number): StatementContext {
  return { lane: 'search', space, isBulk: true };
}
