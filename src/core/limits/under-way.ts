/** Counts the concurrent requests of each tenant in this process (docs/run/limits.md, Requests under way). */
export class UnderWay {
  private readonly counts = new Map<number, number>();

  /** Undefined: the tenant already has `most`. Otherwise returns a function to call when the request ends. */
  enter(tenant: number, most: number): (() => void) | undefined {
    const count = this.count(tenant);
    if (count >= most) return undefined;
    this.counts.set(tenant, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = this.count(tenant) - 1;
      if (left === 0) this.counts.delete(tenant);
      else this.counts.set(tenant, left);
    };
  }

  count(tenant: number): number {
    return this.counts.get(tenant) ?? 0;
  }
}
