/** How many requests of each tenant this process is at (docs/limits.md, Requests under way). */
export class UnderWay {
  private readonly counts = new Map<number, number>();

  /** Undefined: the tenant has `most` already. Else a function that says, once, that the request is over. */
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
