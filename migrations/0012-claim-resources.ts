import { sql, type Kysely } from 'kysely';

/**
 * Takes the heads of many resources of one space until the end of the transaction, and says at which version they are.
 *
 * `write_versions` takes the heads that it makes, then those that it changes, each in the order of its members, and the
 * tenant's counter last. A transaction Bundle calls it several times: it holds the counter while it still needs heads,
 * which another writer may hold who waits for the counter. So it takes all of them here, before the first call: first the
 * keys that are not there yet, then the rest, both in the order of type and key, as everybody does.
 *
 * A key that is not there is taken by a row that is made and removed again: whoever wants to make the same one waits for
 * the end of the transaction that did (a unique index waits for an insertion that is not committed, removed or not).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function andiron.claim_resources(
      p_space int, p_type smallint[], p_key bigint[], p_is_made boolean[]
    ) returns table (member int, version int)
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    set plan_cache_mode = force_generic_plan
    set enable_seqscan = off
    set enable_hashjoin = off
    set enable_mergejoin = off
    as $function$
    #variable_conflict use_column
    declare
      v_member record;
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a claim must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      for v_member in
        select m.resource_type, m.resource_key
        from unnest(p_type, p_key, p_is_made) as m (resource_type, resource_key, is_made)
        where m.is_made and not exists (
          select 1 from andiron.resource r
          where r.space = p_space and r.resource_type = m.resource_type and r.resource_key = m.resource_key)
        order by m.resource_type, m.resource_key
      loop
        insert into andiron.resource
          (space, resource_type, deleted, resource_key, last_updated, sort_date, version, id, presence)
        values (p_space, v_member.resource_type, true, v_member.resource_key, 0, 0, 0, null, ''::bytea)
        on conflict (space, resource_type, resource_key) do nothing;
        delete from andiron.resource r
        where r.space = p_space and r.resource_type = v_member.resource_type
          and r.resource_key = v_member.resource_key and r.version = 0;
      end loop;
      return query
        select m.ordinal::int, h.version
        from unnest(p_type, p_key) with ordinality as m (resource_type, resource_key, ordinal)
        join andiron.resource h
          on h.space = p_space and h.resource_type = m.resource_type and h.resource_key = m.resource_key
        order by m.resource_type, m.resource_key
        for update of h;
    end
    $function$`.execute(db);
  await sql`revoke execute on function andiron.claim_resources from public`.execute(db);
}
