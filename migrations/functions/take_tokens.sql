-- Takes tokens from a bucket of the rate limit, while Redis cannot be reached.
--
-- The row is locked until the end of the statement, so that no token is taken twice. p_known is the most that the calling
-- process expects in the bucket, from Redis. A bucket may owe what flows into it in ten minutes: the entries of a batch are
-- counted after it was admitted.
create or replace function andiron.take_tokens(
  p_key text, p_quota float8, p_window_ms float8, p_asked int, p_wanted int, p_returned int, p_known float8,
  p_share int
) returns table (granted int, tokens float8)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now timestamptz;
  v_bucket record;
  v_tokens float8;
  v_granted int;
begin
  insert into andiron.token_bucket as b (key, tokens, told, full_at)
  values (p_key, p_quota, clock_timestamp(), clock_timestamp())
  on conflict (key) do nothing;
  select b.tokens, b.told into v_bucket from andiron.token_bucket b where b.key = p_key for update;
  v_now := clock_timestamp();
  v_tokens := v_bucket.tokens
    + greatest(0, extract(epoch from v_now - v_bucket.told) * 1000) * p_quota / p_window_ms;
  v_tokens := least(p_quota, least(v_tokens, p_quota, p_known) + p_returned);
  v_granted := greatest(0, least(floor(v_tokens), greatest(p_asked, least(p_wanted, floor(v_tokens / p_share)))));
  v_tokens := greatest(-p_quota * greatest(1, 600000 / p_window_ms), v_tokens - v_granted);
  update andiron.token_bucket b
     set tokens = v_tokens, told = v_now,
         full_at = v_now + ((p_quota - v_tokens) * p_window_ms / p_quota) * interval '1 millisecond'
   where b.key = p_key;
  return query select v_granted, v_tokens;
end
$function$;
