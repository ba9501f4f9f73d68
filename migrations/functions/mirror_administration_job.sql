-- Repeats a change of a job of administration that the version before has made (0049-jobs). The next version drops it.
create or replace function andiron.mirror_administration_job() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_row constant andiron.administration_job := case when tg_op = 'DELETE' then old else new end;
  v_space constant int :=
    (select min(s.number) from andiron.space s where s.tenant = v_row.tenant and s.kind = 'data');
begin
  -- The change comes from andiron.job, or the tenant is removed.
  if pg_trigger_depth() > 1 or v_space is null then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from andiron.job j where j.space = v_space and j.id = old.id;
    delete from andiron.job_content c where c.space = v_space and c.id = old.id;
    return null;
  end if;
  insert into andiron.job_content as c (space, id, request, content, progress, result, failure)
  values (v_space, new.id, new.request, new.content, new.progress, new.result, new.failure)
  on conflict (space, id) do update
    set content = case when excluded.content is not null then c.content end, progress = excluded.progress,
        result = excluded.result, failure = excluded.failure;
  insert into andiron.job as j
    (space, id, tenant, kind, state, cancelled, most_runs, runs, worker, beat, created, started, ended, expires)
  values (v_space, new.id, new.tenant, new.kind, new.state, new.cancelled, 3, new.runs, new.worker, new.beat,
          new.created, new.started, new.ended, new.ended + interval '7 days')
  on conflict (space, id) do update
    set state = excluded.state, cancelled = excluded.cancelled, runs = excluded.runs, worker = excluded.worker,
        beat = excluded.beat, started = excluded.started, ended = excluded.ended, expires = excluded.expires;
  return null;
end
$function$;
