/** Patience that a slow machine does not use up: a process that gets no processor beats no more often. */

export interface Beats {
  /** Milliseconds that have gone by while this process ran. */
  elapsed(): number;
  stop(): void;
}

const BEAT_MS = 50;

/** Counts from now on. */
export function countBeats(): Beats {
  let beats = 0;
  const timer = setInterval(() => (beats += 1), BEAT_MS);
  return { elapsed: () => beats * BEAT_MS, stop: () => clearInterval(timer) };
}
