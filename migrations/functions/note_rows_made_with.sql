-- Adds the fingerprints of the indexing rules that a process makes the rows of a space with (space_state.rows_made_with).
create or replace function andiron.note_rows_made_with(p_space int, p_release text[], p_rule text[]) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a note must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  update andiron.space_state t set rows_made_with = t.rows_made_with || x.rule
  from andiron.space s, unnest(p_release, p_rule) as x (release, rule)
  where t.space = p_space and s.number = p_space and s.release = x.release and not x.rule = any (t.rows_made_with);
end
$function$;
