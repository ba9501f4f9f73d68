-- Returns the milliseconds until there is something to do about a job of any space: one is due, its process was silent for
-- p_silence milliseconds, it expires, or search parameters wait for a job. 0: now; null: nothing is known. Policies hide other spaces.
create or replace function andiron.next_job(p_silence int) returns bigint
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select greatest(0, ceil(extract(epoch from min(t.due) - now()) * 1000))::bigint
  from (
    (select j.due from andiron.job j where j.state = 'queued' order by j.due limit 1)
    union all
    (select j.beat + p_silence * interval '1 millisecond' from andiron.job j where j.state = 'running'
     order by j.beat limit 1)
    union all
    (select j.expires from andiron.job j where j.expires is not null order by j.expires limit 1)
    union all
    (select now() where exists (
       select from andiron.search_parameter p
       where p.pending and not exists (
         select from andiron.job j
         where j.space = p.space and j.kind = 'search-parameters' and j.state in ('queued', 'running'))))
  ) as t (due)
  having min(t.due) is not null
$function$;
