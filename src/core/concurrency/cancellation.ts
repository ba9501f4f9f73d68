/**
 * Cancels the work of a request at its deadline or when the client disconnects. It is not an AbortSignal, because that
 * costs 20 microseconds a request, and this costs one.
 */
export class Cancellation {
  private wasCancelled = false;
  private readonly listeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  /** @param deadline milliseconds since 1970 */
  constructor(private readonly deadline: number) {}

  get isCancelled(): boolean {
    return this.wasCancelled || Date.now() >= this.deadline;
  }

  cancel(): void {
    this.wasCancelled = true;
    clearTimeout(this.timer);
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` at a cancellation from now on; the returned function unsubscribes it. */
  onCancel(listener: () => void): () => void {
    this.listeners.push(listener);
    if (this.listeners.length === 1 && !this.isCancelled) {
      this.timer = setTimeout(() => this.cancel(), Math.min(this.deadline - Date.now(), LONGEST_MS));
      this.timer.unref();
    }
    return () => {
      const place = this.listeners.indexOf(listener);
      if (place !== -1) this.listeners.splice(place, 1);
      if (this.listeners.length === 0) clearTimeout(this.timer);
    };
  }
}

/** The longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
