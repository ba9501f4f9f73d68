import { sql } from 'kysely';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** Summary of a stored code system. */
export interface CodeSystemHead {
  /** Key of the resource, in decimal form. */
  readonly key: string;
  readonly url: string;
  readonly version: string | undefined;
  /** CodeSystem.content */
  readonly content: string;
  /** CodeSystem.valueSet */
  readonly valueSet: string | undefined;
  /** CodeSystem.supplements */
  readonly supplements: string | undefined;
  /** CodeSystem.status */
  readonly status: string | undefined;
}

/** Limit on the listed code systems. */
export const MAX_CODE_SYSTEMS = 5_000;

const LIST = defineStatement(
  template(sql`
    select r.resource_key::text, x.url, x.version, x.content, x."valueSet", x.supplements, x.status
    from andiron.resource r
    cross join lateral (
      select w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = r.resource_type and w.resource_key = r.resource_key
        and w.version = r.version
      offset 0
    ) v
    cross join lateral json_to_record(v.body::json) as x
      (url text, version text, content text, "valueSet" text, supplements text, status text)
    where r.space = ${bind('space')}::int and r.resource_type = ${bind('type')}::smallint and not r.deleted
      and x.url is not null
    order by r.resource_key limit ${bind('limit')}::int`),
);

/** Lists the code systems that one space stores. Cost: one statement, which reads the text of each. */
export async function listCodeSystems(
  database: Database,
  space: number,
  type: number,
): Promise<readonly CodeSystemHead[]> {
  const rows = await database.run({ lane: 'search', space }, LIST, { space, type, limit: MAX_CODE_SYSTEMS });
  return (rows as [string, string, ...(string | null)[]][]).map(
    ([key, url, version, content, valueSet, supplements, status]) => ({
      key,
      url,
      version: version ?? undefined,
      content: content ?? '',
      valueSet: valueSet ?? undefined,
      supplements: supplements ?? undefined,
      status: status ?? undefined,
    }),
  );
}
