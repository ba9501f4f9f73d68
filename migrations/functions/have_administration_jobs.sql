-- Returns true when any tenant has a job of administration that waits or runs, or one that ended `p_kept` milliseconds ago.
-- Policies hide other tenants.
create or replace function andiron.have_administration_jobs(p_kept bigint) returns boolean
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $function$
  select exists (select 1 from andiron.administration_job j where j.state in ('queued', 'running'))
      or exists (select 1 from andiron.administration_job j
                 where j.ended < now() - p_kept * interval '1 millisecond')
$function$;
