/** Hashes of secrets: scrypt (RFC 7914) with a random salt, so that a copy of the table gives no access. */
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { fhirError } from '../errors';

/** 16 MB and some 40 ms, for secrets of 256 random bits that this program made. */
const COST = { N: 16_384, r: 8, p: 1 } as const;
/** Five times that, for passwords that people choose. */
const PASSWORD_COST = { N: 16_384, r: 8, p: 5 } as const;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** Concurrent hashes: each takes one of Node's four threads, which file and DNS operations need too. */
const MOST_AT_ONCE = 2;
/** Longer queues would take longer than clients wait. */
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

/** Returns `scrypt$16384$8$1$SALT$HASH`, salt and hash in base64url. Cost: 16 MB and some 40 ms in another thread. */
export function hashSecret(secret: string): Promise<string> {
  return hash(secret, COST);
}

/** Returns the hash of no password, in the form of those of passwords: each is wrong after the same time. */
export function placeholderHash(): string {
  return toText(PASSWORD_COST, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

/** As `hashSecret` at five times the cost. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PASSWORD_COST);
}

async function hash(secret: string, cost: Cost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return toText(cost, salt, await derive(secret, salt, cost));
}

function toText({ N, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

let decoy: Promise<string> | undefined;

/** Takes as long as `isSecretOf` where there is no secret to compare with. Always false. */
export async function isDecoySecret(secret: string): Promise<false> {
  await isSecretOf(secret, await (decoy ??= hashSecret(randomUUID())));
  return false;
}

/** True: the hash belongs to this secret. Cost: as `hashSecret`. Throws `overloaded` where too many calls wait. */
export async function isSecretOf(secret: string, hashed: string): Promise<boolean> {
  const [kind, N, r, p, salt, key] = hashed.split('$');
  if (kind !== 'scrypt' || salt === undefined || key === undefined)
    throw new Error('a stored secret has an invalid form');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(secret, Buffer.from(salt, 'base64url'), cost);
  const stored = Buffer.from(key, 'base64url');
  return stored.length === derived.length && timingSafeEqual(stored, derived);
}
