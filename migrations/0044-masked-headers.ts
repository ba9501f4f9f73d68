import { sql, type Kysely } from 'kysely';

/**
 * Masks the values of headers in Subscriptions that earlier programs have stored with the status `off` or `error`; later
 * ones store the names alone (docs/use/subscriptions.md). A star replaces each character, so that `meta_offset` stays right.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  let after: Place = { space: 0, resource_key: '-9223372036854775808', version: 0 };
  for (;;) {
    const { rows } = await sql<Found>`
      select v.space, v.resource_type, v.resource_key::text, v.version, v.body
      from andiron.space s
      join andiron.resource_version v on v.space = s.number
       and v.resource_type = case s.release when 'r4' then ${sql.lit(TYPE_NUMBERS.r4)}
                                            when 'r4b' then ${sql.lit(TYPE_NUMBERS.r4b)} end
      where v.body like '%"header"%'
        and (v.space, v.resource_key, v.version) > (${after.space}, ${after.resource_key}::bigint, ${after.version})
      order by v.space, v.resource_key, v.version limit ${sql.lit(ROWS_AT_ONCE)}`.execute(db);
    for (const row of rows) await maskRow(db, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    after = last;
  }
}

interface Place {
  readonly space: number;
  readonly resource_key: string;
  readonly version: number;
}
interface Found extends Place {
  readonly resource_type: number;
  readonly body: string;
}

/** The fixed number of the type Subscription in the rows of each release. */
export const TYPE_NUMBERS = { r4: 169, r4b: 170 } as const;

const ROWS_AT_ONCE = 200;

async function maskRow(db: Kysely<unknown>, row: Found): Promise<void> {
  const { space, resource_type, resource_key, version, body } = row;
  const masked = maskHeaders(body);
  if (masked === body) return;
  await sql`
    update andiron.resource_version v set body = ${masked}
    where v.space = ${space} and v.resource_type = ${resource_type} and v.resource_key = ${resource_key}::bigint
      and v.version = ${version}`.execute(db);
  // Characters of several bytes became stars of one.
  const fewer = Buffer.byteLength(body) - Buffer.byteLength(masked);
  if (fewer === 0) return;
  await sql`
    update andiron.change_counter c set bytes = c.bytes - ${fewer}
    from andiron.space s where s.number = ${space} and c.tenant = s.counter`.execute(db);
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]/gs;

/** Returns the text of a resource with the values in `channel.header` masked; its length stays. */
export function maskHeaders(text: string): string {
  /** The member names, and array brackets, around the current token. */
  const path: string[] = [];
  let name = '';
  let masked = '';
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    if (token === '{' || token === '[') {
      path.push(`${name}${token}`);
      name = '';
    } else if (token === '}' || token === ']') path.pop();
    else if (token === ',') name = '';
    else if (token !== ':') {
      const isName = path.at(-1)?.endsWith('{') === true && name === '';
      if (isName) name = String(JSON.parse(token));
      if (isName || path.join() !== '{,channel{,header[') continue;
      masked += text.slice(end, match.index + 1) + maskValue(token.slice(1, -1));
      end = match.index + token.length - 1;
    }
  }
  return masked + text.slice(end);
}

/** Keeps the name and the blank behind the colon, if three stars are left. */
function maskValue(header: string): string {
  const start = header.indexOf(':') + 1;
  const blank = /^ *(?=...)/s.exec(header.slice(start))?.[0] ?? '';
  const kept = header.slice(0, start) + blank;
  return kept + '*'.repeat(header.length - kept.length);
}
