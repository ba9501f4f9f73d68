-- Returns the milliseconds until there is something to do about a job of any space: one is due, its process was silent for
-- p_silence milliseconds, it expires, or search parameters wait for a job. 0: now; null: nothing is known. Policies hide other spaces.
create or replace function andiron.next_job(p_silence int) returns bigint
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_due timestamptz;
  v_silent timestamptz;
  v_expired timestamptz;
  v_next timestamptz;
begin
  perform 1 from andiron.search_parameter p
  where p.pending and not exists (
    select from andiron.job j
    where j.space = p.space and j.kind = 'search-parameters' and j.state in ('queued', 'running'))
  limit 1;
  if found then
    return 0;
  end if;
  select min(j.due) into v_due from andiron.job j where j.state = 'queued';
  select min(j.beat) + p_silence * interval '1 millisecond' into v_silent from andiron.job j where j.state = 'running';
  select min(j.expires) into v_expired from andiron.job j where j.expires is not null;
  v_next := least(v_due, v_silent, v_expired);
  if v_next is null then
    return null;
  end if;
  return greatest(0, ceil(extract(epoch from v_next - now()) * 1000))::bigint;
end
$function$;
