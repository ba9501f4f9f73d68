import { sql, type Kysely } from 'kysely';

/**
 * Concepts of large code systems (docs/understand/storage.md, Concepts). A `concept_set` is what one import has stored; a CodeSystem
 * names it by an identifier. A set that is not `ready` is being imported, or is left over from an import that did not end. Of a
 * concept, `keys` are hashes of what it is found by: itself first, its ancestors, and its properties; `token` is the hash of its code
 * as in `token_index`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.concept_set (
      space int not null,
      number int not null,
      url text collate "C" not null,
      version text collate "C",
      digest bytea not null,
      ready boolean not null default false,
      beat timestamptz not null default now(),
      concepts int not null default 0,
      hierarchical boolean not null default false,
      primary key (space, number)
    )`.execute(db);
  await sql`
    create table andiron.concept (
      space int not null,
      concept_set int not null,
      number int not null,
      folded text collate "C" not null,
      token bigint not null,
      abstract boolean not null,
      inactive boolean not null,
      descendants int not null,
      parents text[] not null,
      keys bigint[] not null,
      words tsvector not null,
      element text not null,
      primary key (space, concept_set, number)
    )`.execute(db);
  await sql`
    create unique index concept_by_code on andiron.concept (space, concept_set, folded)`.execute(db);
  await sql`create index concept_by_token on andiron.concept (space, concept_set, token)`.execute(db);
  await sql`create index concept_found_by on andiron.concept using gin (keys, words)`.execute(db);
  for (const table of ['concept_set', 'concept']) {
    const name = sql.table(`andiron.${table}`);
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`
      create policy own_space on ${name}
        using (space = nullif(current_setting('andiron.space', true), '')::int)
        with check (space = nullif(current_setting('andiron.space', true), '')::int)`.execute(db);
  }
}
