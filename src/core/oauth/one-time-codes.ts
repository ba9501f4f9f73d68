/**
 * Codes of the second factor: those of an authenticator app (TOTP, RFC 6238: six digits for 30 s, SHA-1, as all apps have it), and
 * recovery codes in place of a lost one (look-up secrets, https://pages.nist.gov/800-63-4/sp800-63b.html#lookupsecrets).
 */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { hashToken } from './random-token';

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
/** The clock of a phone may differ by a step. */
const WINDOW = 1;
/** Bytes of a name in an app, in UTF-8. */
const LONGEST_NAME = 40;
const RECOVERY_CODES = 10;
/** 120 random bits, so that a fast hash is enough (NIST: 112). */
const RECOVERY_BYTES = 15;
const RECOVERY_GROUP = 6;

/** A secret that an app and this server share. */
export interface SharedSecret {
  /** In base32, for people who type it. */
  readonly text: string;
  /** The address in a QR code, from which apps read it. */
  readonly uri: string;
}

const toTotp = (secret: Buffer, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP =>
  new TOTP({ ...names, secret: toSecret(secret), period: PERIOD_SECONDS, digits: 6, algorithm: 'SHA1' });

function toSecret(bytes: Buffer): Secret {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer });
}

export function makeSharedSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** `issuer`, `label`: how the app names the account. */
export function showSharedSecret(secret: Buffer, issuer: string, label: string): SharedSecret {
  // A colon separates the two in the address.
  const named = { issuer: shorten(issuer.replaceAll(':', ' ')), label: shorten(label) };
  return { text: toSecret(secret).base32, uri: toTotp(secret, named).toString() };
}

/**
 * The address has the issuer twice, each byte of other letters than those of English in three characters. A QR code has room for
 * 2,953, and a phone reads one with a few hundred from a screen.
 */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST_NAME) return name;
  let short = '';
  for (const letter of name) {
    if (Buffer.byteLength(short + letter) > LONGEST_NAME) break;
    short += letter;
  }
  return `${short}…`;
}

/** Returns the step of a code that is valid at `now` (milliseconds since 1970). Undefined: it is not. */
export function stepOfCode(secret: Buffer, code: string, now: number): number | undefined {
  const delta = toTotp(secret).validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

/** A code as a person has typed it. */
export type TypedCode =
  | { readonly kind: 'code'; readonly digits: string }
  | { readonly kind: 'recovery-code'; readonly hash: Buffer };

export function readTypedCode(typed: string): TypedCode {
  const plain = typed.replace(/[\s-]/g, '').toUpperCase();
  if (/^\d{6}$/.test(plain)) return { kind: 'code', digits: plain };
  return { kind: 'recovery-code', hash: hashToken(plain) };
}

/** Codes of four groups, such as `ABCDEF-GHIJKL-MNOPQR-STUVWX`, and their hashes. */
export function makeRecoveryCodes(): {
  readonly codes: readonly string[];
  readonly hashes: readonly Buffer[];
} {
  const plain = Array.from({ length: RECOVERY_CODES }, () => toSecret(randomBytes(RECOVERY_BYTES)).base32);
  const grouped = new RegExp(`.{${RECOVERY_GROUP}}(?=.)`, 'g');
  return { codes: plain.map((code) => code.replace(grouped, '$&-')), hashes: plain.map(hashToken) };
}
