/**
 * Lets one after the other have something: whoever has it keeps it until he leaves. So that of what many have to send over
 * one connection, only one message is made at a time.
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

  /** Also takes back that he waits; nothing happens where he neither has it nor waits. */
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
