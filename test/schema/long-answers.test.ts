/** Long responses are written in turns with other requests, as others are; their length has a limit. */
import { buildSchema, parse } from 'graphql';
import { stringifyJson } from '../../src/core';
import { compileOperation } from '../../src/gateway/execution/compile';
import { writeInTurns } from '../../src/gateway/write-answer';
import { DECIMAL_MARK } from '../../src/schema/json';
import { RawJson, stringifyAround } from '../../src/schema/raw-json';
import { turnsDuring } from '../support/turns-during';

const whole = (value: unknown): string =>
  stringifyAround(value, (plain) => stringifyJson(plain as never, true));

it('a text that is written in turns is the same text', async () => {
  const element = { b: 'ä"\n', c: [1, null, true, `${DECIMAL_MARK}1.00`], d: undefined, e: {} };
  const result = {
    errors: undefined,
    data: Object.assign(Object.create(null) as Record<string, unknown>, {
      list: [element, null, [], {}, new RawJson('{"value":1.00}')],
      record: {
        own: [element],
        raw: new RawJson('[1.0]'),
        none: null,
        deep: { of: { it: { all: [element] } } },
      },
      ['__proto__']: 1,
    }),
    extensions: { cost: { cost: 1 } },
  };
  expect((await writeInTurns(result)).toString()).toBe(whole(result));
  expect((await writeInTurns({ data: {} })).toString()).toBe('{"data":{}}');
});

it('others come first while it is written', async () => {
  const slow = {
    get text() {
      for (const until = performance.now() + 1; performance.now() < until;);
      return 'a';
    },
  };
  const record = { list: Array.from({ length: 50 }, () => slow) };
  expect(await turnsDuring(() => writeInTurns({ data: { record } }))).toBeGreaterThanOrEqual(2);
});

it('a response of very many short values is refused as one of long values is', async () => {
  const schema = buildSchema('type Query { items: [Item] } type Item { text: String }');
  const names = Array.from({ length: 60 }, (_, index) => `${'a'.repeat(200)}${index}: text`);
  const operation = compileOperation(schema, parse(`{ items { ${names.join(' ')} } }`), undefined);
  if (!('run' in operation)) throw new Error('the document is valid');
  const items = Array.from({ length: 6_000 }, () => ({ text: 'a' }));
  const { errors, data } = await operation.run({ rootValue: { items }, context: {}, variables: {} });
  expect(data).toBeNull();
  expect(errors?.map(({ message }) => message)).toEqual([
    expect.stringContaining('The response would be longer than 67108864 characters'),
  ]);
});
