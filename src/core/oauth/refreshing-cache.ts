import { LRUCache } from 'lru-cache';

/** Rights that are taken away end within 2 s in every process (docs/behaviour.md, Access). */
const MAX_AGE_MS = 1_500;
/** From this age on the next question also asks the database, without waiting for it. */
const REFRESH_AGE_MS = 1_000;

interface Kept<Value extends object> {
  readonly value: Value | undefined;
  readonly text: string;
  readonly at: number;
  refreshing: boolean;
}

/**
 * What the database says under a key, remembered for at most 1.5 seconds. As long as it says the same, it is the same
 * object, so that what is made of it can be remembered by it.
 */
export class RefreshingCache<Value extends object> {
  readonly #kept: LRUCache<string, Kept<Value>>;
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  #changes = 0;

  constructor(
    /** How many are remembered. */
    max: number,
  ) {
    this.#kept = new LRUCache({ max });
  }

  /** Cost: a look-up; `load` where nothing young enough is known. Undefined is remembered as well. */
  get(key: string, load: () => Promise<Value | undefined>): Value | undefined | Promise<Value | undefined> {
    const kept = this.#kept.get(key);
    const age = kept === undefined ? Infinity : performance.now() - kept.at;
    if (kept === undefined || age > MAX_AGE_MS) return this.#load(key, load);
    if (age > REFRESH_AGE_MS && !kept.refreshing) {
      kept.refreshing = true;
      this.#load(key, load).catch(() => (kept.refreshing = false));
    }
    return kept.value;
  }

  /** How often something became otherwise, or may have: what was concluded under one number is as good under the same. */
  get changes(): number {
    return this.#changes;
  }

  /** Everything is asked for again. */
  forget(): void {
    this.#changes++;
    this.#loading.clear();
    // Of a copy: what is set goes to the end of what is gone through.
    for (const [key, { value, text }] of [...this.#kept.entries()])
      this.#kept.set(key, { value, text, at: Number.NEGATIVE_INFINITY, refreshing: false });
  }

  /** Nothing of it stays in memory. */
  clear(): void {
    this.#changes++;
    this.#loading.clear();
    this.#kept.clear();
  }

  /** Those who ask at the same time share one question. */
  #load(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const begun = this.#loading.get(key);
    if (begun !== undefined) return begun;
    const at = performance.now();
    const loading = load()
      .then((loaded) => {
        const text = loaded === undefined ? '' : JSON.stringify(loaded);
        const before = this.#kept.get(key);
        const isSame = before !== undefined && before.text === text;
        if (!isSame) this.#changes++;
        const value = isSame ? before.value : loaded;
        // Forgotten meanwhile: what was read may be older than that.
        if (this.#loading.get(key) === loading) this.#kept.set(key, { value, text, at, refreshing: false });
        return value;
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
      });
    this.#loading.set(key, loading);
    return loading;
  }
}
