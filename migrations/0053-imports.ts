import { sql, type Kysely } from 'kysely';

/**
 * What imports of NDJSON work on (docs/understand/storage.md). `import_file` has the files of a job. Their lines are stored first,
 * gzipped, in chunks that one transaction can write; a chunk is one unit of progress, which changes in the transaction that writes
 * its lines. `todo` has the places of the lines that are left in this pass (null: all), `waiting` those whose references have no
 * target yet, `step` the number of parts that were written. `import_error` has an OperationOutcome for each line that was refused;
 * line 0 is the file as a whole. Rows go with their job; the content of chunks when it ends.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table andiron.import_file (
      space int not null,
      id text collate "C" not null,
      file int not null,
      name text not null,
      received boolean not null default false,
      bytes bigint not null default 0,
      failure text,
      primary key (space, id, file),
      foreign key (space, id) references andiron.job on delete cascade
    )`.execute(db);
  await sql`
    create table andiron.import_chunk (
      space int not null,
      id text collate "C" not null,
      file int not null,
      number int not null,
      first_line int not null,
      lines int not null,
      content bytea,
      pass int not null default 0,
      step int not null default 0,
      todo int[],
      waiting int[] not null default '{}',
      pending int not null,
      written int not null default 0,
      failed int not null default 0,
      primary key (space, id, file, number),
      foreign key (space, id) references andiron.job on delete cascade
    )`.execute(db);
  // It is compressed already.
  await sql`alter table andiron.import_chunk alter column content set storage external`.execute(db);
  await sql`
    create table andiron.import_error (
      space int not null,
      id text collate "C" not null,
      file int not null,
      line int not null,
      outcome text not null,
      primary key (space, id, file, line),
      foreign key (space, id) references andiron.job on delete cascade
    )`.execute(db);
  for (const table of ['import_file', 'import_chunk', 'import_error']) {
    const name = sql.table(`andiron.${table}`);
    const own = sql`space = nullif(current_setting('andiron.space', true), '')::int`;
    await sql`alter table ${name} enable row level security`.execute(db);
    await sql`create policy own_space on ${name} using (${own}) with check (${own})`.execute(db);
  }
  await sql`
    create trigger import_ended after update on andiron.job
      for each row when (new.ended is not null and old.ended is null and new.kind like 'import/%')
      execute function andiron.forget_import()`.execute(db);
}
