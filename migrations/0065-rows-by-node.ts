import { sql, type Kysely } from 'kysely';

const ROLE = 'andiron_application';

/**
 * What a distributed database needs of two tables (docs/understand/distributed.md).
 *
 * Access records are numbered by a sequence of their own: a shard has no identity column and no default, so statements name the
 * sequence, of which each node has its own range. The default is for the version before.
 *
 * A row of `content_removal` is on the node of the space that it had: `of_space`, which a trigger fills for the version before. It
 * does not belong to the space, because it outlives it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // See 0060-spaces-of-before.
  await sql`set local lock_timeout = 100`.execute(db);
  await sql`lock table andiron.access_record, andiron.content_removal in access exclusive mode`.execute(db);
  const { rows } = await sql<{ next: string }>`
    select (s.last_value + 1)::text as next from andiron.gathered_record_batch_seq s`.execute(db);
  await sql`alter table andiron.access_record alter column batch drop identity`.execute(db);
  await sql`
    create sequence andiron.access_record_batch start with ${sql.lit(Number(rows[0]?.next ?? 1))}
      owned by andiron.access_record.batch`.execute(db);
  await sql`
    alter table andiron.access_record alter column batch set default nextval('andiron.access_record_batch')`.execute(
    db,
  );
  const roles = await sql`select from pg_roles where rolname = ${sql.lit(ROLE)}`.execute(db);
  // The role of the version before inserts as soon as this commits.
  if (roles.rows.length > 0)
    await sql`grant usage on sequence andiron.access_record_batch to ${sql.id(ROLE)}`.execute(db);

  await sql`alter table andiron.content_removal add column of_space int`.execute(db);
  await sql`update andiron.content_removal set of_space = split_part(object, '/', 1)::int`.execute(db);
  await sql`
    alter table andiron.content_removal
      alter column of_space set not null, drop constraint content_removal_pkey, add primary key (of_space, store, object)`.execute(
    db,
  );
  await sql`
    create trigger fill_space before insert on andiron.content_removal
      for each row when (new.of_space is null) execute function andiron.fill_space_of_object()`.execute(db);
}
