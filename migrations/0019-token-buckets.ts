import { sql, type Kysely } from 'kysely';

/**
 * Counts of requests while Redis cannot be reached (docs/limits.md). A bucket is a row: what was left in it, and when.
 * Whoever takes tokens holds the row until the end of the statement, so that no token is taken twice. Nothing is lost that
 * matters when PostgreSQL crashes: the table is unlogged.
 *
 * `p_known`: what the asking process believes to be in the bucket at most, as it learnt from Redis.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table andiron.token_bucket (
      key text collate "C" primary key,
      tokens float8 not null,
      told timestamptz not null,
      full_at timestamptz not null
    ) with (fillfactor = 50)`.execute(db);
  // Of no index, so that an update stays in its page.
  await sql`alter table andiron.token_bucket enable row level security`.execute(db);
  await sql`
    create function andiron.take_tokens(
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
      v_tokens := greatest(-p_quota, v_tokens - v_granted);
      update andiron.token_bucket b
         set tokens = v_tokens, told = v_now,
             full_at = v_now + ((p_quota - v_tokens) * p_window_ms / p_quota) * interval '1 millisecond'
       where b.key = p_key;
      return query select v_granted, v_tokens;
    end
    $function$`.execute(db);
  // Those that are full again say nothing that their absence does not.
  await sql`
    create function andiron.forget_full_buckets(p_most int) returns int
    language plpgsql
    security definer
    set search_path = pg_catalog, pg_temp
    as $function$
    declare
      v_count int;
    begin
      delete from andiron.token_bucket b
      where b.key in (
        select f.key from andiron.token_bucket f where f.full_at < clock_timestamp() - interval '1 minute'
        limit p_most for update skip locked);
      get diagnostics v_count = row_count;
      return v_count;
    end
    $function$`.execute(db);
  for (const name of ['take_tokens', 'forget_full_buckets']) {
    await sql`revoke execute on function ${sql.raw(`andiron.${name}`)} from public`.execute(db);
  }
}
