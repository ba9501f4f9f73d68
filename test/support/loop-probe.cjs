/**
 * Loaded into a server by NODE_OPTIONS: at SIGUSR2 it writes the longest time in ms that the event loop was blocked
 * since the last one. (perf_hooks.monitorEventLoopDelay would miss a block right after a reset.) Time in which the
 * thread was ready and other programs had the processors is no work of the server's: Linux counts it, and it is left out.
 */
const { openSync, readSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const text = Buffer.alloc(100);
  let account;
  try {
    account = openSync('/proc/self/schedstat', 'r');
  } catch {
    // Only Linux has it: elsewhere all time counts.
  }
  /** Milliseconds since a fixed moment in which the thread ran or waited for something else than a processor. */
  const own = () => {
    const now = performance.now();
    if (account === undefined) return now;
    const length = readSync(account, text, 0, text.length, 0);
    const [, waited] = text.toString('latin1', 0, length).split(' ');
    return now - Number(waited) / 1e6;
  };
  let last = own();
  let longest = 0;
  const look = () => {
    const now = own();
    longest = Math.max(longest, now - last);
    last = now;
  };
  globalThis.setInterval(look, 1).unref();
  process.on('SIGUSR2', () => {
    look();
    process.stdout.write(`event loop held for ${longest.toFixed(1)} ms\n`);
    longest = 0;
  });
}
