/**
 * A FIFO mutex. With it, the many operations of one connection produce only one message at a time.
 */
export class Turns {
  #holder: object | undefined;
  readonly #waiting: { readonly who: object; readonly call: () => void }[] = [];

  async enter(who: object): Promise<void> {
    if (this.#holder === undefined) {
      this.#holder = who;
      return;
    }
    await new Promise<void>((call) => this.#waiting.push({ who, call }));
  }

  /** Releases the mutex, or stops waiting for it. Does nothing when `who` neither holds it nor waits. */
  leave(who: object): void {
    if (this.#holder !== who) {
      const place = this.#waiting.findIndex((one) => one.who === who);
      if (place !== -1) this.#waiting.splice(place, 1)[0]?.call();
      return;
    }
    const next = this.#waiting.shift();
    this.#holder = next?.who;
    next?.call();
  }
}
