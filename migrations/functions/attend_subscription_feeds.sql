-- Renews the lease of a process on its feeds of Subscriptions, and takes up to p_most that no living process has. Returns
-- all feeds of the process, each with the last number of the counter that its changes are numbered by (its low 31 bits): as long as
-- that is the same, nothing was written. Each process calls it every 0.7 seconds; it must look at all spaces, which policies hide.
create or replace function andiron.attend_subscription_feeds(p_worker text, p_silence_ms int, p_most int)
returns table (space int, changes int, last int, tenant text, release text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
  update andiron.subscription_feed f set worker = p_worker, beat = clock_timestamp()
    from (select w.space from andiron.subscription_feed w
          where not w.idle
            and (w.worker is null or w.worker = p_worker
                 or w.beat < clock_timestamp() - p_silence_ms * interval '1 millisecond')
          order by coalesce(w.worker = p_worker, false) desc, w.space
          limit p_most for update skip locked) as free
   where f.space = free.space;
  return query
    select f.space, f.changes, (c.last_sequence & 2147483647)::int, t.name, s.release
    from andiron.subscription_feed f
    join andiron.space s on s.number = f.space join andiron.tenant t on t.number = s.tenant
    join andiron.change_counter c on c.tenant = s.counter
    where f.worker = p_worker and not f.idle
    order by f.space limit p_most;
end
$function$;
