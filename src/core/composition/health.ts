import type { OutdatedIndex } from '../api/index-work';
import type { Readiness } from '../api/process';
import type { RedisCache } from '../cache/redis-cache';
import type { Log } from '../context';
import { describeDifferences, type RowRules } from '../search/parameters/row-rules';
import type { Database } from '../storage/connection/database';
import type { PrimaryConnections } from '../storage/connection/connections';
import type { NodeConnections } from '../storage/nodes/node-connections';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { readInstalled } from '../storage/schema/installed';
import type { RowRecord } from '../storage/indexing/row-record';
import { PROGRAM_SCHEMA } from '../storage/schema/program-schema';
import type { Replicas } from '../storage/replicas/replicas';
import type { BaseServices } from './create-foundation';

export const OTHER_DEFINITIONS =
  'A process with other definitions has replaced the base conformance resources: restart this one';

const NOT_READ = { count: 0, madeWith: [] };
const ROW_SECURITY_OFF = 'Row-level security is off: no request is answered until it is on';

export interface HealthParts {
  readonly database: PrimaryConnections;
  /** Of a distributed database. */
  readonly nodes?: Pick<NodeConnections, 'describeAway'> | undefined;
  readonly replicas?: Pick<Replicas, 'notices'> | undefined;
  readonly log: Log;
  readonly cache: RedisCache;
  readonly record: RowRecord;
  /** The indexing rules of this process, by release. */
  readonly rules: RowRules;
  /** Digest of the base conformance resources of this program. */
  readonly digest: string;
  /** The number of this program's schema. */
  readonly schema: number;
  /** True: there is a role to which row-level security applies. */
  readonly hasRowSecurity: boolean;
}

export function createHealth(
  { database, nodes, replicas, cache, record, rules, baseDigest, installation }: BaseServices,
  log: Log,
): Health {
  return new Health({
    ...{ database, nodes, replicas, log, cache, record, rules },
    schema: PROGRAM_SCHEMA,
    digest: baseDigest,
    hasRowSecurity: installation.hasRowSecurity,
  });
}

/** The state of this process, in words for an operator. */
export class Health {
  #mayWrite = true;
  #asked: Promise<Readiness> | undefined;
  readonly #announced = new Set<string>();

  constructor(private readonly parts: HealthParts) {}

  async outdatedIndex(): Promise<OutdatedIndex> {
    const { nodes, rules } = this.parts;
    const { count, madeWith } = await this.#outdated((await nodes?.describeAway()) ?? []);
    return { spaces: count, madeWith, now: rules, different: describeDifferences(madeWith, rules) };
  }

  /**
   * Answers within about two seconds, whatever the state of the database, or four if a node of it does not answer. Concurrent calls
   * share the answer.
   */
  readiness(): Promise<Readiness> {
    this.#asked ??= this.#ask().finally(() => (this.#asked = undefined));
    return this.#asked;
  }

  /** Adds a notice, until the returned function is called. */
  announce(notice: string): () => void {
    this.#announced.add(notice);
    return () => this.#announced.delete(notice);
  }

  async #ask(): Promise<Readiness> {
    const { database, nodes, replicas, cache, rules, digest, hasRowSecurity } = this.parts;
    const away = (await nodes?.describeAway()) ?? [];
    const notices = [
      ...away,
      ...this.#announced,
      ...(hasRowSecurity
        ? []
        : [
            'The role that row-level security holds for could not be made: the second wall between tenants is missing',
          ]),
      ...(replicas?.notices ?? []),
      ...(cache.isReachable ? [] : ['Redis cannot be reached: everything works, slower']),
    ];
    try {
      const [{ installed, outdated }, troubles] = await Promise.all([
        // Read from the database, because the notice may be lost.
        database.probe.query(async (probed) => {
          const installed = await readInstalled(probed);
          if (hasRowSecurity) database.rowSecurity.record(installed.isRowSecure);
          return { installed, outdated: await this.#outdated(away, probed) };
        }),
        database.probe.troubles(),
      ]);
      if (installed.digest !== digest) notices.push(OTHER_DEFINITIONS);
      const { count, madeWith } = outdated;
      if (count > 0)
        notices.push(
          `The search index of ${count} spaces (a space is a tenant's data of one release) was made with ${describeDifferences(madeWith, rules).join(', and with ')}: searches may miss something until npx --no-install andiron reindex has run`,
        );
      const mayWrite = this.#recordLeast(installed.leastSchema);
      if (!mayWrite)
        notices.push(
          `The database needs a program of schema ${installed.leastSchema} or later, and this one has ${this.parts.schema}: replace this process by a newer version`,
        );
      return { ready: mayWrite && troubles.length === 0, notices: [...notices, ...troubles] };
    } catch (error) {
      const isInsecure = hasRowSecurity && !database.rowSecurity.holds;
      const reason = isDatabaseTrouble(error) ? error.message : 'The database cannot be reached';
      return { ready: false, notices: [...notices, isInsecure ? ROW_SECURITY_OFF : reason] };
    }
  }

  /** Spaces with rows of other rules, whose records are on all nodes: empty while nodes are `away`, because it cannot be known then. */
  async #outdated(
    away: readonly string[],
    database?: Database,
  ): Promise<Pick<OutdatedIndex, 'madeWith'> & { readonly count: number }> {
    return away.length > 0 ? NOT_READ : this.parts.record.outdated(database);
  }

  /** Returns whether a program of this schema may still write; logs each change once. */
  #recordLeast(least: number): boolean {
    const { schema, log } = this.parts;
    const mayWrite = schema >= least;
    if (mayWrite !== this.#mayWrite) {
      this.#mayWrite = mayWrite;
      log.warn(
        { least, schema },
        mayWrite
          ? 'this schema version may write to the database again'
          : 'a newer version has changed the database and this program may soon fail to write: not ready any more',
      );
    }
    return mayWrite;
  }
}
