/** True in the full form of the tests (`ROUNDS=full`), which is run once at the end of a larger change. */
export const IS_FULL = process.env['ROUNDS'] === 'full';

/** Number of repetitions of random or slow tests. */
export function rounds(small: number, full: number): number {
  return IS_FULL ? full : small;
}
