/** What opens something for a while: cookies, codes, refresh and launch tokens. Each is told once and kept as its hash. */
import { createHash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** 256 random bits in base64url. */
export function makeToken(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** Fast, because nobody can guess what it is the hash of. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** A refresh token: what all of its family begin with, and a part of its own. */
export function makeRefreshToken(family = makeToken()): string {
  return `${family}.${makeToken()}`;
}

/** Undefined: it is not one. */
export function familyOf(refreshToken: string): string | undefined {
  return /^([\w-]{43})\.[\w-]{43}$/.exec(refreshToken)?.[1];
}
