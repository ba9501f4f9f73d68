import type { ChangeStream, StreamedChange } from '../api/change-stream';
import { fhirError, type FhirError } from '../errors';
import type { ChangeFilter } from '../change-feed/change-filter';

interface Waiting {
  readonly change: StreamedChange;
  readonly size: number;
}

/** Memory of a queued change beside its text. */
const CHANGE_SIZE = 500;

/**
 * A subscriber with its queue of changes. When the queue is full, no change is lost: the feed reads no more for this
 * subscriber until half the queue is taken, and then resumes at its position.
 */
export class Subscriber implements ChangeStream {
  /** Sequence up to which all changes were processed for this subscriber. */
  position: number;
  readonly #queue: Waiting[] = [];
  #size = 0;
  #taken: number;
  #takenAt = performance.now();
  #isFull = false;
  #isOver = false;
  #ended: FhirError | undefined;
  #pending: { resolve(change: StreamedChange | undefined): void; reject(error: Error): void } | undefined;
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
  }

  get resumeAfter(): number {
    return this.#queue.length === 0 ? this.position : this.#taken;
  }

  get hasRoom(): boolean {
    return !this.#isFull;
  }

  /** Milliseconds since the last change was taken from a queue that is not empty. */
  get idleFor(): number {
    return this.#queue.length === 0 ? 0 : performance.now() - this.#takenAt;
  }

  push(change: StreamedChange): void {
    if (this.#pending !== undefined) {
      const { resolve } = this.#pending;
      this.#pending = undefined;
      this.#taken = change.version.sequence;
      resolve(change);
      return;
    }
    if (this.#queue.length === 0) this.#takenAt = performance.now();
    const size = change.version.text.length + CHANGE_SIZE;
    this.#queue.push({ change, size });
    this.#size += size;
    this.#isFull ||= this.#size >= this.options.maxSize;
  }

  next(): Promise<StreamedChange | undefined> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    if (this.#isOver) return Promise.resolve(undefined);
    const first = this.#queue.shift();
    if (first === undefined) return new Promise((resolve, reject) => (this.#pending = { resolve, reject }));
    this.#size -= first.size;
    this.#taken = first.change.version.sequence;
    this.#takenAt = performance.now();
    if (this.#isFull && this.#size < this.options.maxSize / 2) {
      this.#isFull = false;
      this.options.onRoom();
    }
    return Promise.resolve(first.change);
  }

  onEnd(listener: () => void): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener();
  }

  close(): void {
    if (this.#isOver) return;
    this.#clear();
    this.#pending?.resolve(undefined);
    this.#pending = undefined;
    this.options.onClose(this);
  }

  /** Drops the queue and ends the stream with an error that says where to resume. */
  endBecause(reason: string): void {
    this.end(fhirError('streamEnded', { reason, after: this.resumeAfter }));
  }

  end(error: FhirError): void {
    if (this.#isOver) return;
    this.position = this.resumeAfter;
    this.#clear();
    this.#ended = error;
    this.#pending?.reject(error);
    this.#pending = undefined;
    this.options.onClose(this);
    this.#listener?.();
  }

  #clear(): void {
    this.#isOver = true;
    this.#queue.length = 0;
    this.#size = 0;
  }
}
