import { sql, type Kysely } from 'kysely';

/**
 * `require` gives back true or raises AN006: so a statement that nobody waits for can stop those that are sent behind it, and
 * the commit (src/core/storage/connection.ts, `runWhole`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function andiron.require(p_holds boolean) returns boolean
    language plpgsql
    as $function$
    begin
      if p_holds is not true then
        raise exception 'what a transaction relies on does not hold' using errcode = 'AN006';
      end if;
      return true;
    end
    $function$`.execute(db);
  await sql`revoke execute on function andiron.require from public`.execute(db);
}
