import { createCache } from '../../memory/create-cache';
import { shapeName, type Statement } from '../connection/statement';

/** A table or function in SQL. Names of settings ('andiron.space') and of classes in texts stand behind a quote, and are none. */
const NAME = /(?<!')\bandiron"?\."?(\w+)/g;
const CHANGED = /\b(?:insert\s+into|update|delete\s+from)\s+"?andiron"?\."?(\w+)/gi;
/** Statements of a group whose texts are kept. */
const MOST_STATEMENTS = 1_000;

/** The tables and functions that SQL names, without their schema. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(NAME)].map(([, name = '']) => name);
}

/**
 * The names of a shard group, by the plain ones: its tables, and its own copies of the functions that use them. A statement with
 * these names runs on the node that holds the group, without the planner of Citus.
 */
export class ShardNames {
  private readonly statements = createCache<string, { readonly name: string; readonly text: string }>({
    name: 'shard-statements',
    scope: 'program',
    max: MOST_STATEMENTS,
  });

  /** `whole`: tables that each node has whole. Only Citus may change them, because it changes all copies. */
  constructor(
    private readonly names: ReadonlyMap<string, string>,
    private readonly whole: ReadonlySet<string> = new Set(),
  ) {}

  /** Returns the SQL with the names of the group. */
  in(text: string): string {
    return text.replaceAll(NAME, (whole, name: string) => {
      const other = this.names.get(name);
      return other === undefined ? whole : whole.slice(0, whole.length - name.length) + other;
    });
  }

  /** Returns the statement with the names of the group. Cost: a search of its text at the first use. */
  of(statement: Statement): Statement {
    let found = this.statements.get(statement.text);
    if (found === undefined) {
      for (const [, table = ''] of statement.text.matchAll(CHANGED))
        if (this.whole.has(table))
          throw new Error(`a node would change its copy of the table ${table} alone`);
      const text = this.in(statement.text);
      found = { text, name: shapeName(text) };
      this.statements.set(statement.text, found);
    }
    // A text runs a few times without a name before it is prepared.
    return { ...statement, text: found.text, name: statement.name === undefined ? undefined : found.name };
  }
}
