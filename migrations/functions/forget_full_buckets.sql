-- Deletes up to p_most buckets that have been full for a minute, and returns how many. A missing bucket is a full one.
create or replace function andiron.forget_full_buckets(p_most int) returns int
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_count int;
begin
  delete from andiron.token_bucket b
  where b.key in (
    select f.key from andiron.token_bucket f where f.full_at < clock_timestamp() - interval '1 minute'
    limit p_most for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end
$function$;
