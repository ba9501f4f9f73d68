-- Gives a content that was written to a version, in the transaction that writes the version. Its bytes count for the quota of the
-- tenant. Returns false when the content was removed meanwhile: then the transaction must fail.
create or replace function andiron.claim_content(
  p_space int, p_id uuid, p_type smallint, p_key bigint, p_version int) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_size bigint;
  v_resources bigint;
  v_bytes bigint;
begin
  if p_space is distinct from nullif(current_setting('andiron.space', true), '')::int or p_space <= 2 then
    raise exception 'a content must stay in the space of its connection' using errcode = 'insufficient_privilege';
  end if;
  update andiron.content c
     set resource_type = p_type, resource_key = p_key, version = p_version
   where c.space = p_space and c.id = p_id and c.size is not null and not c.dead and c.version is null and c.job is null
  returning c.size into v_size;
  if not found then
    return false;
  end if;
  update andiron.change_counter c set bytes = c.bytes + v_size
    from andiron.space s
   where s.number = p_space and c.tenant = s.counter
  returning c.resources, c.bytes into v_resources, v_bytes;
  if not found then
    return false;
  end if;
  perform andiron.require_quota(p_space, 0, v_size, v_resources, v_bytes);
  return true;
end
$function$;
