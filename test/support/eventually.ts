/** Calls `check` until it resolves with true. Throws after `withinMs`. Resolves with the milliseconds that it took. */
export async function eventually(check: () => Promise<boolean>, withinMs: number): Promise<number> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > withinMs) throw new Error(`it did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - began;
}
