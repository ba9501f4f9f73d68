-- True when content must be removed: a writer was silent for p_silence seconds, a job is gone or has failed, or objects are noted. It
-- looks at all spaces, which policies hide.
create or replace function andiron.have_content_to_remove(p_silence int) returns boolean
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform 1 from andiron.content_removal r where r.due <= now() limit 1;
  if found then
    return true;
  end if;
  perform 1 from andiron.content c
  where c.version is null and (c.job is null or c.size is null)
    and (c.dead or c.beat < now() - p_silence * interval '1 second')
  limit 1;
  if found then
    return true;
  end if;
  perform 1 from andiron.content c
  where c.version is null and c.job is not null
    and (c.dead or not exists (
      select 1 from andiron.job j
      where j.space = c.space and j.id = c.job and j.state in ('queued', 'running', 'done')))
  limit 1;
  return found;
end
$function$;
