/**
 * Loaded into a server by NODE_OPTIONS: at SIGUSR2 it writes the longest time in ms that the event loop was blocked
 * since the last one. (perf_hooks.monitorEventLoopDelay would miss a block right after a reset.)
 */
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
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
