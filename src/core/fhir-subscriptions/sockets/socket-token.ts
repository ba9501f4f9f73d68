/**
 * Tokens of `$get-ws-binding-token`. A token is signed, so that no process must store it, and its nonce is marked as used
 * in PostgreSQL, so that it binds once across all processes, also while Redis is away.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { BindingToken } from '../../api/notification-stream';
import type { Space } from '../../context';
import { FhirError } from '../../errors';
import { openCursor, sealCursor, type CursorContent } from '../../search-execution/page/cursor';

const LIFETIME_MS = 30_000;
/** A mark outlives its token by so much, because the clocks of this process and of the database differ. */
const MARK_MS = 600_000;

/** A Subscription as its author wrote it; after a later write the token is not for it any more. */
export interface TokenSubscription {
  readonly id: string;
  readonly version: number;
}

interface TokenOwner {
  readonly actor: string;
  readonly subscriptions: readonly TokenSubscription[];
}

/** The content of a valid token. */
export interface OpenedToken extends TokenOwner {
  /** Marks the token as used until `expires` (milliseconds since 1970). */
  readonly mark: { readonly hash: Buffer; readonly expires: number };
}

/** Makes a token for Subscriptions of a space, valid for 30 seconds. */
export function sealBindingToken(
  keys: readonly Buffer[],
  space: Pick<Space, 'number'>,
  { actor, subscriptions }: TokenOwner,
  now = Date.now(),
): BindingToken {
  const expires = now + LIFETIME_MS;
  const nonce = randomBytes(12).toString('base64url');
  const pairs = subscriptions.flatMap(({ id, version }) => [id, version]);
  return {
    token: sealCursor(keys, scopeOf(space), [expires, nonce, actor, ...pairs]),
    expires,
    subscriptions: subscriptions.map(({ id }) => id),
  };
}

/** Returns the content of a token; undefined: it is not of this space, was changed, or has expired. */
export function openBindingToken(
  keys: readonly Buffer[],
  space: Pick<Space, 'number'>,
  token: string,
  now = Date.now(),
): OpenedToken | undefined {
  const [expires, nonce, actor, ...pairs] = contentOf(keys, space, token) ?? [];
  if (typeof expires !== 'number' || typeof nonce !== 'string' || typeof actor !== 'string') return undefined;
  if (expires < now) return undefined;
  const subscriptions: TokenSubscription[] = [];
  for (let index = 0; index < pairs.length; index += 2)
    subscriptions.push({ id: String(pairs[index]), version: Number(pairs[index + 1]) });
  // The hash is of the nonce, because several texts decode to the bytes of one token.
  const hash = createHash('sha256').update(`subscription-socket ${nonce}`).digest();
  return { actor, subscriptions, mark: { hash, expires: expires + MARK_MS } };
}

function contentOf(
  keys: readonly Buffer[],
  space: Pick<Space, 'number'>,
  token: string,
): CursorContent | undefined {
  try {
    return openCursor(keys, scopeOf(space), token);
  } catch (error) {
    if (error instanceof FhirError && error.key === 'invalidCursor') return undefined;
    throw error;
  }
}

/** The number of a space stands for its tenant and release. */
function scopeOf({ number }: Pick<Space, 'number'>): string {
  return JSON.stringify(['subscription-socket', number]);
}
