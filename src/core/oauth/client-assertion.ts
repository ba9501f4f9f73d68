/**
 * `private_key_jwt`: a client authenticates with a signed JWT (RFC 7523, and SMART's "asymmetric client
 * authentication").
 */
import type { JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import type { StoredClient } from '../storage/accounts/client-applications';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';

/** SMART requires RS384 and ES384. */
export const ASSERTION_ALGORITHMS = ['RS384', 'ES384', 'RS256', 'ES256', 'PS256', 'PS384', 'EdDSA'];

/** SMART: at most five minutes from now; plus a minute for clock differences. */
const LONGEST_SECONDS = 300 + 60;
const CLOCK_SECONDS = 30;

/** Returns the keys under an address, as `RemoteKeys.of` does for a tenant. */
type KeysAt = (address: string) => Promise<JWTVerifyGetKey>;

/**
 * Verifies an assertion. Returns its replay id, or a text about what is wrong. Undefined: the signature is not the
 * client's, or, after the same amount of work, the client does not exist, is disabled or has no keys.
 */
export async function verifyAssertion(
  client: StoredClient | undefined,
  assertion: ReadToken,
  audience: readonly string[],
  keysAt: KeysAt,
): Promise<
  { readonly id: string; /** Milliseconds since 1970. */ readonly expires: number } | string | undefined
> {
  const jose = await loadJose();
  const enabled = client === undefined || client.isDisabled ? undefined : client;
  const keys = (enabled && (await keysOf(enabled, keysAt))) ?? (await decoyKeys());
  const { iss: claimed } = assertion.payload;
  try {
    const { payload } = await jose.jwtVerify(assertion.text, keys, {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: String(claimed),
      subject: String(claimed),
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
    const { JWTClaimValidationFailed, JWTExpired } = jose.errors;
    if (error instanceof JWTClaimValidationFailed && error.claim === 'aud')
      return `The aud of the assertion must be ${audience.join(' or ')}`;
    const isSigned = error instanceof JWTClaimValidationFailed || error instanceof JWTExpired;
    return isSigned ? `The assertion is not good: ${error.code}` : undefined;
  }
}

let decoy: Promise<JWTVerifyGetKey> | undefined;

/** Returns a key that never signs anything. */
function decoyKeys(): Promise<JWTVerifyGetKey> {
  decoy ??= loadJose().then(async (jose) => {
    const { publicKey } = await jose.generateKeyPair('ES384');
    return jose.createLocalJWKSet({ keys: [await jose.exportJWK(publicKey)] });
  });
  return decoy;
}

async function keysOf({ jwks, jwksUrl }: StoredClient, keysAt: KeysAt): Promise<JWTVerifyGetKey | undefined> {
  if (jwksUrl !== null) return keysAt(jwksUrl);
  if (jwks === null) return undefined;
  const jose = await loadJose();
  return jose.createLocalJWKSet({ keys: jwks.keys.map((key) => ({ ...key })) });
}
