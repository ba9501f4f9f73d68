/** Patience that a slow machine does not use up: a process that gets no processor beats no more often. */

export interface Beats {
  /** Milliseconds that have gone by while this process ran. */
  elapsed(): number;
  /** Counts no further, and returns what has elapsed. */
  stop(): number;
}

const BEAT_MS = 50;

/** Counts from now on. */
export function countBeats(): Beats {
  let beats = 0;
  const timer = setInterval(() => (beats += 1), BEAT_MS).unref();
  const elapsed = (): number => beats * BEAT_MS;
  return {
    elapsed,
    stop() {
      clearInterval(timer);
      return elapsed();
    },
  };
}
