import { sql } from 'kysely';
import type { Row } from '../connection/database';
import { defineStatement, template } from '../connection/statement';
import { hashOf, LEAST_NUMBER, slotOf } from '../tenants/slot-numbers';

/** A PostgreSQL server of a distributed database. */
export interface Node {
  /** Its number in Citus (`groupid`). */
  readonly number: number;
  readonly host: string;
  readonly port: number;
}

/** One shard of each distributed table, always on one node together. */
export interface ShardGroup {
  /** Hashes of its numbers, both included, as PostgreSQL's `int`. */
  readonly least: number;
  readonly most: number;
  readonly node: Node;
  /** Names of its shards, and of the shards of the tables that each node has whole, by table; without the schema `andiron`. */
  readonly shards: ReadonlyMap<string, string>;
}

/** All shards of the tables of Andiron, with the node of each; no row: the database is not distributed. */
export const READ_PLACEMENT = defineStatement(
  template(sql`
    select c.relname::text, s.shardid::text, s.shardminvalue::int, s.shardmaxvalue::int, n.groupid, n.nodename::text, n.nodeport
    from pg_dist_partition t
    join pg_class c on c.oid = t.logicalrelid and c.relnamespace = 'andiron'::regnamespace
    join pg_dist_shard s on s.logicalrelid = t.logicalrelid
    join pg_dist_placement p on p.shardid = s.shardid and p.shardstate = 1
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    order by s.shardminvalue::int, c.relname, n.groupid limit 1000000`),
  { named: false },
);

type PlacementRow = [
  ...[table: string, shard: string, least: number | null, most: number | null],
  ...[node: number, host: string, port: number],
];

/** Where the rows of each space and tenant are. */
export class Placement {
  private constructor(
    /** By their hashes, in order. */
    readonly groups: readonly ShardGroup[],
    readonly nodes: readonly Node[],
    /** The tables that have shards, without their schema. */
    readonly tables: ReadonlySet<string>,
    /** Those of them that each node has whole. */
    readonly whole: ReadonlySet<string>,
  ) {}

  /** Reads the rows of `READ_PLACEMENT`. */
  static of(rows: readonly Row[]): Placement {
    const nodes = new Map<number, Node>();
    const whole = new Map<string, string>();
    const tables = new Set<string>();
    const groups = new Map<number, Omit<ShardGroup, 'shards'> & { readonly shards: Map<string, string> }>();
    for (const [table, shard, least, most, number, host, port] of rows as readonly PlacementRow[]) {
      const node = nodes.get(number) ?? { number, host, port };
      nodes.set(number, node);
      const name = `${table}_${shard}`;
      tables.add(table);
      if (least === null || most === null) {
        whole.set(table, name);
        continue;
      }
      const group = groups.get(least) ?? { least, most, node, shards: new Map<string, string>() };
      if (group.most !== most || group.node !== node)
        throw new Error(`the shard ${name} is not with the other shards of its numbers`);
      group.shards.set(table, name);
      groups.set(least, group);
    }
    return new Placement(
      [...groups.values()].map((group) => ({ ...group, shards: new Map([...whole, ...group.shards]) })),
      [...nodes.values()],
      tables,
      new Set(whole.keys()),
    );
  }

  /** The same, with the groups of an earlier one that have not changed. */
  keeping({ groups: earlier }: Placement): Placement {
    const byLeast = new Map(earlier.map((group) => [group.least, group]));
    const groups = this.groups.map((group) => {
      const before = byLeast.get(group.least);
      return before !== undefined && areEqual(before, group) ? before : group;
    });
    return new Placement(groups, this.nodes, this.tables, this.whole);
  }

  /** Returns a number of the group. Cost: some hashes, as many as there are groups. */
  spaceIn({ least, most }: ShardGroup): number {
    for (let number = LEAST_NUMBER; ; number++) {
      const hash = hashOf(number) | 0;
      if (hash >= least && hash <= most) return number;
    }
  }

  /** Returns the group with the rows of a space or tenant. Cost: a binary search. */
  groupOf(number: number): ShardGroup {
    const hash = hashOf(number) | 0;
    let [low, high] = [0, this.groups.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.groups[middle]?.least ?? Infinity) <= hash) low = middle;
      else high = middle - 1;
    }
    const group = this.groups[low];
    if (group === undefined || hash < group.least || hash > group.most)
      throw new Error(`no shard has the number ${number}`);
    return group;
  }
}

/** The least and the greatest hash of the numbers of a tenant, as PostgreSQL's `int`. */
export function slotBounds(number: number): { readonly least: number; readonly most: number } {
  const least = slotOf(number) << 16;
  return { least, most: least + 0xffff };
}

function areEqual(one: ShardGroup, other: ShardGroup): boolean {
  return (
    one.most === other.most &&
    one.node.number === other.node.number &&
    one.node.host === other.node.host &&
    one.node.port === other.node.port &&
    one.shards.size === other.shards.size &&
    [...one.shards].every(([table, shard]) => other.shards.get(table) === shard)
  );
}
