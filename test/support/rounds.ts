/** True in the full form of the tests (`ROUNDS=full`), which is run once at the end of a larger change. */
export const IS_FULL = process.env['ROUNDS'] === 'full';

/** True in the form of `.ci/run` (`ROUNDS=one`): a kill of each mechanism, and no limit in seconds, since machines differ. */
export const IS_LANDING = process.env['ROUNDS'] === 'one';

/** Every `stride`th of a list, in its order; all of it in the full form. */
export function sampled<Value>(all: readonly Value[], stride = 10): readonly Value[] {
  return IS_FULL ? all : all.filter((_value, index) => index % stride === 0);
}

/** Number of repetitions of random or slow tests. */
export function rounds(small: number, full: number): number {
  return IS_FULL ? full : small;
}

/** The same of kills, each of which costs the start of a process. */
export function killRounds(small: number, full: number): number {
  return IS_LANDING ? 1 : rounds(small, full);
}
