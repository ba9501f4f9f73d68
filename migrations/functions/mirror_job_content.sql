-- Repeats what came of a job for processes of the version before (0049-jobs). The next version drops it.
create or replace function andiron.mirror_job_content() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- The change comes from the other table.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  update andiron.async_job j
     set body = case when new.body is not null then j.body end, status = new.status, answer = new.answer
   where j.space = new.space and j.id = new.id;
  if not found then
    update andiron.administration_job j
       set content = case when new.content is not null then j.content end, progress = new.progress,
           result = new.result, failure = new.failure
     where j.tenant = (select s.tenant from andiron.space s where s.number = new.space) and j.id = new.id;
  end if;
  return null;
end
$function$;
