import { IntrospectionAllowance } from '../../src/gateway/introspection-allowance';

it('allows a tenant four new introspections at once and one in ten seconds, and no tenant delays others', () => {
  let now = 0;
  const allowance = new IntrospectionAllowance(() => now);
  const countAllowed = (tenant: number, times: number): number => {
    let count = 0;
    for (let time = 0; time < times; time++) {
      try {
        allowance.take(tenant);
        count++;
      } catch {
        // Refused: not counted.
      }
    }
    return count;
  };
  expect([countAllowed(1, 50), countAllowed(2, 1)]).toEqual([4, 1]);
  now += 9_999;
  expect([countAllowed(1, 5), countAllowed(2, 1)]).toEqual([0, 1]);
  now += 1;
  expect(countAllowed(1, 5)).toBe(1);
  now += 3_600_000;
  expect(countAllowed(1, 5)).toBe(4);
  // All tenants together have twelve at once.
  expect(
    Array.from({ length: 10 }, (_, tenant) => countAllowed(tenant + 10, 4)).reduce((sum, each) => sum + each),
  ).toBe(8);
  now += 5_000;
  expect([countAllowed(100, 2), countAllowed(101, 1)]).toEqual([1, 0]);
});
