/** The copies of database functions for a shard group. */
import { readFunctions } from '../../../../migrations';
import { GroupFunctions } from '../../../../src/core/storage/nodes/group-functions';

const shards = new Map([
  ['resource', 'resource_7'],
  ['string_index', 'string_index_8'],
  ['change_counter', 'change_counter_9'],
]);

it('a group has copies of the functions that name its tables, themselves or through others', async () => {
  const names = new GroupFunctions(await readFunctions(), new Set(shards.keys())).namesOf({ shards });
  for (const own of ['store_versions', 'strings_containing', 'fail_search_parameter', 'require_group'])
    expect(names.get(own)).toMatch(new RegExp(`^${own}_9_[0-9a-f]{8}$`));
  expect(names.get('take_tokens')).toBeUndefined();
  expect(names.get('resource')).toBe('resource_7');
});

it('functions of another text have other names, so that processes of two versions do not share them', async () => {
  const functions = await readFunctions();
  const changed = functions.map(({ name, text }) => ({ name, text: `${text}-- changed` }));
  const [one, other] = [functions, changed].map((each) =>
    new GroupFunctions(each, new Set(shards.keys())).namesOf({ shards }).get('store_versions'),
  );
  expect(one).not.toBe(other);
});

it('a statement changes rows by a function unless PostgreSQL takes the function for stable', async () => {
  const functions = new GroupFunctions(await readFunctions(), new Set(shards.keys()));
  expect(functions.changes('select andiron.use_assertion($1::int, $2, $3)')).toBe(true);
  expect(functions.changes('select andiron.strings_containing($1::int, $2)')).toBe(false);
});
