/** Counts of a test file, which its environment passes to the reporter (cost/file-record.js). */
const STARTED = Symbol.for('andiron.startedServers');

/** Counts a server that a test starts for itself, in its process or as one of its own. */
export function countStart(): void {
  const started: unknown = Reflect.get(globalThis, STARTED);
  Reflect.set(globalThis, STARTED, (typeof started === 'number' ? started : 0) + 1);
}
