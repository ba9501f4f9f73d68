-- Gives up all feeds of Subscriptions of a process that stops, so that another one goes on at once.
create or replace function andiron.leave_subscription_feeds(p_worker text) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  update andiron.subscription_feed f set worker = null, beat = null where f.worker = p_worker;
end
$function$;
