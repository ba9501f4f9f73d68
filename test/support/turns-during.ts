/** Returns how often others had their turn of the event loop while something was done. */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}
