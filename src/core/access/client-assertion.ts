/** `private_key_jwt`: a client signs for itself (RFC 7523, and SMART's "asymmetric client authentication"). */
import type { JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import type { StoredClient } from '../storage/client-applications';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { RemoteKeys } from './remote-keys';

/** RS384 and ES384 are those of SMART. */
export const ASSERTION_ALGORITHMS = ['RS384', 'ES384', 'RS256', 'ES256', 'PS256', 'PS384', 'EdDSA'];

/** SMART: no later than five minutes from now; a minute for clocks that differ. */
const LONGEST_SECONDS = 300 + 60;
const CLOCK_SECONDS = 30;

const remote = new RemoteKeys();

/** What it is remembered by, or a sentence on what is wrong with it. */
export async function verifyAssertion(
  client: StoredClient,
  assertion: ReadToken,
  audience: readonly string[],
): Promise<{ readonly id: string; /** Milliseconds since 1970. */ readonly expires: number } | string> {
  const jose = await loadJose();
  const keys = await keysOf(client);
  if (keys === undefined) return 'The client has registered no keys';
  try {
    const { payload } = await jose.jwtVerify(assertion.text, keys, {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: client.id,
      subject: client.id,
      audience: [...audience],
      clockTolerance: CLOCK_SECONDS,
      requiredClaims: ['exp', 'jti'],
    });
    const { exp, jti } = payload;
    if (exp === undefined || typeof jti !== 'string' || jti === '') return 'The assertion has no exp or jti';
    if (exp > Date.now() / 1000 + LONGEST_SECONDS)
      return 'The assertion is good for longer than five minutes';
    return { id: jti, expires: (exp + CLOCK_SECONDS) * 1000 };
  } catch (error) {
    if (!(error instanceof jose.errors.JOSEError)) throw error;
    return `The assertion is not good: ${error.code}`;
  }
}

async function keysOf({ jwks, jwksUrl }: StoredClient): Promise<JWTVerifyGetKey | undefined> {
  if (jwksUrl !== null) return remote.of(jwksUrl);
  if (jwks === null) return undefined;
  const jose = await loadJose();
  return jose.createLocalJWKSet({ keys: jwks.keys.map((key) => ({ ...key })) });
}
