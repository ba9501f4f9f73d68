/** Removes members whose export does not exist any more: statements of the owner. */
import { sql } from 'kysely';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import type { JobKey } from './jobs';

const ABANDONED = defineStatement(
  template(sql`
    with recursive found (space, job) as (
      (select m.space, m.job from andiron.export_member m order by m.space, m.job limit 1)
      union all
      select n.space, n.job from found f
      cross join lateral (
        select m.space, m.job from andiron.export_member m where (m.space, m.job) > (f.space, f.job)
        order by m.space, m.job limit 1) n
    )
    select f.space, f.job from found f
    where not exists (select 1 from andiron.job j where j.space = f.space and j.id = f.job)
    limit 100`),
);
const REMOVE = defineStatement(
  template(sql`
    with removed as (
      delete from andiron.export_member m
      where m.space = ${bind('space')}::int and m.ctid = any (array(
        select i.ctid from andiron.export_member i
        where i.space = ${bind('space')}::int and i.job = ${bind('id')} limit ${bind('limit')}::int))
      returning 1
    )
    select count(*)::int from removed limit 1`),
);

const ROWS_AT_ONCE = 10_000;

/** Removes some members of exports that were removed. True: there are more. Cost: a probe of an index for each export. */
export async function removeAbandonedMembers(session: OwnerSession, mostBatches: number): Promise<boolean> {
  let batches = 0;
  await session.forEachGroup(async (group) => {
    for (const [space, id] of (await group.run(ABANDONED)) as [number, string][])
      while (batches < mostBatches && (await removeSome(group, { space, id }))) batches += 1;
  });
  return batches >= mostBatches;
}

async function removeSome(session: OwnerSession, { space, id }: JobKey): Promise<boolean> {
  const [row] = await session.run(REMOVE, { space, id, limit: ROWS_AT_ONCE });
  return Number(row?.[0] ?? 0) === ROWS_AT_ONCE;
}
