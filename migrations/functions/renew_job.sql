-- Notes that a running job has made progress: it may begin again as often as at first.
create or replace function andiron.renew_job(p_space int, p_id text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a job must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  update andiron.job j set runs = 1 where j.space = p_space and j.id = p_id and j.state = 'running' and j.runs > 1;
end
$function$;
