/**
 * Loaded into a server by NODE_OPTIONS: at SIGUSR2 it writes the longest time in ms that the event loop was blocked
 * since the last one. (perf_hooks.monitorEventLoopDelay would miss a block right after a reset.) On Linux it is the
 * processor time of the thread: while other programs have the processors it waits, for its turn or for the threads that
 * help V8 to collect garbage, and neither is work of the server's.
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
  /** Milliseconds for which the thread has had a processor. */
  const own = () => {
    if (account === undefined) return performance.now();
    const length = readSync(account, text, 0, text.length, 0);
    const [ran] = text.toString('latin1', 0, length).split(' ');
    return Number(ran) / 1e6;
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
