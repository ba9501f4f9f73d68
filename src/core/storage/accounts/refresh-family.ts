/**
 * The refresh tokens of one grant, its family. Each is used once; for a short time it may be used again, because two tabs
 * of an app may use it at the same moment, and because an answer may be lost. Tokens are hashes in hexadecimal. Pure.
 */

/** For so long after its first use a token may be used again. */
const REPEAT_MS = 10_000;
/** So many tokens beyond the first may be issued for one token, and be unused in one family. */
const MOST_FURTHER = 3;

interface UsedToken {
  readonly token: string;
  /** Its first use by the clock of the database; milliseconds since 1970. */
  readonly at: number;
  /** The tokens that were issued for it. */
  readonly successors: readonly string[];
}

/** As stored in `user_grant.refresh_uses`. */
export interface RefreshFamily {
  /** The token that was issued last, `user_grant.refresh_current`. */
  readonly newest: string;
  /** Tokens that are not used yet, in the order in which they were issued. */
  readonly unused: readonly string[];
  /** Used tokens that may be used again, unless their time is over. */
  readonly used: readonly UsedToken[];
}

/**
 * Returns the family as it is stored. A program of the previous version changes `newest` alone, and then ends all others.
 *
 * @param newest `user_grant.refresh_current`
 */
export function toFamily(newest: string, stored: RefreshFamily | null): RefreshFamily {
  return stored?.newest === newest ? stored : { newest, unused: [newest], used: [] };
}

/**
 * Returns the family after the use of a token, for which `next` is issued; undefined: the token is not one of the family, or
 * was used before and may not be used again. Beyond the limit the token that was issued first ends unused.
 *
 * @param now milliseconds since 1970 by the clock of the database
 */
export function useToken(
  { unused, used }: RefreshFamily,
  token: string,
  next: string,
  now: number,
): RefreshFamily | undefined {
  const others = unused.filter((one) => one !== token);
  const issued = [...others, next].slice(-1 - MOST_FURTHER);
  const repeatable = used.filter(
    ({ at, successors }) => now - at <= REPEAT_MS && successors.every((one) => others.includes(one)),
  );
  if (others.length < unused.length)
    return { newest: next, unused: issued, used: [...repeatable, { token, at: now, successors: [next] }] };
  const before = repeatable.find((one) => one.token === token);
  if (before === undefined || before.successors.length > MOST_FURTHER) return undefined;
  const again = { ...before, successors: [...before.successors, next] };
  return { newest: next, unused: issued, used: repeatable.map((one) => (one === before ? again : one)) };
}
