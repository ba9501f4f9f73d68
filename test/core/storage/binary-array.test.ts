/** Arrays in the wire format, against what PostgreSQL itself reads from its text format. */
import { BinaryArray } from '../../../src/core/storage/connection/binary-array';
import { openStorage, type OpenedStorage } from './opened-storage';

let storage: OpenedStorage;
beforeAll(async () => {
  storage = await openStorage();
});
afterAll(() => storage.close());

async function expectSame(
  type: string,
  array: BinaryArray,
  values: readonly (string | null)[],
): Promise<void> {
  const { rows } = await storage.owner.query<{ same: boolean; shown: string; expected: string }>(
    `select $1::${type}[] is not distinct from $2::text[]::${type}[] as same,
            $1::${type}[]::text as shown, ($2::text[]::${type}[])::text as expected`,
    [array.finish(), values],
  );
  expect(rows[0]?.shown).toBe(rows[0]?.expected);
  expect(rows[0]?.same).toBe(true);
}

describe('an encoded array', () => {
  it.each(['int2', 'int4', 'int8', 'float8', 'text', 'bytea'] as const)(
    'of %s without members is read as empty',
    async (type) => {
      await expectSame(type, new BinaryArray(type), []);
    },
  );

  it.each(['int2', 'int4', 'int8', 'float8', 'text', 'bytea'] as const)(
    'of %s with only nulls is read as such',
    async (type) => {
      const array = new BinaryArray(type, 20);
      for (let index = 0; index < 9; index++) array.pushNull();
      await expectSame(type, array, Array<null>(9).fill(null));
    },
  );

  it('with int2 and int4 preserves the limits of the range', async () => {
    const small = new BinaryArray('int2', 20);
    for (const value of [0, 1, -1, 32767, -32768]) small.pushInt2(value);
    small.pushNull();
    await expectSame('int2', small, ['0', '1', '-1', '32767', '-32768', null]);
    const large = new BinaryArray('int4', 20);
    for (const value of [0, -1, 2147483647, -2147483648]) large.pushInt4(value);
    await expectSame('int4', large, ['0', '-1', '2147483647', '-2147483648']);
  });

  it('with int8 accepts signed or unsigned halves, and integers', async () => {
    const numbers = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 4294967295n, 4294967296n, -4294967297n];
    const array = new BinaryArray('int8', 20);
    for (const number of numbers) {
      array.pushInt8(Number(number >> 32n), Number(BigInt.asIntN(32, number)));
      array.pushInt8(Number(BigInt.asUintN(32, number >> 32n)), Number(BigInt.asUintN(32, number)));
    }
    const wholes = [0, -1, 1, 2 ** 53, -(2 ** 53), 4294967296, -4294967296, 1732147200000, -62135596800000];
    for (const whole of wholes) array.pushWhole(whole);
    await expectSame('int8', array, [
      ...numbers.flatMap((number) => [String(number), String(number)]),
      ...wholes.map((whole) => BigInt(whole).toString()),
    ]);
  });

  it('with float8 preserves every digit, infinities and the smallest numbers', async () => {
    const numbers = [0, -0, 0.1, 1 / 3, -1e308, 5e-324, 2 ** 53 + 2, Infinity, -Infinity];
    const array = new BinaryArray('float8', 20);
    for (const number of numbers) array.pushFloat8(number);
    array.pushNull();
    await expectSame('float8', array, [
      ...numbers.map((number) => (Object.is(number, -0) ? '-0' : String(number))),
      null,
    ]);
  });

  it('with text preserves every character, distinguishes the empty text from null, and grows', async () => {
    const texts = [
      '',
      'NULL',
      '"\\,{}',
      'Zoë',
      '患者 一二三',
      '👩‍⚕️',
      'e\u0301',
      '\u0001',
      '\ufeff',
      'ä'.repeat(5000),
      '\uffff',
      '\u{10ffff}',
    ];
    const array = new BinaryArray('text', 20);
    for (const text of texts) array.pushText(text);
    array.pushText(null);
    array.pushText('after');
    await expectSame('text', array, [...texts, null, 'after']);
  });

  it('with bytea preserves each byte', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const array = new BinaryArray('bytea', 20);
    for (const bytes of [new Uint8Array(0), all, Uint8Array.of(0)]) array.pushBytes(bytes);
    array.pushNull();
    await expectSame('bytea', array, ['\\x', `\\x${Buffer.from(all).toString('hex')}`, '\\x00', null]);
  });
});
