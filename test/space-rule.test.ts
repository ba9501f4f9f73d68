/** The rules that statements are held to at the end of `npm test` (test/support/space-rule.ts). */
import { readFunctions } from '../migrations';
import { tablesLockedOverSpaces, tablesWithoutSpace } from './support/space-rule';

it.each([
  ['select 1 from andiron.resource r where r.space = $1::int', []],
  ['select 1 from andiron.resource r where r.space = any ($1::int[])', []],
  ['delete from andiron.user_grant where tenant = $2::int and id = $1', []],
  ['select 1 from "andiron"."resource" "r_1" where "r_1"."space" = $1::int', []],
  ['select 1 from "andiron"."resource" "r_1" where "r_1"."id" = $1', ['resource r_1']],
  ['select 1 from andiron.tenant t', []],
  ['select 1 from andiron.resource r', ['resource r']],
  ['select 1 from andiron.resource', ['resource']],
  ['update andiron.job set state = $1 where id = $2', ['job']],
  [
    'select 1 from andiron.resource r join andiron.resource_version as v on v.space = r.space where r.space = $1',
    ['resource_version v'],
  ],
  // A name that stands twice needs two comparisons.
  [
    'select 1 from andiron.resource r where r.space = $1 and exists (select 1 from andiron.resource r where true)',
    ['resource r'],
  ],
  [
    'select 1 from andiron.space s left join lateral (select 1 from andiron.job j where j.space = s.number) x on true',
    ['job j'],
  ],
])('%s', (text, missing) => {
  expect(tablesWithoutSpace(text)).toEqual(missing);
});

it.each([
  ['select 1 from andiron.content c where c.dead limit 1', []],
  ['select 1 from andiron.content c where c.dead for update skip locked', ['content c']],
  ['select 1 from andiron.content c where c.space = $1 for update', []],
  ['select 1 from andiron.space_state t for share', ['space_state t']],
  ['select 1 from andiron.job j where j.due < now() for update skip locked', []],
])('locks: %s', (text, over) => {
  expect(tablesLockedOverSpaces(text)).toEqual(over);
});

it('functions of the database lock rows of contents in the space or tenant that they are called for', async () => {
  const broken = (await readFunctions()).flatMap(({ name, text }) =>
    text
      .split(';')
      .flatMap((statement) => tablesLockedOverSpaces(statement.replace(/\b[pv]_(?:space|tenant)\b/g, '$$1')))
      .map((table) => `${name}: ${table}`),
  );
  expect(broken).toEqual([]);
});
