-- Renews the lease of a process on its feeds of Subscriptions once a quarter of p_silence_ms has passed, and takes up to p_most that no
-- living process has. Returns all feeds of the process, each with the last number of the counter that its changes are numbered by
-- (its low 31 bits): as long as that is the same, nothing was written. Each process calls it every 0.7 seconds; it must look at all
-- spaces, which policies hide. It never waits for the lock of a row: the writer of a Subscription may have it.
create or replace function andiron.attend_subscription_feeds(p_worker text, p_silence_ms int, p_most int)
returns table (space int, changes int, last int, tenant text, release text)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
declare
  v_silence constant interval := p_silence_ms * interval '1 millisecond';
  v_space int;
  v_now timestamptz;
begin
  for v_space in
    select c.space
    from (select w.space, w.worker, w.beat from andiron.subscription_feed w
          where not w.idle and (w.worker is null or w.worker = p_worker or w.beat < clock_timestamp() - v_silence)
          order by coalesce(w.worker = p_worker, false) desc, w.space limit p_most) as c
    where c.worker is distinct from p_worker or c.beat < clock_timestamp() - v_silence / 4
  loop
    perform 1 from andiron.subscription_feed w
    where w.space = v_space and not w.idle
      and (w.worker is null or w.worker = p_worker or w.beat < clock_timestamp() - v_silence)
    for update skip locked;
    if found then
      -- Not in the statement: Citus takes no volatile function in one that updates a distributed table.
      v_now := clock_timestamp();
      update andiron.subscription_feed f set worker = p_worker, beat = v_now where f.space = v_space;
    end if;
  end loop;
  return query
    with own as materialized (
      select f.space, f.changes, s.counter, t.name, s.release
      from andiron.subscription_feed f
      join andiron.space s on s.number = f.space join andiron.tenant t on t.number = s.tenant
      where f.worker = p_worker and not f.idle
      order by f.space limit p_most
    )
    select o.space, o.changes, (c.last_sequence & 2147483647)::int, o.name, o.release
    from own o join andiron.change_counter c on c.tenant = o.counter
    order by o.space;
end
$function$;
