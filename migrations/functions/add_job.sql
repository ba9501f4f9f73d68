-- Stores a job. Returns its id; the id of the open job of the kind that the space has, and stores nothing; or null, and stores
-- nothing, when the tenant has p_most requests already. The lock makes the requests of one tenant count one after the other, over
-- both releases. Of other kinds, the oldest ended jobs beyond p_most are removed; add_bulk_job does so for exports and imports.
create or replace function andiron.add_job(
  p_space int, p_id text, p_kind text, p_most_runs int, p_kept bigint, p_most int, p_request jsonb, p_body text,
  p_content bytea)
returns text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant constant int := (select s.tenant from andiron.space s where s.number = p_space);
  v_open text;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a job must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  if p_kind = 'request' then
    perform pg_advisory_xact_lock(hashtextextended('andiron async jobs ' || v_tenant, 0));
    if (select count(*) from andiron.job j where j.tenant = v_tenant and j.kind = p_kind) >= p_most then
      return null;
    end if;
  end if;
  insert into andiron.job_content (space, id, request, body, content)
  values (p_space, p_id, p_request, p_body, p_content);
  loop
    insert into andiron.job (space, id, tenant, kind, most_runs, expires)
    values (p_space, p_id, v_tenant, p_kind, p_most_runs, now() + p_kept * interval '1 millisecond')
    on conflict (space, kind) where kind <> 'request' and state in ('queued', 'running') do nothing;
    exit when found;
    select j.id into v_open from andiron.job j
    where j.space = p_space and j.kind = p_kind and j.state in ('queued', 'running');
    -- Not found: it has ended since.
    if found then
      delete from andiron.job_content c where c.space = p_space and c.id = p_id;
      return v_open;
    end if;
  end loop;
  if p_kind <> 'request' then
    with removed as (
      delete from andiron.job j
      where j.space = p_space and j.id in (
        select o.id from andiron.job o
        where o.space = p_space and o.kind <> 'request' and strpos(o.kind, '/') = 0 and o.ended is not null
        order by o.created desc, o.id offset p_most - 1)
      returning j.id
    )
    delete from andiron.job_content c using removed r where c.space = p_space and c.id = r.id;
  end if;
  return p_id;
end
$function$;
