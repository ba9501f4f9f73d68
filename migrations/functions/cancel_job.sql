-- Cancels a job, or removes one that has ended, or any with p_removed. Returns 'removed'; 'cancelled': it had not begun; 'told':
-- its process stops it at its next heartbeat; null: there is no such job.
create or replace function andiron.cancel_job(p_space int, p_id text, p_kinds text[], p_removed boolean) returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_state text;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a job must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  select j.state into v_state from andiron.job j
  where j.space = p_space and j.id = p_id and split_part(j.kind, '/', 1) = any (p_kinds) for update;
  if not found then
    return null;
  end if;
  if p_removed or v_state not in ('queued', 'running') then
    delete from andiron.job j where j.space = p_space and j.id = p_id;
    delete from andiron.job_content c where c.space = p_space and c.id = p_id;
    return 'removed';
  end if;
  update andiron.job j
     set cancelled = true,
         state = case when v_state = 'queued' then 'cancelled' else j.state end,
         ended = case when v_state = 'queued' then now() end,
         expires = case when v_state = 'queued' then now() + interval '7 days' else j.expires end
   where j.space = p_space and j.id = p_id;
  if v_state = 'running' then
    return 'told';
  end if;
  update andiron.job_content c set body = null, content = null where c.space = p_space and c.id = p_id;
  -- Nobody needs the lines of an import any more, and they are data of patients.
  update andiron.import_chunk h set content = null where h.space = p_space and h.id = p_id and h.content is not null;
  return 'cancelled';
end
$function$;
