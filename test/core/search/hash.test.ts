import { createHasher } from '../../../src/core/search/rows/hash';
import { leastProcessorMilliseconds } from '../../support/processor-time';

const MASK = (1n << 64n) - 1n;

/** SipHash-c-d over bytes, written from the paper with BigInt; shares nothing with the code under test. */
function sipHash(compression: number, finalization: number, key: Buffer, message: Buffer): bigint {
  const k0 = key.readBigUInt64LE(0);
  const k1 = key.readBigUInt64LE(8);
  const v = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ] as [bigint, bigint, bigint, bigint];
  const rotate = (x: bigint, bits: bigint) => ((x << bits) | (x >> (64n - bits))) & MASK;
  const round = () => {
    v[0] = (v[0] + v[1]) & MASK;
    v[1] = rotate(v[1], 13n) ^ v[0];
    v[0] = rotate(v[0], 32n);
    v[2] = (v[2] + v[3]) & MASK;
    v[3] = rotate(v[3], 16n) ^ v[2];
    v[0] = (v[0] + v[3]) & MASK;
    v[3] = rotate(v[3], 21n) ^ v[0];
    v[2] = (v[2] + v[1]) & MASK;
    v[1] = rotate(v[1], 17n) ^ v[2];
    v[2] = rotate(v[2], 32n);
  };
  const padded = Buffer.alloc((Math.floor(message.length / 8) + 1) * 8);
  message.copy(padded);
  padded[padded.length - 1] = message.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    const block = padded.readBigUInt64LE(at);
    v[3] ^= block;
    for (let i = 0; i < compression; i++) round();
    v[0] ^= block;
  }
  v[2] ^= 0xffn;
  for (let i = 0; i < finalization; i++) round();
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

const key = Buffer.from(Array.from({ length: 16 }, (_, i) => i));
const hasher = createHasher(key);
const asBigInt = (high: number, low: number) => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
const hashOf = (text: string) => {
  const high = hasher.text(text);
  return asBigInt(high, hasher.low);
};

describe('the oracle', () => {
  it('gives the example of appendix A of the SipHash paper', () => {
    const message = Buffer.from(Array.from({ length: 15 }, (_, i) => i));
    expect(sipHash(2, 4, key, message)).toBe(0xa129ca6149be45e5n);
  });

  it('gives the reference value of SipHash-1-3 for the empty message', () => {
    expect(sipHash(1, 3, key, Buffer.alloc(0))).toBe(0xabac0158050fc4dcn);
  });
});

describe('the hash of a text', () => {
  it('is SipHash-1-3 of its UTF-16 code units, for every length up to 300', () => {
    let text = '';
    for (let length = 0; length <= 300; length++) {
      expect(hashOf(text)).toBe(sipHash(1, 3, key, Buffer.from(text, 'utf16le')));
      text += String.fromCharCode((length * 2654435761) & 0xffff);
    }
  });

  it('depends on the key of the database', () => {
    const other = createHasher(Buffer.from('a key of its own'));
    expect(asBigInt(other.text('8310-5'), other.low)).not.toBe(hashOf('8310-5'));
  });

  it('needs a key of 16 bytes', () => {
    expect(() => createHasher(Buffer.alloc(15))).toThrow(RangeError);
  });
});

describe('the hash of several parts', () => {
  it('distinguishes the boundaries of parts, absent and empty parts, and their number', () => {
    const parts: (string | undefined)[][] = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['abc', ''],
      ['', 'abc'],
      ['abc', undefined],
      [undefined, 'abc'],
      [undefined, undefined],
      ['', ''],
      ['', undefined],
      ['abcd', 'e'],
      ['abcde', ''],
      ['abcd', 'e', ''],
      ['abcd', 'e', '', ''],
      ['a\0', 'b'],
      ['a', '\0b'],
      ['a\0\0\0', 'b'],
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'cd'],
      ['d', 'c', 'b', 'a'],
    ];
    const seen = new Set(parts.map(([a, b, c, d]) => asBigInt(hasher.parts(a, b, c, d), hasher.low)));
    expect(seen.size).toBe(parts.length);
  });

  it('is the same each time', () => {
    const first = asBigInt(hasher.parts('http://loinc.org', '8310-5'), hasher.low);
    hasher.text('something else');
    expect(asBigInt(hasher.parts('http://loinc.org', '8310-5'), hasher.low)).toBe(first);
  });
});

describe('the short hash', () => {
  it('is never 0, fits in a signed 32-bit integer and is the same from the cache', () => {
    for (let i = 0; i < 5000; i++) {
      const value = hasher.short(`http://example.org/${i}`);
      const cached = [1, 2].map(() => hasher.cachedShort(`http://example.org/${i}`));
      // Without an expectation for each: those take longer than the hashes.
      if (value !== (value | 0) || value === 0 || cached.some((one) => one !== value))
        throw new Error(`hash ${i}`);
    }
  });
});

it('takes less than 0.7 µs for 30 characters (generous bound here; the figure is printed by bench/extract.mjs)', () => {
  const texts = Array.from({ length: 64 }, (_, i) => `urn:oid:2.16.840.1.113883.${1000 + i}`.slice(0, 30));
  for (let i = 0; i < 100_000; i++) hasher.text(texts[i & 63] ?? '');
  const rounds = 200_000;
  const spent = leastProcessorMilliseconds((5 * rounds) / 1000, () => {
    for (let i = 0; i < rounds; i++) hasher.text(texts[i & 63] ?? '');
  });
  const microseconds = (spent * 1000) / rounds;
  expect(microseconds).toBeLessThan(5);
  process.stdout.write(`hash of 30 characters: ${microseconds.toFixed(3)} µs\n`);
});
