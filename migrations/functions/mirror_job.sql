-- Repeats a change of a job for processes of the version before, in the table where they look for it (0049-jobs). They do not
-- know other kinds. The next version drops it.
create or replace function andiron.mirror_job() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_row constant andiron.job := case when tg_op = 'DELETE' then old else new end;
  v_state constant text := case v_row.state
    when 'queued' then 'waiting' when 'running' then 'running' else 'done' end;
begin
  -- The change comes from the other table.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  if v_row.kind = 'request' then
    if tg_op = 'INSERT' then
      insert into andiron.async_job (space, id, tenant, state, repeatable, created, expires, request, body)
      select new.space, new.id, new.tenant, v_state, new.most_runs > 1, new.created, new.expires, c.request, c.body
      from andiron.job_content c where c.space = new.space and c.id = new.id;
    elsif tg_op = 'UPDATE' then
      update andiron.async_job j
         set state = v_state, expires = new.expires, worker = new.worker, beat = new.beat, runs = new.runs
       where j.space = new.space and j.id = new.id;
    else
      delete from andiron.async_job j where j.space = old.space and j.id = old.id;
    end if;
  elsif v_row.kind in ('import-package', 'reindex') then
    if tg_op = 'INSERT' then
      insert into andiron.administration_job (tenant, id, kind, request, content, created)
      select new.tenant, new.id, new.kind, c.request, c.content, new.created
      from andiron.job_content c where c.space = new.space and c.id = new.id;
    elsif tg_op = 'UPDATE' then
      update andiron.administration_job j
         set state = new.state, cancelled = new.cancelled, started = new.started, ended = new.ended,
             worker = new.worker, beat = new.beat, runs = new.runs
       where j.tenant = new.tenant and j.id = new.id;
    else
      delete from andiron.administration_job j where j.tenant = old.tenant and j.id = old.id;
    end if;
  end if;
  return null;
end
$function$;
