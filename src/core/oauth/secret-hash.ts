/** Secrets as they are stored: scrypt (RFC 7914) with a salt of their own, so that a copy of the table opens nothing. */
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { fhirError } from '../errors';

/** 16 MB and some 40 ms: of what was made by us, 256 random bits. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
/** Five times that: of what people have thought of. */
const PASSWORD_COST = { N: 16_384, r: 8, p: 5 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** At once: each takes one of Node's four threads, which files and names need too. */
const MOST_AT_ONCE = 2;
/** More would wait for longer than anybody does. */
const MOST_WAITING = 200;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw fhirError('overloaded');
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

function derive(secret: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        scrypt(secret.normalize('NFC'), salt, HASH_BYTES, options, (error, key) =>
          error === null ? resolve(key) : reject(error),
        );
      }),
  );
}

/** `scrypt$16384$8$1$SALT$HASH`, both in base64url. Cost: 16 MB and some 40 ms in another thread. */
export function hashSecret(secret: string): Promise<string> {
  return hash(secret, COST);
}

/** The same at five times the cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PASSWORD_COST);
}

async function hash(secret: string, cost: Cost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(secret, salt, cost);
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

let nobodys: Promise<string> | undefined;

/** Takes as long as `isSecretOf`, for those whose secret there is none to compare with. Never true. */
export async function isSecretOfNobody(secret: string): Promise<false> {
  await isSecretOf(secret, await (nobodys ??= hashSecret(randomUUID())));
  return false;
}

/** Whether the hash is that of this secret. Cost: as `hashSecret`. Throws `overloaded` where too many ask at once. */
export async function isSecretOf(secret: string, hashed: string): Promise<boolean> {
  const [kind, N, r, p, salt, key] = hashed.split('$');
  if (kind !== 'scrypt' || salt === undefined || key === undefined)
    throw new Error('a stored secret is not of the form that this program writes');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(secret, Buffer.from(salt, 'base64url'), cost);
  const stored = Buffer.from(key, 'base64url');
  return stored.length === derived.length && timingSafeEqual(stored, derived);
}
