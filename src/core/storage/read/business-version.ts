import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';
import { keyText, type VersionRow } from './version-row';

const READ = defineStatement(
  template(sql`
    select json_extract_path_text(v.body::json, 'version')
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
      and v.resource_key = ${bind('key')}::bigint and v.version = ${bind('version')}::int
    limit 1`),
);

/**
 * Returns the element `version` of a stored conformance resource; undefined if it has none. Cost: one statement, which
 * parses the text in the database, for texts that would block the event loop.
 */
export async function readBusinessVersion(
  database: Database,
  space: number,
  { type, key, version }: Pick<VersionRow, 'type' | 'key' | 'version'>,
): Promise<string | undefined> {
  const rows = await database.run({ lane: 'search', space }, READ, {
    space,
    type,
    key: keyText(key),
    version,
  });
  const [[found] = []] = rows as [string | null][];
  return found ?? undefined;
}
