import type { Log } from '../../src/core/context';

/** Keeps the output of the tests to the tests. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
