import type { StreamEnd } from '../../api/notification-stream';

/** A message that waits until the client has read those before it. */
interface Waiting {
  readonly text: string;
  /** Where the client goes on that does not get this message: `Subscription/1/$events?eventsSinceNumber=7`. */
  readonly resume: string | undefined;
}

/** Memory of a queued message beside its text. */
const MESSAGE_SIZE = 500;

/**
 * The messages for one connection. While the queue is full, nothing more is read for it: the events stay in the database.
 */
export class SocketQueue {
  #queue: Waiting[] = [];
  #size = 0;
  #takenAt = performance.now();
  #end: StreamEnd | undefined;
  #pending: ((next: string | StreamEnd) => void) | undefined;

  constructor(private readonly maxSize: number) {}

  get hasRoom(): boolean {
    return this.#end === undefined && this.#size < this.maxSize;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Milliseconds since the client last read something of a queue that is not empty. */
  get idleFor(): number {
    return this.#queue.length === 0 ? 0 : performance.now() - this.#takenAt;
  }

  push(text: string, resume?: string): void {
    if (this.#end !== undefined) return;
    if (this.#pending !== undefined) return this.#answer(text);
    if (this.#queue.length === 0) this.#takenAt = performance.now();
    this.#queue.push({ text, resume });
    this.#size += text.length + MESSAGE_SIZE;
  }

  next(): Promise<string | StreamEnd> {
    const first = this.#queue.shift();
    if (first !== undefined) {
      this.#size -= first.text.length + MESSAGE_SIZE;
      this.#takenAt = performance.now();
      return Promise.resolve(first.text);
    }
    if (this.#end !== undefined) return Promise.resolve(this.#end);
    return new Promise((resolve) => (this.#pending = resolve));
  }

  /** Ends the queue. Messages that wait are dropped, except where the Subscriptions themselves are over. */
  end(end: StreamEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (end.kind !== 'over') this.#queue = [];
    if (this.#pending !== undefined) this.#answer(end);
  }

  /** Ends the queue of a client that does not read, with the first event that it does not get. */
  endSlow(): void {
    const resume = this.#queue.find((message) => message.resume !== undefined)?.resume;
    const reason = resume === undefined ? 'The client reads too slowly' : `Next: ${resume}`;
    this.end({ kind: 'slow', reason });
  }

  #answer(next: string | StreamEnd): void {
    const answer = this.#pending;
    this.#pending = undefined;
    answer?.(next);
  }
}
