import { fhirError } from '../../errors';
import type { Database, Row, StatementContext } from '../connection/database';
import type { Bound, Statement } from '../connection/statement';
import { readKindOf } from './read-tables';
import { isReplicaFailure } from './replica';

/** A statement that a snapshot of a replica cannot answer: the work begins again at the primary. */
export const UNFIT = new Error('a replica cannot answer this statement');

/**
 * A snapshot of a replica. Statements that read no data of spaces, such as those of accounts, run at the primary. After a failure of
 * the replica nothing more is read, and `requireWhole` throws, also where the work has handled the error.
 */
export class ReplicaSnapshot implements Database {
  private failure: Error | undefined;

  constructor(
    private readonly snapshot: Database,
    private readonly primary: Database,
    /** The spaces whose data it may show. */
    private readonly spaces: ReadonlySet<number>,
  ) {}

  async run(
    context: StatementContext,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<Row[]> {
    if (this.failure !== undefined) throw fhirError('storageUnavailable');
    const kind = readKindOf(statement.text);
    if (kind === 'apart') return this.primary.run(context, statement, bound);
    if (kind === 'mixed' || context.space === undefined || !this.spaces.has(context.space)) {
      this.failure = UNFIT;
      throw fhirError('storageUnavailable');
    }
    try {
      return await this.snapshot.run(context, statement, bound);
    } catch (error) {
      if (isReplicaFailure(error)) this.failure ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** Throws the failure of the replica, if there was one. */
  requireWhole(): void {
    if (this.failure !== undefined) throw this.failure;
  }
}
