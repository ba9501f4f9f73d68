/** Lets tasks of one key run one after the other, those of different keys at once. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const turn = before === undefined ? task() : before.then(task, task);
    // The tail never rejects, and goes when nobody came after.
    const tail: Promise<unknown> = turn.then(
      () => this.leave(key, tail),
      () => this.leave(key, tail),
    );
    this.tails.set(key, tail);
    return turn;
  }

  private leave(key: string, tail: Promise<unknown>): void {
    if (this.tails.get(key) === tail) this.tails.delete(key);
  }
}
