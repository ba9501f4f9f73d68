/** A document that asks for much of what was loaded lets others come first; what runs statements stays together. */
import { buildSchema, isObjectType, parse } from 'graphql';
import { compileOperation } from '../../src/gateway/execution/compile';
import { turnsDuring } from '../support/turns-during';

const schema = buildSchema(`
  type Query { record: Record }
  type Record { items: [Item] }
  type Item { text: String, target: Item }
`);
const item = schema.getType('Item');
if (!isObjectType(item)) throw new Error('Item is a type');
const target = item.getFields()['target'];
if (target === undefined) throw new Error('Item has a target');
target.extensions = { cost: { base: 1 } };

const DOCUMENT = (selection: string): string =>
  `{ record { ${Array.from({ length: 30 }, (_, index) => `a${index}: items { ${selection} }`).join(' ')} } }`;

/** The source works for a millisecond whenever its items are read; `turns` counts what others could do meanwhile. */
async function run(selection: string): Promise<{ turns: number; result: unknown }> {
  const record = {
    items(): object[] {
      const until = performance.now() + 1;
      while (performance.now() < until);
      return [{ text: 'a', target: { text: 'b' } }];
    },
  };
  const operation = compileOperation(schema, parse(DOCUMENT(selection)), undefined);
  if (!('run' in operation)) throw new Error('the document is valid');
  let result: unknown;
  const turns = await turnsDuring(async () => {
    result = await operation.run({ rootValue: { record }, context: {}, variables: {} });
  });
  return { turns, result };
}

const expected = (content: object): object => ({
  data: { record: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`a${index}`, [content]])) },
});

it('long lists of one document are filled in several turns, in the order of the document', async () => {
  const { turns, result } = await run('text');
  expect(result).toEqual(expected({ text: 'a' }));
  expect(Object.keys((result as { data: { record: object } }).data.record)).toEqual(
    Array.from({ length: 30 }, (_, index) => `a${index}`),
  );
  expect(turns).toBeGreaterThanOrEqual(2);
});

it('lists with fields that read from the database are filled in one turn, so that these share statements', async () => {
  const { turns, result } = await run('target { text }');
  expect(result).toEqual(expected({ target: { text: 'b' } }));
  expect(turns).toBe(0);
});
