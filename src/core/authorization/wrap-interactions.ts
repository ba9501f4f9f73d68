import type { Interactions, Run, RunsOf } from '../api/interactions';

/**
 * Puts a wrapper around each interaction that a table has. Authorization and audit each have a table of all; an
 * interaction that one lacks does not compile.
 */
export function wrapInteractions<Names extends keyof Interactions>(
  table: Readonly<Record<Names, unknown>>,
  runs: RunsOf<Names>,
  wrap: <Name extends Names>(name: Name, run: Run<Name>) => Run<Name>,
): RunsOf<Names> {
  const wrapped = { ...runs };
  const put = <Name extends Names>(name: Name): void => {
    wrapped[name] = wrap(name, runs[name]);
  };
  for (const name in table) put(name);
  return wrapped;
}
