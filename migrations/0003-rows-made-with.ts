import { sql, type Kysely } from 'kysely';

/**
 * Each space remembers what its index rows may have been made with since they were last made anew: fold table,
 * definitions and public addresses, as one readable text for each combination. More than one, or another than a
 * server's own, means that its searches may miss or find too much until a reindex. `unknown`: of the time before.
 *
 * A process notes its own before its first write to a space; `andiron reindex`, as the owner, leaves only its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table andiron.space add column rows_made_with text[] not null default '{}'`.execute(db);
  await sql`
    update andiron.space s set rows_made_with = '{unknown}'
    where s.tenant is not null and exists (select 1 from andiron.resource r where r.space = s.number)`.execute(
    db,
  );
  await sql`
    create function andiron.note_rows_made_with(p_space int, p_release text[], p_rule text[]) returns void
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    begin
      if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
        raise exception 'a note must stay in the space of its connection' using errcode = 'insufficient_privilege';
      end if;
      update andiron.space s set rows_made_with = s.rows_made_with || x.rule
      from unnest(p_release, p_rule) as x (release, rule)
      where s.number = p_space and s.release = x.release and not x.rule = any (s.rows_made_with);
    end
    $function$`.execute(db);
  await sql`revoke execute on function andiron.note_rows_made_with from public`.execute(db);
}
