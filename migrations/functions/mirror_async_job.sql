-- Repeats a change of an asynchronous request that the version before has made (0049-jobs). The next version drops it.
create or replace function andiron.mirror_async_job() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- The change comes from andiron.job.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from andiron.job j where j.space = old.space and j.id = old.id;
    delete from andiron.job_content c where c.space = old.space and c.id = old.id;
    return null;
  end if;
  insert into andiron.job_content as c (space, id, request, body, status, answer)
  values (new.space, new.id, new.request, new.body, new.status, new.answer)
  on conflict (space, id) do update
    set body = case when excluded.body is not null then c.body end, status = excluded.status,
        answer = case when excluded.status is not distinct from c.status then c.answer else excluded.answer end;
  insert into andiron.job as j
    (space, id, tenant, kind, state, most_runs, runs, worker, beat, created, expires)
  values (new.space, new.id, new.tenant, 'request', case new.state when 'waiting' then 'queued' else new.state end,
          case when new.repeatable then 3 else 1 end, new.runs, new.worker, new.beat, new.created, new.expires)
  on conflict (space, id) do update
    set state = excluded.state, runs = excluded.runs, worker = excluded.worker, beat = excluded.beat,
        expires = excluded.expires;
  return null;
end
$function$;
