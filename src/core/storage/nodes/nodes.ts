import { sql } from 'kysely';
import type { Client } from 'pg';
import { readFunctions } from '../../../../migrations';
import { createCache } from '../../memory/create-cache';
import type { DatabaseOptions, NodeDirectory, Shards } from '../connection/database';
import { closeClient, openClient, withinLimit } from '../connection/open-client';
import { builder, defineStatement, template, type Statement } from '../connection/statement';
import { describeUntested, readCluster } from './cluster';
import { GroupFunctions } from './group-functions';
import { GUARD } from './guard';
import { Placement, READ_PLACEMENT, type Node, type ShardGroup } from './placement';
import { ShardNames } from './shard-names';

/** Milliseconds in which the coordinator must say where the shards are. */
const TIME_LIMIT_MS = 5_000;

const HAS_CITUS = sql`
  select to_regclass('pg_catalog.pg_dist_partition') is not null as found`;

const CHANGES =
  /\b(?:insert|update|delete|merge|truncate|call|do|lock|share|nextval|setval|pg_advisory\w*|pg_notify)\b/i;

interface GroupNames {
  readonly names: ShardNames;
  readonly read: Statement;
  readonly change: Statement;
}

/**
 * The nodes of a database that is distributed by Citus, and which of them has the rows of a space. Statements of a space run there, on
 * the shards by their own names (docs/understand/distributed.md).
 */
export class Nodes implements NodeDirectory, Shards {
  private reading: Promise<void> | undefined;
  private readonly groups = new WeakMap<ShardGroup, GroupNames>();
  /** Groups whose functions were found or made on their nodes. */
  private readonly ensured = new WeakMap<ShardGroup, Promise<void>>();
  private readonly kinds = createCache<string, boolean>({
    name: 'shard-changes',
    scope: 'program',
    max: 2_000,
  });

  private constructor(
    private readonly options: DatabaseOptions,
    private placement: Placement,
    private readonly functions: GroupFunctions,
  ) {}

  /**
   * Undefined: the database is not distributed. Cost: a connection, and a few statements. **Throws** as pg does, and Error for a Citus
   * or PostgreSQL that was not tried, unless `allowsUntested`.
   */
  static async open(
    options: DatabaseOptions,
    { allowsUntested = false }: { readonly allowsUntested?: boolean | undefined } = {},
  ): Promise<Nodes | undefined> {
    const placement = await readPlacement(options);
    if (placement === undefined) return undefined;
    if (!allowsUntested) await withClient(options, refuseUntested);
    return new Nodes(options, placement, new GroupFunctions(await readFunctions(), placement.tables));
  }

  get current(): Placement {
    return this.placement;
  }

  /** Reads anew where the shards are. Concurrent calls share the answer. **Throws** as pg does. */
  refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    const placement = await readPlacement(this.options);
    if (placement === undefined) throw new Error('the database is not distributed any more');
    this.placement = placement.keeping(this.placement);
  }

  /** The node that has the rows of a space, where the functions of its group exist afterwards. **Throws** as pg does. */
  async nodeOf(space: number): Promise<Node> {
    const group = this.placement.groupOf(space);
    let ensured = this.ensured.get(group);
    if (ensured === undefined) {
      ensured = this.ensure(group);
      this.ensured.set(group, ensured);
      ensured.catch(() => this.ensured.delete(group));
    }
    await ensured;
    return group.node;
  }

  /** The options of a connection to a node. */
  optionsOf({ host, port }: Node): DatabaseOptions {
    return { ...this.options, host, port, shards: this };
  }

  async optionsFor(space: number): Promise<DatabaseOptions> {
    return this.optionsOf(await this.nodeOf(space));
  }

  spaceOfEachGroup(): readonly number[] {
    return [...this.placement.groups]
      .sort((one, other) => one.node.number - other.node.number)
      .map((group) => this.placement.spaceIn(group));
  }

  private ensure(group: ShardGroup): Promise<void> {
    return withClient(this.optionsOf(group.node), (client) => this.functions.ensure(client, group));
  }

  named(space: number, statement: Statement): Statement {
    return this.groupNamesOf(space).names.of(statement);
  }

  guard(space: number, of: 'read' | 'change'): Statement {
    return this.groupNamesOf(space)[of];
  }

  changes({ text }: Statement): boolean {
    let known = this.kinds.get(text);
    if (known === undefined)
      this.kinds.set(text, (known = CHANGES.test(text) || this.functions.changes(text)));
    return known;
  }

  private groupNamesOf(space: number): GroupNames {
    const group = this.placement.groupOf(space);
    let found = this.groups.get(group);
    if (found === undefined) {
      const names = new ShardNames(this.functions.namesOf(group), this.placement.whole);
      const guard = (change: boolean): Statement =>
        names.of(
          defineStatement(template(sql`select ${sql.raw(`andiron.${GUARD}`)}(${sql.lit(change)}) limit 1`)),
        );
      found = { names, read: guard(false), change: guard(true) };
      this.groups.set(group, found);
    }
    return found;
  }
}

/** Undefined: the database is not distributed. **Throws** as pg does. */
export function readPlacement(options: DatabaseOptions): Promise<Placement | undefined> {
  return withClient(options, (client) =>
    withinLimit(client, TIME_LIMIT_MS, async () => {
      const { rows } = await client.query<{ found: boolean }>(HAS_CITUS.compile(builder).sql);
      if (rows[0]?.found !== true) return undefined;
      const read = await client.query<unknown[]>({ text: READ_PLACEMENT.text, rowMode: 'array' });
      return read.rows.length === 0 ? undefined : Placement.of(read.rows);
    }),
  );
}

async function refuseUntested(client: Client): Promise<void> {
  const cluster = await withinLimit(client, TIME_LIMIT_MS, () => readCluster(client));
  const untested = cluster && describeUntested(cluster);
  if (untested !== undefined) throw new Error(`${untested}; ALLOW_UNTESTED_CITUS=true starts all the same`);
}

async function withClient<T>(options: DatabaseOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await openClient(options);
  try {
    return await work(client);
  } finally {
    await closeClient(client);
  }
}
