-- Returns true when any space has a request to answer or an answer that has expired. Policies hide other spaces.
create or replace function andiron.have_async_jobs() returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select exists (select 1 from andiron.async_job j where j.state <> 'done')
      or exists (select 1 from andiron.async_job j where j.expires < now())
$function$;
