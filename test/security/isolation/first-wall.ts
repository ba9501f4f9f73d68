/**
 * Removes the first check: the condition on the space in the statements of the server. A test patches the driver; the
 * server has no switch for it.
 */
import { Client } from 'pg';

/** `v.space = $3::int`, `space = calls.c1::int`: a space that the server has put into the statement. */
const CONDITION = /((?:\b\w+\.)?\bspace) = (\$\d+(?:::int)?|\(?\w+\.c\d+\)?(?:::int)?)/g;

export interface FirstCheck {
  /** From now on conditions on the space are always true. */
  takeAway(): void;
  /**
   * Statements without the condition, by their original text; their number also depends on concurrent requests,
   * because these become one statement.
   */
  readonly opened: ReadonlySet<string>;
  /** Returns the number of their executions. */
  countRuns(): number;
  restore(): void;
}

/**
 * Patches each connection to the database `database` that uses the application role. When the check is removed, the
 * conditions on the space in their statements are always true: only row-level security, and comparisons in functions
 * of the database, still separate tenants. A connection of the owner, for which there is no row-level security, keeps
 * its conditions.
 */
export function watchFirstCheck(database: string): FirstCheck {
  const opened = new Set<string>();
  const patched = new Map<string, string>();
  const applications = new WeakSet<Client>();
  const original = Reflect.get(Client.prototype, 'query') as (...parts: unknown[]) => unknown;
  let isAway = false;
  let runs = 0;

  function open(text: string): string {
    let result = patched.get(text);
    if (result === undefined) {
      result = text.replace(CONDITION, '($1 = $2 or true)');
      if (result !== text) opened.add(text);
      patched.set(text, result);
    }
    if (result !== text) runs++;
    return result;
  }

  function query(this: Client, ...parts: unknown[]): unknown {
    const [config] = parts;
    if (this.database === database) {
      if (typeof config === 'string' && config.startsWith('set role')) applications.add(this);
      else if (isAway && applications.has(this) && isStatement(config)) {
        const { name } = config;
        // Another text is another prepared statement.
        parts[0] = {
          ...config,
          text: open(config.text),
          ...(name === undefined ? {} : { name: `${name}-open` }),
        };
      }
    }
    return Reflect.apply(original, this, parts);
  }

  const put = (value: unknown): void => {
    Object.defineProperty(Client.prototype, 'query', { value, writable: true, configurable: true });
  };
  put(query);
  return {
    opened,
    countRuns: () => runs,
    takeAway: () => void (isAway = true),
    restore: () => put(original),
  };
}

function isStatement(value: unknown): value is { readonly text: string; readonly name?: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
