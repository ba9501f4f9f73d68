import { sql, type Kysely } from 'kysely';

/**
 * Closure tables of clients (ConceptMap/$closure; docs/understand/storage.md, Closure tables). `closure` has the counter of each name:
 * every change increases `version` under the lock of the row. `started` is the version by which the table was last emptied: concepts
 * up to it do not count. `systems` says by which code systems the pairs were found.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.closure (
      space int not null,
      name text collate "C" not null,
      version bigint not null default 0,
      started bigint not null default 0,
      systems jsonb not null default '{}',
      used timestamptz not null default now(),
      primary key (space, name)
    )`.execute(db);
  await sql`
    create table andiron.closure_concept (
      space int not null,
      closure text collate "C" not null,
      system text collate "C" not null,
      code text collate "C" not null,
      version bigint not null,
      primary key (space, closure, system, code)
    )`.execute(db);
  for (const table of ['closure', 'closure_concept']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name}
        using (space = nullif(current_setting('andiron.space', true), '')::int)
        with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  }
}
