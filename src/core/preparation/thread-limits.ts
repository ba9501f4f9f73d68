/** Limits of the worker thread for large content. */
export const THREAD_LIMITS: Readonly<
  Record<'idleMs' | 'taskMs' | 'waiting' | 'short' | 'given' | 'heapMegabytes' | 'youngMegabytes', number>
> = {
  /** Idle time after which the thread is ended, because it takes some 100 MB. */
  idleMs: 60_000,
  /** Longest time of a task by the clock; after it, the task fails with 503 and the thread is ended. */
  taskMs: 30_000,
  /** Queued tasks; each holds the text of a client. */
  waiting: 64,
  /** Queue length from which a further short task is done faster in the main thread. */
  short: 5,
  /** Short tasks that the thread receives at once, so that it does not wait for the main thread between them. */
  given: 2,
  heapMegabytes: 1024,
  /**
   * The young generation within the heap: three semispaces of 32 MB. A Bundle of 100 kB becomes some 3 MB, which
   * should be garbage before the next scavenge (an eighth of the processor time, compared with the usual 48).
   */
  youngMegabytes: 96,
};
