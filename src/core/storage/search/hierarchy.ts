/** Resources that refer to each other along a hierarchy of any depth. */
import { sql, type RawBuilder } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { keyOfText, keyText } from '../read/version-row';
import type { KeyHalves } from '../key-halves';

/** The root of a traversal, and the parameters by which resources of the type refer to their parents. */
export interface Hierarchy {
  readonly type: number;
  readonly root: KeyHalves;
  readonly upwards: readonly number[];
}

const OF_MEMBER = sql`t.space = ${bind('space')}::int and t.parameter = any(${bind('upwards')}::int[])
  and t.target_type = ${bind('type')}::smallint`;

/** A cached plan from a time with few references could scan all of them for each member. */
const PLANNED_EACH_TIME = { named: false };

/** Traverses from the root. UNION drops duplicates, so that circles end; LIMIT stops the traversal. */
const traverse = (step: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  with recursive member (resource_key) as (
    select ${bind('root')}::bigint
    union
    ${step}
  )
  select resource_key::text from member limit ${bind('limit')}::int`;

const BELOW = defineStatement(
  template(
    traverse(sql`
    select x.resource_key
    from member m
    cross join lateral (
      select t.resource_key from andiron.reference_index t
      where ${OF_MEMBER} and t.target_key = m.resource_key
      offset 0
    ) x`),
  ),
  PLANNED_EACH_TIME,
);

const ABOVE = defineStatement(
  template(
    traverse(sql`
    select k.target_key
    from member m
    cross join lateral (
      select r.target_keys, r.sort_date from andiron.resource r
      where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint
        and r.resource_key = m.resource_key and not r.deleted
      offset 0
    ) h
    cross join lateral unnest(h.target_keys) as k (target_key)
    where exists (
      select 1 from andiron.reference_index t
      where ${OF_MEMBER} and t.target_key = k.target_key and t.sort_date = h.sort_date
        and t.resource_key = m.resource_key
      offset 0)`),
  ),
  PLANNED_EACH_TIME,
);

/**
 * Returns the root, even if it does not exist, and everything above or below it, at most `limit`. Cost: one statement,
 * an index probe for each member.
 */
export async function findMembers(
  database: Database,
  space: number,
  {
    relation,
    hierarchy: { type, root, upwards },
    limit,
  }: { readonly relation: 'above' | 'below'; readonly hierarchy: Hierarchy; readonly limit: number },
): Promise<readonly KeyHalves[]> {
  const parameters = new BinaryArray('int4');
  for (const parameter of upwards) parameters.pushInt4(parameter);
  const rows = await database.run({ lane: 'search', space }, relation === 'above' ? ABOVE : BELOW, {
    space,
    type,
    root: keyText(root),
    upwards: parameters.finish(),
    limit,
  });
  return rows.map(([key]) => keyOfText(String(key)));
}
