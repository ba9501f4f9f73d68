/** The record of a worker about each test file, for the reporter: one line of JSON in a file that the reporter names. */
const { appendFileSync } = require('node:fs');
const { processTime } = require('./processes');

/** Name of the variable with the file of the records. */
const RECORDS = 'ANDIRON_TEST_RECORDS';
/** The servers that the tests of this process have started (test/support/counts.ts). */
const STARTED = Symbol.for('andiron.startedServers');

/** Begins the record of a test file; the returned function ends and writes it. */
function beginRecord(file) {
  const records = process.env[RECORDS];
  if (records === undefined) return () => undefined;
  const begun = { at: Date.now(), own: process.cpuUsage(), children: processTime(process.pid)?.ended ?? 0 };
  globalThis[STARTED] = 0;
  return () => {
    const { user, system } = process.cpuUsage(begun.own);
    const record = {
      file,
      ...{ processId: process.pid, worker: process.env.JEST_WORKER_ID ?? '1' },
      ...{ begun: begun.at, ended: Date.now() },
      own: (user + system) / 1e6,
      children: (processTime(process.pid)?.ended ?? 0) - begun.children,
      servers: globalThis[STARTED],
    };
    appendFileSync(records, `${JSON.stringify(record)}\n`);
  };
}

module.exports = { beginRecord, RECORDS };
