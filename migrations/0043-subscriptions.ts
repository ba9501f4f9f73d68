import { sql, type Kysely } from 'kysely';

/**
 * Deliveries of Subscriptions (docs/use/subscriptions.md). The application role changes the rows of its connection's space.
 *
 * - `subscription_feed`: a space with Subscriptions. Its changes up to the version-sequence `position` have become events.
 *   `worker` is the process that makes and delivers them, and renews `beat`. `changes` counts writes of Subscriptions.
 *   A feed that is `idle` has no running Subscription: nobody reads it, and its position is out of date.
 * - `subscription`: the state of a Subscription since a client last wrote it, as `version`. `author` is who did, with the
 *   rights of that request. `headers` are those of the channel: the resource itself has their names only. Only changes
 *   after the version-sequence `since` are its events, of which `numbered` were made and `delivered` are delivered.
 * - `subscription_event`: the event `number` of a Subscription is the change with this version-sequence. It names no
 *   resource, so that an erased one leaves nothing here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.subscription_feed (
      space int primary key,
      position int not null,
      idle boolean not null default false,
      changes int not null default 0,
      worker text collate "C",
      beat timestamptz
    )`.execute(db);
  await sql`
    create table andiron.subscription (
      space int not null,
      resource_key bigint not null,
      id text collate "C" not null,
      version int not null,
      status text not null check (status in ('requested', 'active', 'error', 'off')),
      since int not null,
      author jsonb,
      endpoint text,
      headers text[] not null,
      numbered int not null default 0,
      delivered int not null default 0,
      attempts int not null default 0,
      failing_since timestamptz,
      next_attempt timestamptz,
      failure text,
      sent timestamptz,
      primary key (space, resource_key)
    )`.execute(db);
  await sql`
    create table andiron.subscription_event (
      space int not null,
      resource_key bigint not null,
      number int not null,
      sequence int not null,
      made timestamptz not null default now(),
      primary key (space, resource_key, number)
    )`.execute(db);
  await sql`create index subscription_event_by_age on andiron.subscription_event (space, made)`.execute(db);
  for (const table of ['subscription_feed', 'subscription', 'subscription_event']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name}
        using (space = nullif(current_setting('andiron.space', true), '')::int)
        with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  }
}
