import { type BoundedCache, createCache } from './create-cache';

/** Permissions that are withdrawn end within 2 s in every process (docs/reference/behaviour.md, Access). */
const MAX_AGE_MS = 1_500;
/** From this age on, a read also starts a refresh in the background. */
const REFRESH_AGE_MS = 1_000;

interface CacheEntry<Value extends object> {
  readonly value: Value | undefined;
  readonly text: string;
  readonly at: number;
  refreshing: boolean;
}

/**
 * Caches the database's value of a key for at most 1.5 seconds. While the value is the same, the object is the same,
 * so that derived data can be cached by it.
 */
export class RefreshingCache<Value extends object> {
  readonly #entries: BoundedCache<string, CacheEntry<Value>>;
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  #changes = 0;

  constructor(
    /** Its name in the metrics. */
    name: string,
    /** Maximum number of entries. */
    max: number,
  ) {
    this.#entries = createCache({ name, scope: 'data', max });
  }

  /** Cost: a lookup; `load` where no fresh value is cached. Undefined is cached too. */
  get(key: string, load: () => Promise<Value | undefined>): Value | undefined | Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    const age = entry === undefined ? Infinity : performance.now() - entry.at;
    if (entry === undefined || age > MAX_AGE_MS) return this.#load(key, load);
    if (age > REFRESH_AGE_MS && !entry.refreshing) {
      entry.refreshing = true;
      this.#load(key, load).catch(() => (entry.refreshing = false));
    }
    return entry.value;
  }

  /** A number that grows with each possible change; conclusions hold as long as it is the same. */
  get changes(): number {
    return this.#changes;
  }

  /** Marks all entries as stale. */
  invalidate(): void {
    this.#changes++;
    this.#loading.clear();
    // A copy, because `set` moves an entry to the end of the iteration.
    for (const [key, { value, text }] of [...this.#entries.entries()])
      this.#entries.set(key, { value, text, at: Number.NEGATIVE_INFINITY, refreshing: false });
  }

  /** Deletes all entries from memory. */
  clear(): void {
    this.#changes++;
    this.#loading.clear();
    this.#entries.clear();
  }

  /** Concurrent loads of a key share one query. */
  #load(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const begun = this.#loading.get(key);
    if (begun !== undefined) return begun;
    const at = performance.now();
    const loading = load()
      .then((loaded) => {
        const text = loaded === undefined ? '' : JSON.stringify(loaded);
        const before = this.#entries.get(key);
        const isSame = before !== undefined && before.text === text;
        if (!isSame) this.#changes++;
        const value = isSame ? before.value : loaded;
        // Invalidated meanwhile: the value may be stale.
        if (this.#loading.get(key) === loading)
          this.#entries.set(key, { value, text, at, refreshing: false });
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }
}
