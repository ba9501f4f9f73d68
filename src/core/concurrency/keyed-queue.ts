/** Runs tasks of the same key one after the other, and tasks of different keys concurrently. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const turn = before === undefined ? task() : before.then(task, task);
    // The tail never rejects; the last task of a key removes it.
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
