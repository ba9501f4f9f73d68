/** A source of chance that a seed repeats. */

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(of: readonly T[]): T;
  chance(share: number): boolean;
  /** `count` picks, some perhaps equal. */
  several<T>(of: readonly T[], count: number): T[];
}

/** xorshift with 32 bits of state. @param seed any whole number */
export function createRandom(seed: number): Random {
  let state = (Math.imul(seed | 0, 0x9e3779b1) ^ 0x5bd1e995) | 0;
  if (state === 0) state = 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  for (let index = 0; index < 8; index++) next();
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(of: readonly T[]): T => {
    if (of.length === 0) throw new Error('nothing to pick from');
    return of[below(of.length)] as T;
  };
  return {
    next,
    below,
    pick,
    chance: (share) => next() < share,
    several: (of, count) => Array.from({ length: count }, () => pick(of)),
  };
}
