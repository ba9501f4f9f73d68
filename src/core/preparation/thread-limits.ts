/** What the thread for long content may take and be given. */
export const THREAD_LIMITS: Readonly<
  Record<'idleMs' | 'taskMs' | 'waiting' | 'short' | 'given' | 'heapMegabytes' | 'youngMegabytes', number>
> = {
  /** A thread that has had nothing to do for so long is ended: it takes some 100 MB. */
  idleMs: 60_000,
  /** A task that is not done by then is given up, and the thread with it. */
  taskMs: 25_000,
  /** Tasks that wait; each holds the text that a client sent. */
  waiting: 64,
  /** Behind so many short tasks a further one is done sooner where it is. */
  short: 5,
  /** Short tasks that the thread is given at once: it need not wait for this one between them. */
  given: 2,
  heapMegabytes: 1024,
  /**
   * Of them for what is new: three halves of 32 MB. A Bundle of 100 kB becomes some 3 MB, which should have become rubbish
   * before it is looked at (an eighth of the processor, against the usual 48).
   */
  youngMegabytes: 96,
};
