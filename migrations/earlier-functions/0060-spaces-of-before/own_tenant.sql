-- Returns the tenant of the connection's space, for policies, while processes of schema 55 may run: they do not send andiron.tenant.
create or replace function andiron.own_tenant() returns int
language sql stable
set search_path = pg_catalog, pg_temp
as $function$
  select s.tenant from andiron.space s
  where s.number = nullif(current_setting('andiron.space', true), '')::int
$function$;
