/**
 * A FIFO mutex. With it, the many operations of one connection produce only one message at a time.
 */
export class Turns {
  #holder: object | undefined;
  readonly #waiting: { readonly owner: object; readonly call: () => void }[] = [];

  async enter(owner: object): Promise<void> {
    if (this.#holder === undefined) {
      this.#holder = owner;
      return;
    }
    await new Promise<void>((call) => this.#waiting.push({ owner, call }));
  }

  /** Releases the mutex, or stops waiting for it. Does nothing when `who` neither holds it nor waits. */
  leave(owner: object): void {
    if (this.#holder !== owner) {
      const index = this.#waiting.findIndex((one) => one.owner === owner);
      if (index !== -1) this.#waiting.splice(index, 1)[0]?.call();
      return;
    }
    const next = this.#waiting.shift();
    this.#holder = next?.owner;
    next?.call();
  }
}
