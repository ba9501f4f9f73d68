/** The proof that a connection runs as the application role with row-level security in force, and what it last gave. */
import { sql, type RawBuilder } from 'kysely';
import type { Log } from '../../context';
import { APPLICATION_ROLE } from './database';
import { defineStatement, template } from './statement';
import { TENANT_TABLES } from '../schema/tenant-tables';

const TABLES = sql.join(Object.keys(TENANT_TABLES).map((name) => sql.lit(name)));

/**
 * True where the role is the application's and row-level security holds for it in every table of tenants. Cost: an index
 * probe of the catalog for each table.
 */
export const IS_ROW_SECURE: RawBuilder<boolean> = sql<boolean>`(
  select current_user = ${sql.lit(APPLICATION_ROLE)} and coalesce(bool_and(row_security_active(c.oid)), false)
  from pg_class c where c.relnamespace = 'andiron'::regnamespace and c.relname in (${TABLES}))`;

export const PROVE_ROW_SECURITY = defineStatement(template(sql`select ${IS_ROW_SECURE}`));

/** A connection on which the proof fails. It must not be used. */
export class RowSecurityError extends Error {
  constructor() {
    super('row-level security is not in force on a connection');
    this.name = 'RowSecurityError';
  }
}

/** Milliseconds for which a proof counts. */
const PROOF_INTERVAL_MS = 60_000;

/** What the proofs of all connections of a process gave. */
export class RowSecurity {
  #holds = true;
  #failedAt = 0;

  constructor(
    private readonly log: Log,
    private readonly intervalMs: number = PROOF_INTERVAL_MS,
  ) {}

  /** What the last proof gave. */
  get holds(): boolean {
    return this.#holds;
  }

  /** Whether a connection that was proven at that moment must be proven again: after a minute, and after each failure. */
  isDue(provenAt: number): boolean {
    return performance.now() - provenAt >= this.intervalMs || provenAt <= this.#failedAt;
  }

  /** Notes what a proof gave; one log line per change. **Throws** RowSecurityError where it failed. */
  record(holds: boolean): void {
    if (!holds) this.#failedAt = performance.now();
    if (holds !== this.#holds) {
      this.#holds = holds;
      if (holds) this.log.info({}, 'row-level security is in force again');
      else
        this.log.error(
          {},
          'row-level security is not in force on a connection, which is closed; others are proven before they are used again',
        );
    }
    if (!holds) throw new RowSecurityError();
  }
}
