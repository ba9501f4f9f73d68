/** Counts of the resources of one type. */
export interface TypeCount {
  stored: number;
  unchanged: number;
}

/** The sum over all types. */
export function sumOf(counts: ReadonlyMap<string, TypeCount>, name: keyof TypeCount): number {
  return [...counts.values()].reduce((total, count) => total + count[name], 0);
}
