-- Returns the numbers of the concepts of a set that have all keys and match the words (a tsquery; null: any), ascending.
--
-- It runs with the owner's rights, because these operators cannot use an index under row-level security. It therefore compares
-- the space itself.
create or replace function andiron.find_concepts(
  p_space int, p_set int, p_keys bigint[], p_words text, p_active boolean, p_selectable boolean, p_limit int)
returns setof int
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
  if p_words is null then
    return query
      select c.number from andiron.concept c
      where c.space = p_space and c.concept_set = p_set and c.keys @> p_keys
        and not (p_active and c.inactive) and not (p_selectable and c.abstract)
      order by c.number limit p_limit;
  else
    return query
      select c.number from andiron.concept c
      where c.space = p_space and c.concept_set = p_set and c.keys @> p_keys and c.words @@ p_words::tsquery
        and not (p_active and c.inactive) and not (p_selectable and c.abstract)
      order by c.number limit p_limit;
  end if;
end
$function$;
