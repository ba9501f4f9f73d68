-- Begins a content that is a file of a job. Returns false when the tenant is being removed, the job does not exist, or another
-- process writes the file or has written it. It waits for an erasure in the space, whose transaction gives up the files begun before
-- and locks the state of the space: a file that is begun later is read without what was erased.
create or replace function andiron.begin_job_content(p_space int, p_id uuid, p_store text, p_job text, p_file text) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a content must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  perform 1 from andiron.space_state t where t.space = p_space for share;
  insert into andiron.content (space, id, store, job, file)
  select p_space, p_id, p_store, p_job, p_file
  where exists (
          select 1 from andiron.change_counter c join andiron.space s on s.counter = c.tenant where s.number = p_space)
    and exists (select 1 from andiron.job j where j.space = p_space and j.id = p_job)
  on conflict (space, job, file) where job is not null and not dead do nothing;
  return found;
end
$function$;
