import { sql } from 'kysely';
import { Client } from 'pg';
import { clientConfiguration, type DatabaseOptions, type Row } from './database';
import { translateDatabaseError } from './database-error';
import { builder, defineStatement, template, type Bound, type Statement } from './statement';

const BEGIN = defineStatement(template(sql`begin`), { named: false });
const COMMIT = defineStatement(template(sql`commit`), { named: false });
const ROLLBACK = defineStatement(template(sql`rollback`), { named: false });

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;

/**
 * One connection of the owner, for work of an operator that the application role may not do. Row-level security does
 * not hold for it: every statement names its space.
 */
export class OwnerSession {
  private constructor(private readonly client: Client) {}

  /** Throws storageUnavailable when the database cannot be reached. */
  static async open(options: DatabaseOptions): Promise<OwnerSession> {
    const client = new Client(clientConfiguration(options));
    // A lost connection fails the statement, which tells; without a listener the event would end the process.
    client.on('error', () => undefined);
    const session = new OwnerSession(client);
    try {
      await client.connect();
      for (const setting of [
        sql`set jit = off`,
        sql`set random_page_cost = 1.1`,
        sql`set statement_timeout = ${sql.lit(options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS)}`,
        sql`set idle_in_transaction_session_timeout = 60000`,
      ]) {
        await client.query(setting.compile(builder).sql);
      }
      return session;
    } catch (error) {
      await session.close();
      throw translateDatabaseError(error).error;
    }
  }

  /** Runs one statement, inside the transaction if there is one. */
  async run(statement: Statement, bound: Readonly<Record<string, Bound>> = {}): Promise<Row[]> {
    try {
      const result = await this.client.query<unknown[]>({
        ...(statement.name === undefined ? {} : { name: statement.name }),
        text: statement.text,
        values: statement.values(bound),
        rowMode: 'array',
      });
      return result.rows;
    } catch (error) {
      throw translateDatabaseError(error).error;
    }
  }

  /** Runs `work` in one transaction; rolled back when it throws. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run(BEGIN);
    try {
      const result = await work();
      await this.run(COMMIT);
      return result;
    } catch (error) {
      // On a lost connection there is nothing left to roll back, and `error` says why.
      await this.run(ROLLBACK).catch(() => undefined);
      throw error;
    }
  }

  /** Lets go of everything that the connection held. */
  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}
