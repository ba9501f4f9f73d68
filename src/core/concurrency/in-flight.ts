/**
 * Entries by key, the oldest first, for a few short-lived values. It replaces a Map, because V8 retains entries of a
 * long-lived Map: it copies the Map to a new table after some deletions, and the old tables stay reachable until a full
 * garbage collection (docs/bench/journal/v8.md). Cost: linear in the entries.
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

  /** The key must not exist yet. */
  add(key: Key, value: Value): void {
    this.entries.push({ key, value });
  }

  /** Removes an entry and returns its value. */
  take(key: Key): Value | undefined {
    const place = this.entries.findIndex((entry) => entry.key === key);
    return place === -1 ? undefined : this.entries.splice(place, 1)[0]?.value;
  }

  /** Removes all entries and returns their values. */
  takeAll(): Value[] {
    return this.entries.splice(0).map(({ value }) => value);
  }

  every(holds: (value: Value) => boolean): boolean {
    return this.entries.every(({ value }) => holds(value));
  }
}
