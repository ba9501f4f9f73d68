import { createHasher } from '../../../src/core/search/rows/hash';
import { createIdSource, idOfKey, keyOf } from '../../../src/core/search/rows/resource-key';

const hasher = createHasher(Buffer.from('0123456789abcdef'));
const asBigInt = (key: { high: number; low: number }) => (BigInt(key.high) << 32n) | BigInt(key.low >>> 0);

/** A small generator of its own (Lehmer), so that a failure can be repeated. */
let seed = 20260101;
const draw = (below: number) => Math.floor(((seed = (seed * 48271) % 2147483647) / 2147483647) * below);

describe('an id made by the server', () => {
  it('is 16 lower-case characters that FHIR allows, and maps to the positive key it was made from', () => {
    const source = createIdSource();
    for (let i = 0; i < 20_000; i++) {
      const { id, high, low } = source.next();
      const key = keyOf(hasher, i % 2 ? 'Patient' : 'Observation', id);
      const isValid = /^[0-7][0-9a-hjkmnp-tv-z]{15}$/.test(id) && high >= 0;
      // Without an expectation for each: those take longer than the ids.
      if (!isValid || key.high !== high || key.low !== low || idOfKey(high, low) !== id) throw new Error(id);
    }
  });

  it('comes back from any positive key', () => {
    for (let i = 0; i < 50_000; i++) {
      const key = { high: draw(2 ** 31), low: draw(2 ** 32) | 0 };
      const id = idOfKey(key.high, key.low) ?? '';
      const again = keyOf(hasher, 'Patient', id);
      if (again.high !== key.high || again.low !== key.low) throw new Error(`${key.high} ${key.low} ${id}`);
    }
    for (const key of [
      { high: 0, low: 0 },
      { high: 0x7fffffff, low: -1 },
      { high: 0, low: -1 },
      { high: 1, low: 1 << 31 },
    ])
      expect(keyOf(hasher, 'Patient', idOfKey(key.high, key.low) ?? '')).toEqual(key);
  });

  it('begins with the milliseconds since 2020, then the process, then the counter', () => {
    const source = createIdSource(
      () => Date.UTC(2020, 0, 1) + 123_456_789,
      (below) => (below === 1024 ? 1023 : 7),
    );
    expect(asBigInt(source.next())).toBe((123_456_789n << 22n) | (1023n << 12n) | 7n);
    expect(asBigInt(source.next())).toBe((123_456_789n << 22n) | (1023n << 12n) | 8n);
  });

  it('has a greater key than the one before, also when the clock stands still or goes back', () => {
    let clock = Date.UTC(2026, 0, 1);
    const source = createIdSource(() => clock, draw);
    let last = asBigInt(source.next());
    for (let i = 0; i < 30_000; i++) {
      if (i % 1000 === 0) clock += draw(5) - 2;
      const key = asBigInt(source.next());
      if (key <= last) throw new Error(`step ${i}`);
      last = key;
    }
  });
});

describe('any other id', () => {
  it('has a negative key that depends on type and id', () => {
    const seen = new Set<bigint>();
    for (const type of ['Patient', 'Observation'])
      for (const id of ['example', '1', 'EXAMPLE', 'f001', '0123456789abcdef', 'a'.repeat(64), '']) {
        const key = keyOf(hasher, type, id);
        expect(key.high).toBeLessThan(0);
        expect(idOfKey(key.high, key.low)).toBeUndefined();
        seen.add(asBigInt(key));
      }
    expect(seen.size).toBe(14);
  });

  it('is also one of our ids with a changed, capital, look-alike or added character', () => {
    const { id } = createIdSource().next();
    const changed = [
      id.toUpperCase(),
      `${id}0`,
      id.slice(1),
      ` ${id.slice(1)}`,
      `8${id.slice(1)}`,
      `${id.slice(0, 15)}ü`,
    ];
    for (let at = 13; at < 16; at++)
      for (const digit of '0123456789abcdefghjkmnpqrstvwxyzoilu')
        if (digit !== id.charAt(at)) changed.push(id.slice(0, at) + digit + id.slice(at + 1));
    for (const other of changed)
      if (other !== id) expect(keyOf(hasher, 'Patient', other).high).toBeLessThan(0);
  });

  it('collides with the checksum about once in 32,768 random texts of our alphabet', () => {
    const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
    let positive = 0;
    for (let i = 0; i < 200_000; i++) {
      let id = alphabet.charAt(draw(8));
      while (id.length < 16) id += alphabet.charAt(draw(32));
      if (keyOf(hasher, 'Patient', id).high >= 0) positive++;
    }
    expect(positive).toBeLessThan(30);
  });
});
