/** SQL by the shape of a request: compiled once, and the same text for all values. */
import { sql } from 'kysely';
import { bind } from '../../../src/core/storage/connection/statement';
import { StatementShapes } from '../../../src/core/storage/connection/statement-shapes';

it('a statement is compiled once for each shape, and prepared at the third use of the shape', () => {
  const shapes = new StatementShapes();
  let compiled = 0;
  const get = (shape: string): ReturnType<StatementShapes['get']> =>
    shapes.get(shape, () => {
      compiled += 1;
      return sql`select ${bind('value')}::int as ${sql.id(shape)}`;
    });
  const first = get('one');
  expect([first.text, first.name]).toEqual(['select $1::int as "one"', undefined]);
  expect(first.values({ value: 7 })).toEqual([7]);
  expect(get('one')).toBe(first);
  const third = get('one');
  expect([third.text, third.name]).toEqual([first.text, expect.stringMatching(/^a/)]);
  expect(get('one')).toBe(third);
  expect(get('two').text).not.toBe(first.text);
  expect(compiled).toBe(2);
});

it('the number of cached shapes and prepared statements is limited', () => {
  const shapes = new StatementShapes();
  let compiled = 0;
  const get = (index: number): string | undefined => {
    const build = (): ReturnType<typeof sql> => {
      compiled += 1;
      return sql`select ${sql.lit(index)}`;
    };
    return [1, 2, 3].map(() => shapes.get(`shape ${index}`, build).name)[2];
  };
  const names = Array.from({ length: 700 }, (_, index) => get(index)).filter((name) => name !== undefined);
  expect([compiled, new Set(names).size]).toEqual([700, 300]);
  // The first ones are evicted by now.
  get(0);
  expect(compiled).toBe(701);
});
