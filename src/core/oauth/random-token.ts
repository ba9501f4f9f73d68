/** Bearer secrets: cookies, codes, refresh and launch tokens. Each is sent once, and only its hash is stored. */
import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** 256 random bits in base64url. */
export function makeToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** A fast hash is enough, because the token is random. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Returns a refresh token: the common prefix of its family, and a part of its own. */
export function makeRefreshToken(family = makeToken()): string {
  return `${family}.${makeToken()}`;
}

/** Undefined: the text is not a refresh token. */
export function familyOf(refreshToken: string): string | undefined {
  return /^([\w-]{43})\.[\w-]{43}$/.exec(refreshToken)?.[1];
}
