-- Records that a server process runs and up to which erasure it has cleared its caches. Returns the erasures after that.
-- Each process calls it once a second. A beat younger than 5 seconds is not written again.
create or replace function andiron.attend(p_process text, p_forgotten bigint) returns table (number bigint, spaces int[])
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into andiron.server_process as s (id, beat, forgotten) values (p_process, now(), p_forgotten)
  on conflict (id) do update set beat = excluded.beat, forgotten = excluded.forgotten
    where s.forgotten <> excluded.forgotten or s.beat < excluded.beat - interval '5 seconds';
  return query
    select e.number, e.spaces from andiron.erasure e where e.number > p_forgotten order by e.number limit 1000;
end
$function$;
