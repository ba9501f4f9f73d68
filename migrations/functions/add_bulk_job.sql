-- Stores an export or import of bulk data for a client. Returns its id; 'tenant' or 'client', and stores nothing, where the tenant
-- or the client has so many open jobs of the kind already. The lock makes the jobs of one tenant count one after the other, over
-- both releases. The stored kind has the id, because a space has one open job of a stored kind (job_open). Of the ended jobs of the kind and client, the oldest beyond 20 are removed.
create or replace function andiron.add_bulk_job(
  p_space int, p_id text, p_kind text, p_most_runs int, p_most_of_tenant int, p_most_of_client int, p_client text,
  p_request jsonb, p_content bytea)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
  v_open int;
  v_own int;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2
     or p_kind not in ('export', 'import') then
    raise exception 'a job must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('andiron bulk jobs ' || v_tenant, 0));
  select count(*), count(*) filter (where c.request ->> 'client' = p_client) into v_open, v_own
  from andiron.job j join andiron.job_content c on c.space = j.space and c.id = j.id
  where j.tenant = v_tenant and split_part(j.kind, '/', 1) = p_kind and j.state in ('queued', 'running');
  if v_open >= p_most_of_tenant then
    return 'tenant';
  end if;
  if v_own >= p_most_of_client then
    return 'client';
  end if;
  insert into andiron.job_content (space, id, request, content)
  values (p_space, p_id, p_request || jsonb_build_object('client', p_client), p_content);
  insert into andiron.job (space, id, tenant, kind, most_runs)
  values (p_space, p_id, v_tenant, p_kind || '/' || p_id, p_most_runs);
  with removed as (
    delete from andiron.job j
    where j.space = p_space and j.id in (
      select o.id from andiron.job o join andiron.job_content c on c.space = o.space and c.id = o.id
      where o.space = p_space and split_part(o.kind, '/', 1) = p_kind and o.ended is not null and c.request ->> 'client' = p_client
      order by o.created desc, o.id offset 20)
    returning j.id
  )
  delete from andiron.job_content c using removed r where c.space = p_space and c.id = r.id;
  return p_id;
end
$function$;
