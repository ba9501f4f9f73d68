-- Returns the resources that have a folded string like the pattern.
--
-- It runs with the owner's rights, because LIKE under row-level security cannot use the trigram index. It therefore compares
-- the space itself. Without the index it reads all strings of the parameter.
create or replace function andiron.strings_containing(p_space int, p_parameter int, p_pattern text)
returns setof bigint
language plpgsql
stable
security definer
rows 100
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int then
    raise exception 'a search must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  return query
    select t.resource_key from andiron.string_index t
    where t.space = p_space and t.parameter = p_parameter and t.value like p_pattern;
end
$function$;
