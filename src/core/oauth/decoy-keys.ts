/** Key sets of tenants that do not exist (decoy.ts). Their private keys do not exist either. */
import { createECDH } from 'node:crypto';
import { createCache } from '../memory/create-cache';

type PublicKey = Readonly<Record<string, string>>;

/** Names whose keys are cached. */
const MAX_NAMES = 1_000;

/** Returns a key set like that of a tenant (signing-keys.ts) for each name, the same each time and in each process. */
export class DecoyKeys {
  readonly #made = createCache<string, readonly PublicKey[]>({
    name: 'decoy-keys',
    scope: 'program',
    max: MAX_NAMES,
  });

  constructor(
    /** A hash of 32 bytes with the key of the installation. */
    private readonly digest: (text: string) => Buffer,
  ) {}

  /**
   * Keys in the order of their ids, with members in the order of jsonb, as those of tenants. **Cost**: some
   * milliseconds at first.
   */
  of(tenant: string): readonly PublicKey[] {
    let keys = this.#made.get(tenant);
    if (keys === undefined) {
      const bytes = (what: string): Buffer => this.digest(`decoy ${what} of ${tenant}`);
      keys = [toEllipticKey(bytes), toRsaKey(bytes)].sort((a, b) => (a.kid < b.kid ? -1 : 1));
      this.#made.set(tenant, keys);
    }
    return keys;
  }
}

function toEllipticKey(bytes: (what: string) => Buffer) {
  const privateKey = bytes('ES256');
  // Keeps the key below the order of the curve.
  privateKey[0] = (privateKey[0] ?? 0) & 0x7f;
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(privateKey);
  const point = curve.getPublicKey();
  const coordinate = (start: number): string => point.subarray(start, start + 32).toString('base64url');
  return {
    ...{ x: coordinate(1), y: coordinate(33), alg: 'ES256', crv: 'P-256' },
    ...{ kid: toUuid(bytes('kid of ES256')), kty: 'EC', use: 'sig' },
  };
}

function toRsaKey(bytes: (what: string) => Buffer) {
  const parts = Array.from({ length: 8 }, (_each, index) => bytes(`RS256 ${index}`));
  return {
    ...{ e: 'AQAB', n: toModulus(Buffer.concat(parts)), alg: 'RS256' },
    ...{ kid: toUuid(bytes('kid of RS256')), kty: 'RSA', use: 'sig' },
  };
}

/** Returns a UUID of version 4, as `randomUUID` does. */
function toUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const variant = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...groups, `${variant.toString(16)}${hex.slice(18, 20)}`, hex.slice(20, 32)].join('-');
}

/** The product of two large primes has no factor below; a decoy has none that is found quickly. */
const LEAST_FACTOR = 65_536;
let smallPrimes: readonly bigint[] | undefined;

/** An odd number of 2,048 bits without small factors. */
function toModulus(bytes: Buffer): string {
  // Both primes of a modulus begin with two bits that are set, so it begins with 0x90 at least.
  bytes[0] = 0x90 + ((bytes[0] ?? 0) % 0x70);
  const primes = (smallPrimes ??= primesBelow(LEAST_FACTOR));
  let number = BigInt(`0x${bytes.toString('hex')}`) | 1n;
  while (primes.some((prime) => number % prime === 0n)) number += 2n;
  return Buffer.from(number.toString(16), 'hex').toString('base64url');
}

/** Returns the odd primes below `most`. */
function primesBelow(most: number): readonly bigint[] {
  const isComposite = new Uint8Array(most);
  const primes: bigint[] = [];
  for (let candidate = 3; candidate < most; candidate += 2) {
    if (isComposite[candidate] === 1) continue;
    primes.push(BigInt(candidate));
    for (let multiple = candidate * candidate; multiple < most; multiple += 2 * candidate)
      isComposite[multiple] = 1;
  }
  return primes;
}
