import type { ChangeStream, StreamedChange } from '../api/change-stream';
import { BoundedQueue } from '../concurrency/bounded-queue';
import { fhirError, type FhirError } from '../errors';
import type { ChangeFilter } from '../change-feed/change-filter';

/** A subscriber with its queue of changes. While the queue is full, the feed reads nothing for this subscriber. */
export class Subscriber implements ChangeStream {
  /** Sequence up to which all changes were processed for this subscriber. */
  position: number;
  readonly #queue: BoundedQueue<StreamedChange>;
  #taken: number;
  #ended: FhirError | undefined;
  #listener: (() => void) | undefined;

  constructor(
    readonly filter: ChangeFilter,
    after: number,
    private readonly options: {
      /** Limit of the queue, in characters. */
      readonly maxSize: number;
      /** Called when a full queue has space again. */
      readonly onRoom: () => void;
      readonly onClose: (subscriber: Subscriber) => void;
    },
  ) {
    this.position = after;
    this.#taken = after;
    this.#queue = new BoundedQueue({
      maxSize: options.maxSize,
      sizeOf: ({ version }) => version.text.length,
      onTake: ({ version }) => (this.#taken = version.sequence),
      onRoom: options.onRoom,
    });
  }

  get resumeAfter(): number {
    return this.#queue.items.length === 0 ? this.position : this.#taken;
  }

  get hasRoom(): boolean {
    return this.#queue.hasRoom;
  }

  /** Milliseconds since the last change was taken from a queue that is not empty. */
  get idleFor(): number {
    return this.#queue.idleFor;
  }

  push(change: StreamedChange): void {
    this.#queue.push(change);
  }

  async next(): Promise<StreamedChange | undefined> {
    const next = await this.#queue.next();
    if (next === undefined && this.#ended !== undefined) throw this.#ended;
    return next;
  }

  onEnd(listener: () => void): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener();
  }

  close(): void {
    if (this.#queue.isOver) return;
    this.#queue.end();
    this.options.onClose(this);
  }

  /** Drops the queue and ends the stream with an error that says where to resume. */
  endBecause(reason: string): void {
    this.end(fhirError('streamEnded', { reason, after: this.resumeAfter }));
  }

  end(error: FhirError): void {
    if (this.#queue.isOver) return;
    this.position = this.resumeAfter;
    this.#ended = error;
    this.#queue.end();
    this.options.onClose(this);
    this.#listener?.();
  }
}
