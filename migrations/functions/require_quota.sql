-- Fails when a write has exceeded the quota of the tenant: AN004 for resources, AN005 for bytes.
--
-- The tenant's settings come first, then the defaults of the server, which are settings of the connection. A space of
-- AuditEvents has no quota.
create or replace function andiron.require_quota(
  p_space int, p_more_resources bigint, p_more_bytes bigint, p_resources bigint, p_bytes bigint
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_max_resources text;
  v_max_bytes text;
begin
  select coalesce(t.settings ->> 'quota-resources', current_setting('andiron.quota_resources', true)),
         coalesce(t.settings ->> 'quota-bytes', current_setting('andiron.quota_bytes', true))
    into v_max_resources, v_max_bytes
    from andiron.space s join andiron.tenant t on t.number = s.tenant
   where s.number = p_space and s.kind = 'data';
  if p_more_resources > 0 and v_max_resources ~ '^[0-9]{1,15}$' and p_resources > v_max_resources::bigint then
    raise exception 'the tenant has as many resources as it may have' using errcode = 'AN004';
  end if;
  if p_more_bytes > 0 and v_max_bytes ~ '^[0-9]{1,15}$' and p_bytes > v_max_bytes::bigint then
    raise exception 'the tenant keeps as many bytes as it may keep' using errcode = 'AN005';
  end if;
end
$function$;
