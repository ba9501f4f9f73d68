import type { StreamEnd } from '../../api/notification-stream';
import { BoundedQueue } from '../../concurrency/bounded-queue';

/** A message that waits until the client has read those before it. */
interface Waiting {
  readonly text: string;
  /** The address at which a client without this message goes on: `Subscription/1/$events?eventsSinceNumber=7`. */
  readonly resume: string | undefined;
}

/** The end of a stream whose client has closed the connection. */
export const CLOSED: StreamEnd = { kind: 'over', reason: 'The connection is closed' };

/**
 * The messages for one connection. While the queue is full, nothing more is read for it: the events stay in the database.
 */
export class SocketQueue {
  readonly #queue: BoundedQueue<Waiting>;
  #end = CLOSED;

  constructor(maxSize: number) {
    this.#queue = new BoundedQueue({ maxSize, sizeOf: ({ text }) => text.length });
  }

  get hasRoom(): boolean {
    return this.#queue.hasRoom;
  }

  get isOver(): boolean {
    return this.#queue.isOver;
  }

  /** Milliseconds since the client last read something of a queue that is not empty. */
  get idleFor(): number {
    return this.#queue.idleFor;
  }

  push(text: string, resume?: string): void {
    this.#queue.push({ text, resume });
  }

  async next(): Promise<string | StreamEnd> {
    return (await this.#queue.next())?.text ?? this.#end;
  }

  /** Ends the queue. Messages that wait are dropped, except where the Subscriptions themselves are over. */
  end(end: StreamEnd): void {
    if (this.#queue.isOver) return;
    this.#end = end;
    this.#queue.end({ keepsItems: end.kind === 'over' });
  }

  /** Ends the queue of a client that does not read, with the first event that it does not get. */
  endSlow(): void {
    const resume = this.#queue.items.find((message) => message.resume !== undefined)?.resume;
    const reason = resume === undefined ? 'The client reads too slowly' : `Next: ${resume}`;
    this.end({ kind: 'slow', reason });
  }
}
