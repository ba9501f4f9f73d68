import { sql, type RawBuilder } from 'kysely';
import type { Space } from '../../context';
import { isRelease, type Release } from '../../fhir/release';
import type { Database, Row } from '../connection/database';
import { INDEX_COLUMNS, INDEX_TABLES, noRows, type IndexTable, type ResourceRows } from './index-tables';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Statement } from '../connection/statement';
import { CHANGE } from '../write/version-write';

/** The head of a resource, and facts about its current version. */
export interface ScannedHead {
  readonly type: number;
  /** Null if the key encodes the id. */
  readonly id: string | null;
  readonly deleted: boolean;
  readonly version: number;
  readonly lastUpdated: number;
  /** Decimal form of the stored 64-bit number. */
  readonly sortDate: string;
  readonly presence: Buffer;
  /** In the text format of a PostgreSQL array. */
  readonly targetKeys: string;
  /** Version rows of the resource, and the greatest version among them. */
  readonly versions: number;
  readonly newest: number;
  /** Undefined: the version of the head is missing. */
  readonly current: ScannedVersion | undefined;
}

export interface ScannedVersion {
  readonly isDeletion: boolean;
  readonly lastUpdated: number;
  /** Length of the text. */
  readonly bytes: number;
}

/** Everything stored under one key of a space: resources of several types can share a key. */
export interface ScannedKey {
  /** Decimal form of the 64-bit key. */
  readonly key: string;
  readonly heads: readonly ScannedHead[];
  readonly rows: ResourceRows;
  /** Types of version rows under this key, with or without a head. */
  readonly versionTypes: readonly number[];
}

export interface SpaceScan {
  /** Heads of the space, deleted resources included. */
  readonly resources: number;
  /** Everything under each key, in the order of the keys; can be iterated once. */
  readonly keys: AsyncGenerator<ScannedKey>;
}

const HEADS_AT_ONCE = 1_000;
const ROWS_AT_ONCE = 5_000;

/** The query of each cursor, with the key as first column and in its order. PostgreSQL sorts on disk if it must. */
const SOURCES = {
  resource: sql`
    select r.resource_key::text, r.resource_type, r.id, r.deleted, r.version, r.last_updated::text, r.sort_date::text,
           r.presence, r.target_keys::text, n.versions, n.newest, v.change, v.last_updated::text, octet_length(v.body)
    from andiron.resource r
    left join lateral (
      select w.change, w.last_updated, w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = r.resource_type and w.resource_key = r.resource_key
        and w.version = r.version
    ) v on true
    cross join lateral (
      select count(*)::int as versions, coalesce(max(w.version), 0) as newest from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = r.resource_type and w.resource_key = r.resource_key
    ) n
    where r.space = ${bind('space')}::int order by r.resource_key, r.resource_type`,
  resource_version: sql`
    select distinct v.resource_key::text, v.resource_type, v.resource_key from andiron.resource_version v
    where v.space = ${bind('space')}::int order by v.resource_key, v.resource_type`,
  token_index: indexSource('token_index'),
  reference_index: indexSource('reference_index'),
  range_index: indexSource('range_index'),
  string_index: indexSource('string_index'),
  uri_index: indexSource('uri_index'),
} as const;
type Source = keyof typeof SOURCES;
const SOURCE_NAMES = ['resource', 'resource_version', ...INDEX_TABLES] as const;

function indexSource(table: IndexTable): RawBuilder<unknown> {
  const columns = INDEX_COLUMNS[table].map(([name, type]) =>
    type === 'bigint' ? sql`${sql.ref(`t.${name}`)}::text` : sql.ref(`t.${name}`),
  );
  return sql`select t.resource_key::text, t.parameter, ${sql.join(columns)}
    from ${sql.table(`andiron.${table}`)} t where t.space = ${bind('space')}::int order by t.resource_key`;
}

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

/** Plans for the total cost, because the cursors are read to their ends. */
const WHOLE = unnamed(sql`set local cursor_tuple_fraction = 1`);
const COUNT = unnamed(
  sql`select count(*)::int from andiron.resource r where r.space = ${bind('space')}::int limit 1`,
);
const CLOSE = unnamed(sql`close all`);
const DECLARE: Readonly<Record<Source, Statement>> = {
  resource: declare('resource'),
  resource_version: declare('resource_version'),
  token_index: declare('token_index'),
  reference_index: declare('reference_index'),
  range_index: declare('range_index'),
  string_index: declare('string_index'),
  uri_index: declare('uri_index'),
};

function declare(source: Source): Statement {
  return unnamed(
    sql`declare ${sql.id(cursorName(source))} no scroll cursor with hold for ${SOURCES[source]}`,
  );
}

function cursorName(source: Source): string {
  return `scan_${source}`;
}

/** Reads one table in the order of its keys, a chunk at a time. */
class KeyedCursor {
  private buffer: Row[] = [];
  private position = 0;
  private atEnd = false;
  private readonly fetch: Statement;

  constructor(
    private readonly session: OwnerSession,
    source: Source,
  ) {
    const size = source === 'resource' ? HEADS_AT_ONCE : ROWS_AT_ONCE;
    this.fetch = unnamed(sql`fetch ${sql.lit(size)} from ${sql.id(cursorName(source))}`);
  }

  private async peek(): Promise<Row | undefined> {
    if (this.position >= this.buffer.length && !this.atEnd) {
      this.buffer = await this.session.run(this.fetch);
      this.position = 0;
      this.atEnd = this.buffer.length === 0;
    }
    return this.buffer[this.position];
  }

  async nextKey(): Promise<bigint | undefined> {
    const row = await this.peek();
    return row === undefined ? undefined : BigInt(String(row[0]));
  }

  /** Takes the rows of this key, which must be the next one. */
  async take(key: string): Promise<Row[]> {
    const taken: Row[] = [];
    for (let row = await this.peek(); row !== undefined && row[0] === key; row = await this.peek()) {
      taken.push(row);
      this.position++;
    }
    return taken;
  }
}

/**
 * Scans everything stored in a space, except the texts, in one snapshot. There is no index by key, so PostgreSQL sorts
 * each table of the space once and writes the result to temporary files of about the size of the index rows. The
 * snapshot ends then: a longer one would let dead rows accumulate, first those of the tenant's counter. Memory is
 * bounded by the chunks that are read ahead. A session has one scan at a time.
 */
export async function scanSpace(session: OwnerSession, space: number): Promise<SpaceScan> {
  await session.run(CLOSE);
  const resources = await session.longTransaction(async () => {
    await session.run(WHOLE);
    for (const source of SOURCE_NAMES) await session.run(DECLARE[source], { space });
    const [row] = await session.run(COUNT, { space });
    return Number(row?.[0] ?? 0);
  }, 'snapshot');
  return { resources, keys: readKeys(session) };
}

async function* readKeys(session: OwnerSession): AsyncGenerator<ScannedKey> {
  const heads = new KeyedCursor(session, 'resource');
  const versions = new KeyedCursor(session, 'resource_version');
  const tables = INDEX_TABLES.map((table) => ({ table, cursor: new KeyedCursor(session, table) }));
  const all = [heads, versions, ...tables.map(({ cursor }) => cursor)];
  for (;;) {
    let least: bigint | undefined;
    for (const cursor of all) {
      const key = await cursor.nextKey();
      if (key !== undefined && (least === undefined || key < least)) least = key;
    }
    if (least === undefined) break;
    const key = least.toString();
    const rows = noRows();
    for (const { table, cursor } of tables) {
      for (const [, parameter, ...values] of await cursor.take(key))
        rows[table].push([Number(parameter), ...(values as (string | number)[])]);
    }
    yield {
      key,
      heads: (await heads.take(key)).map(toHead),
      versionTypes: (await versions.take(key)).map((row) => Number(row[1])),
      rows,
    };
  }
  await session.run(CLOSE);
}

function toHead(row: Row): ScannedHead {
  const [, type, id, deleted, version, lastUpdated, sortDate, presence, targetKeys] = row as [
    string,
    number,
    string | null,
    boolean,
    number,
    string,
    string,
    Buffer,
    string,
  ];
  const [versions, newest] = row.slice(9) as [number, number];
  const [change, changedAt, bytes] = row.slice(11) as [number | null, string, number | null];
  return {
    type,
    id,
    deleted,
    version,
    lastUpdated: Number(lastUpdated),
    sortDate,
    presence,
    targetKeys,
    versions,
    newest,
    current:
      change === null
        ? undefined
        : { isDeletion: change === CHANGE.delete, lastUpdated: Number(changedAt), bytes: bytes ?? 0 },
  };
}

const READ_TEXTS = defineStatement(
  template(sql`
    select x.ordinal::int, v.body
    from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('versions')}::int[]) with ordinality
      as x (resource_type, resource_key, version, ordinal)
    cross join lateral (
      select w.body from andiron.resource_version w
      where w.space = ${bind('space')}::int and w.resource_type = x.resource_type and w.resource_key = x.resource_key
        and w.version = x.version
      offset 0
    ) v
    limit ${bind('limit')}::int`),
);

/** Reads the texts of versions, in their order; undefined for a deletion or a missing version. A text never changes. */
export async function readTexts(
  session: OwnerSession,
  space: number,
  versions: readonly { readonly type: number; readonly key: string; readonly version: number }[],
): Promise<(string | undefined)[]> {
  const texts = new Array<string | undefined>(versions.length).fill(undefined);
  if (versions.length === 0) return texts;
  const rows = await session.run(READ_TEXTS, {
    space,
    types: versions.map(({ type }) => type),
    keys: versions.map(({ key }) => key),
    versions: versions.map(({ version }) => version),
    limit: versions.length,
  });
  for (const [ordinal, body] of rows as [number, string | null][]) texts[ordinal - 1] = body ?? undefined;
  return texts;
}

const READ_SPACES = unnamed(sql`
  select s.number, s.release, coalesce(t.number, 0), coalesce(t.name, ''), coalesce(t.settings->>'time-zone', 'UTC')
  from andiron.space s left join andiron.tenant t on t.number = s.tenant
  where s.number > ${bind('after')}::int order by s.number limit ${bind('limit')}::int`);
const SPACES_AT_ONCE = 1_000;

/** Reads the spaces of a scope in order, including disabled tenants and base spaces (tenant ''). */
export async function* readSpaces(
  database: Database,
  scope: { readonly tenant?: string; readonly release?: Release },
): AsyncGenerator<Space> {
  for (let after = 0; ;) {
    const rows = await database.run({ lane: 'search', space: undefined }, READ_SPACES, {
      after,
      limit: SPACES_AT_ONCE,
    });
    for (const row of rows as [number, string, number, string, string][]) {
      const [number, release, tenantNumber, tenant, timeZone] = row;
      after = number;
      if (scope.tenant !== undefined && tenant !== scope.tenant) continue;
      if (scope.release !== undefined && release !== scope.release) continue;
      if (isRelease(release)) yield { number, release, tenantNumber, tenant, timeZone };
    }
    if (rows.length < SPACES_AT_ONCE) return;
  }
}
