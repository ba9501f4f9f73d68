-- Keeps a finished export for p_kept milliseconds more at least, because somebody reads a file of it. With p_left, stores what a file
-- has left out, beside what other files have: an object by the name of the file. False: the export does not exist any more.
create or replace function andiron.keep_export(p_space int, p_id text, p_kept bigint, p_left jsonb) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a job must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  update andiron.job j set expires = greatest(j.expires, now() + p_kept * interval '1 millisecond')
  where j.space = p_space and j.id = p_id and j.kind = 'export/' || p_id and j.state = 'done';
  if not found then
    return false;
  end if;
  if p_left is not null then
    update andiron.job_content c
       set progress = jsonb_build_object('left', coalesce(c.progress -> 'left', '{}') || p_left)
     where c.space = p_space and c.id = p_id;
  end if;
  return true;
end
$function$;
