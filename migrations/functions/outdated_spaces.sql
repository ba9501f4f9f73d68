-- Returns the number of spaces of tenants whose index rows other indexing rules may have made than these, by release, and at most
-- p_limit different lists of such rules. It looks at all spaces, which policies hide.
create or replace function andiron.outdated_spaces(p_release text[], p_rule text[], p_limit int)
returns table (spaces int, made_with text[])
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
  return query
    select count(*)::int, (array_agg(distinct array_to_string(t.rows_made_with, '; ')))[:p_limit]
    from andiron.space_state t
    join andiron.space s on s.number = t.space
    join unnest(p_release, p_rule) as x (release, rule) on x.release = s.release
    where s.tenant is not null and not t.rows_made_with <@ array[x.rule];
end
$function$;
