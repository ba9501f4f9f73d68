/** The proof that a connection runs as the application role with row-level security in force. */
import { sql, type RawBuilder } from 'kysely';
import type { Log } from '../../context';
import { APPLICATION_ROLE } from './database';
import { defineStatement, template } from './statement';
import { TENANT_TABLES } from '../schema/tenant-tables';

const TABLES = sql.join(Object.keys(TENANT_TABLES).map((name) => sql.lit(name)));

/**
 * True if the current role is the application role and row-level security applies to it in every tenant table.
 * **Cost**: an index probe of the catalog for each table.
 */
export const IS_ROW_SECURE: RawBuilder<boolean> = sql<boolean>`(
  select current_user = ${sql.lit(APPLICATION_ROLE)} and coalesce(bool_and(row_security_active(c.oid)), false)
  from pg_class c where c.relnamespace = 'andiron'::regnamespace and c.relname in (${TABLES}))`;

export const PROVE_ROW_SECURITY = defineStatement(template(sql`select ${IS_ROW_SECURE}`));

/** The proof failed on a connection, which must not be used. */
export class RowSecurityError extends Error {
  constructor() {
    super('row-level security is off on a connection');
    this.name = 'RowSecurityError';
  }
}

/** Milliseconds for which a proof is valid. */
const PROOF_INTERVAL_MS = 60_000;

/** The results of the proofs of all connections of a process. */
export class RowSecurity {
  #holds = true;
  #failedAt = 0;

  constructor(
    private readonly log: Log,
    private readonly intervalMs: number = PROOF_INTERVAL_MS,
  ) {}

  /** The result of the last proof. */
  get holds(): boolean {
    return this.#holds;
  }

  /** True if a connection that was proven then must be proven again: after a minute, and after each failure. */
  isDue(provenAt: number): boolean {
    return performance.now() - provenAt >= this.intervalMs || provenAt <= this.#failedAt;
  }

  /** Records the result of a proof; one log line per change. **Throws** RowSecurityError if it failed. */
  record(holds: boolean): void {
    if (!holds) this.#failedAt = performance.now();
    if (holds !== this.#holds) {
      this.#holds = holds;
      if (holds) this.log.info({}, 'row-level security is on again');
      else
        this.log.error(
          {},
          'row-level security is off on a connection, which is closed; others are checked before they are used again',
        );
    }
    if (!holds) throw new RowSecurityError();
  }
}
