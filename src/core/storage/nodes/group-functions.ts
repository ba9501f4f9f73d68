/** The database functions of shard groups: copies of those of `migrations/functions/` with the names of the group. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { DatabaseFunction } from '../../../../migrations';
import { builder } from '../connection/statement';
import { grantsTo } from '../schema/application-role';
import { guardFunction, GUARD } from './guard';
import type { ShardGroup } from './placement';
import { namesIn, ShardNames } from './shard-names';

const COMMENT = /^\s*--.*$/gm;
/** PostgreSQL says `stable` of a function that changes nothing. */
const CHANGES_NOTHING = /\b(?:stable|immutable)\b/;

/** The functions of which each group has its own. */
export class GroupFunctions {
  /** Identifies their texts: processes of two versions have their own copies. */
  private readonly digest: string;
  private readonly copied: readonly DatabaseFunction[];
  private readonly changing: ReadonlySet<string>;

  /** `tables`: those that are distributed or whole on each node. */
  constructor(functions: readonly DatabaseFunction[], tables: ReadonlySet<string>) {
    const own = functionsOf(functions, tables);
    this.copied = functions.filter(({ name }) => own.has(name));
    this.changing = new Set(
      functions.filter(({ text }) => !CHANGES_NOTHING.test(headOf(text))).map(({ name }) => name),
    );
    const hash = createHash('sha256');
    for (const { text } of this.copied) hash.update(text);
    this.digest = hash.digest('hex').slice(0, 8);
  }

  /** True if a statement with this text may change rows by a function. */
  changes(text: string): boolean {
    return namesIn(text).some((name) => this.changing.has(name));
  }

  /** The names of a group, by the plain ones. A function has the number of the group's counter behind its own. */
  namesOf({ shards }: Pick<ShardGroup, 'shards'>): ReadonlyMap<string, string> {
    const suffix = `_${counterOf(shards)}_${this.digest}`;
    return new Map([
      ...shards,
      ...[GUARD, ...this.copied.map(({ name }) => name)].map((name) => [name, name + suffix] as const),
    ]);
  }

  /**
   * Makes the functions of a group on its node if they are missing, and grants the application role what it may do with the tables
   * and functions. Cost: one statement where they exist. **Throws** as pg does.
   */
  async ensure(client: ClientBase, group: ShardGroup): Promise<void> {
    const run = (text: string): Promise<unknown> => client.query(text);
    const names = this.namesOf(group);
    const guard = names.get(GUARD) ?? GUARD;
    const exists = async (): Promise<boolean> => {
      const { rowCount } = await client.query(
        sql`select 1 from pg_proc p where p.pronamespace = 'andiron'::regnamespace and p.proname = ${sql.lit(guard)} limit 1`.compile(
          builder,
        ).sql,
      );
      return rowCount === 1;
    };
    if (await exists()) return;
    await run('begin');
    try {
      await run('set local citus.enable_ddl_propagation = off');
      // Other processes may do the same, also of another group: grants change shared rows.
      await run(`select pg_advisory_xact_lock(hashtextextended('andiron group functions', 0))`);
      if (!(await exists())) {
        const shardNames = new ShardNames(names);
        const counter = counterOf(group.shards);
        for (const { text } of this.copied) await run(shardNames.in(text));
        for (const name of [...this.copied.map(({ name }) => name)])
          await run(`revoke all on function andiron.${names.get(name) ?? name} from public`);
        for (const grant of grantsTo(names)) await run(grant.compile(builder).sql);
        // Last: where it exists, all exist.
        await run(guardFunction(guard, counter));
      }
      await run('commit');
    } catch (error) {
      await run('rollback').catch(() => undefined);
      throw error;
    }
  }
}

function counterOf(shards: ReadonlyMap<string, string>): string {
  const counter = shards.get('change_counter');
  if (counter === undefined) throw new Error('the tables of the database are not distributed');
  return counter.slice(counter.lastIndexOf('_') + 1);
}

const headOf = (text: string): string => text.slice(0, text.indexOf('as $function$'));

/** Returns the functions whose texts name one of the tables, themselves or through others. */
function functionsOf(
  functions: readonly DatabaseFunction[],
  tables: ReadonlySet<string>,
): ReadonlySet<string> {
  const named = new Map(functions.map(({ name, text }) => [name, namesIn(text.replaceAll(COMMENT, ''))]));
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [name, names] of named)
      if (names.some((each) => tables.has(each) || found.has(each))) found.add(name);
  }
  return found;
}
