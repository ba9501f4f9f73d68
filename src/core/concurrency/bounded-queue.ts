export interface BoundedQueueOptions<Item> {
  /** Limit on the sizes of all items together; the item that exceeds it is the last one. */
  readonly maxSize: number;
  /** Characters of an item. */
  sizeOf(item: Item): number;
  /** Called with each item when the consumer gets it. */
  onTake?(item: Item): void;
  /** Called when a full queue has space again. */
  onRoom?(): void;
}

/** Memory of an item beside its text, in characters. */
const ITEM_SIZE = 500;

/**
 * A queue between what reads for a client and the connection of this client. A full queue loses nothing: its producer stops
 * until half the queue is taken.
 */
export class BoundedQueue<Item> {
  #items: Item[] = [];
  #size = 0;
  #takenAt = performance.now();
  #isFull = false;
  #isOver = false;
  #pending: ((item: Item | undefined) => void) | undefined;

  constructor(private readonly options: BoundedQueueOptions<Item>) {}

  get items(): readonly Item[] {
    return this.#items;
  }

  get hasRoom(): boolean {
    return !this.#isOver && !this.#isFull;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Milliseconds since the last item was taken from a queue that is not empty. */
  get idleFor(): number {
    return this.#items.length === 0 ? 0 : performance.now() - this.#takenAt;
  }

  /** Does nothing when the queue is over. */
  push(item: Item): void {
    if (this.#isOver) return;
    if (this.#pending !== undefined) {
      this.#answer(item);
      return;
    }
    if (this.#items.length === 0) this.#takenAt = performance.now();
    this.#items.push(item);
    this.#size += this.#sizeOf(item);
    this.#isFull ||= this.#size >= this.options.maxSize;
  }

  /** The next item as soon as there is one; undefined: the queue is over. Must not be called while another call is pending. */
  next(): Promise<Item | undefined> {
    const first = this.#items.shift();
    if (first === undefined)
      return this.#isOver ? Promise.resolve(undefined) : new Promise((resolve) => (this.#pending = resolve));
    this.#size -= this.#sizeOf(first);
    this.#takenAt = performance.now();
    this.options.onTake?.(first);
    if (this.#isFull && this.#size < this.options.maxSize / 2) {
      this.#isFull = false;
      this.options.onRoom?.();
    }
    return Promise.resolve(first);
  }

  /** Ends the queue. `keepsItems`: the consumer still gets those that wait. */
  end({ keepsItems = false } = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!keepsItems) {
      this.#items = [];
      this.#size = 0;
    }
    this.#answer(undefined);
  }

  #sizeOf(item: Item): number {
    return this.options.sizeOf(item) + ITEM_SIZE;
  }

  #answer(item: Item | undefined): void {
    const answer = this.#pending;
    this.#pending = undefined;
    if (answer !== undefined && item !== undefined) this.options.onTake?.(item);
    answer?.(item);
  }
}
