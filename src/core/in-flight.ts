/**
 * What is under way, by its key, the oldest first: a few values that come and go. As a Map, but for what V8 makes of one that lives
 * long: after every few deletions it copies the Map to a new table, which the old one leads to, and so what was ever in it when that
 * happened stays until all of the heap is collected (docs/benchmark.md, Imports). Cost: a look at each.
 */
export class InFlight<Key, Value> {
  private readonly entries: { readonly key: Key; readonly value: Value }[] = [];

  get size(): number {
    return this.entries.length;
  }

  get oldestKey(): Key | undefined {
    return this.entries[0]?.key;
  }

  get(key: Key): Value | undefined {
    return this.entries.find((entry) => entry.key === key)?.value;
  }

  /** To be called with a key that is not there. */
  add(key: Key, value: Value): void {
    this.entries.push({ key, value });
  }

  /** What was there. */
  take(key: Key): Value | undefined {
    const place = this.entries.findIndex((entry) => entry.key === key);
    return place === -1 ? undefined : this.entries.splice(place, 1)[0]?.value;
  }

  /** All of it, which is not under way any more. */
  takeAll(): Value[] {
    return this.entries.splice(0).map(({ value }) => value);
  }

  every(holds: (value: Value) => boolean): boolean {
    return this.entries.every(({ value }) => holds(value));
  }
}
