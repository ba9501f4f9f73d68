const NOTHING: ReadonlySet<string> = new Set();

/** Work on chunks of which some run at the same time, but not two on the same resource. */
export class AtOnce {
  readonly #running = new Map<Promise<void>, ReadonlySet<string>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(private readonly most: number) {}

  /** Resolves when the work has begun. Throws the error of an earlier one. */
  async enter(work: () => Promise<void>, resources: ReadonlySet<string> = NOTHING): Promise<void> {
    while (this.#running.size >= this.most || this.#overlaps(resources))
      await Promise.race(this.#running.keys());
    this.#throwFailure();
    const running: Promise<void> = work()
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#running.delete(running));
    this.#running.set(running, resources);
  }

  /** Resolves when no work is left. Throws the first error of all. */
  async end(): Promise<void> {
    await Promise.all(this.#running.keys());
    this.#throwFailure();
  }

  #overlaps(resources: ReadonlySet<string>): boolean {
    return [...this.#running.values()].some((others) => [...resources].some((name) => others.has(name)));
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
