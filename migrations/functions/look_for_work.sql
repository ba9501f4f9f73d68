-- Records that a server process runs, as attend does, and returns when there is background work for it, in milliseconds from now
-- (0: now; null: nothing is known): erasures after p_forgotten, jobs (next_job), access records, and feeds of Subscriptions that no
-- process has, or one that was silent for p_feed_silence milliseconds. It looks at all spaces, which policies hide.
create or replace function andiron.look_for_work(
  p_process text, p_forgotten bigint, p_worker text, p_job_silence int, p_feed_silence int)
returns table (erasures bigint, jobs bigint, records bigint, feeds bigint)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into andiron.server_process as s (id, beat, forgotten) values (p_process, now(), p_forgotten)
  on conflict (id) do update set beat = excluded.beat, forgotten = excluded.forgotten
    where s.forgotten <> excluded.forgotten or s.beat < excluded.beat - interval '5 seconds';
  if andiron.last_erasure() > p_forgotten then
    erasures := 0;
  end if;
  jobs := andiron.next_job(p_job_silence);
  if andiron.have_access_records() then
    records := 0;
  end if;
  select min(case when f.worker is null then 0 else greatest(0, ceil(p_feed_silence
                    - extract(epoch from now() - f.beat) * 1000)) end)::bigint into feeds
    from andiron.subscription_feed f where not f.idle and f.worker is distinct from p_worker;
  return next;
end
$function$;
