-- Fails when the lines that the imports of a tenant have stored, and p_more bytes more, exceed with what it stores its quota of bytes.
-- Lines count as they are stored, gzipped; bodies of requests as they were sent.
create or replace function andiron.require_import_space(p_space int, p_more bigint) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_tenant int;
  v_resources bigint;
  v_bytes bigint;
  v_chunks bigint;
  v_bodies bigint;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'an import must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  select s.tenant, c.resources, c.bytes into v_tenant, v_resources, v_bytes
    from andiron.space s join andiron.change_counter c on c.tenant = s.counter where s.number = p_space;
  select coalesce(sum(octet_length(h.content)), 0) into v_chunks
    from andiron.space s join andiron.import_chunk h on h.space = s.number
   where s.tenant = v_tenant and h.content is not null;
  select coalesce(sum(octet_length(b.content)), 0) into v_bodies
    from andiron.job j join andiron.job_content b on b.space = j.space and b.id = j.id
   where j.tenant = v_tenant and j.kind like 'import/%' and j.ended is null;
  perform andiron.require_quota(p_space, 0, p_more, v_resources, v_bytes + v_chunks + v_bodies + p_more);
end
$function$;
