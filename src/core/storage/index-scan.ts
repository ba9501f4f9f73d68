import { sql, type RawBuilder } from 'kysely';
import type { Space } from '../context';
import { isRelease } from '../fhir/release';
import type { Database, Row } from './database';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';

export const INDEX_TABLES = [
  'token_index',
  'reference_index',
  'range_index',
  'string_index',
  'uri_index',
] as const;
export type IndexTable = (typeof INDEX_TABLES)[number];

/** The head of a resource with the version that it names. */
export interface ScannedHead {
  readonly type: number;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  readonly deleted: boolean;
  readonly version: number;
  readonly lastUpdated: number;
  /** Decimal form of the stored 64-bit number. */
  readonly sortDate: string;
  readonly presence: Buffer;
  /** Version rows of the resource, and the greatest version among them. */
  readonly versions: number;
  readonly newest: number;
  /** Undefined: the version that the head names is not there. */
  readonly current:
    { readonly isDeletion: boolean; readonly lastUpdated: number; readonly body: string } | undefined;
}

export interface ScannedRow {
  readonly parameter: number;
  /** Everything that is stored in the row but space, parameter and key, as `rowText` of reindex.ts writes it. */
  readonly text: string;
}

/** All that is stored under one key of a space: resources of several types may share a key. */
export interface ScannedKey {
  /** Decimal form of the 64-bit key. */
  readonly key: string;
  readonly heads: readonly ScannedHead[];
  readonly rows: Readonly<Record<IndexTable, readonly ScannedRow[]>>;
  /** Types of version rows under this key, with or without a head. */
  readonly versionTypes: readonly number[];
}

const HEADS_AT_ONCE = 100;
const ROWS_AT_ONCE = 5_000;

/** What each cursor reads: the key first, in its order. PostgreSQL sorts on disk where it must. */
const SOURCES = {
  resource: sql`
    select r.resource_key::text, r.resource_type, r.id, r.deleted, r.version, r.last_updated, r.sort_date::text,
           r.presence, n.versions, n.newest, v.change, v.last_updated, v.body
    from andiron.resource r
    left join lateral (
      select w.change, w.last_updated, w.body from andiron.resource_version w
      where w.space = r.space and w.resource_type = r.resource_type and w.resource_key = r.resource_key
        and w.version = r.version
    ) v on true
    cross join lateral (
      select count(*)::int as versions, coalesce(max(w.version), 0) as newest from andiron.resource_version w
      where w.space = r.space and w.resource_type = r.resource_type and w.resource_key = r.resource_key
    ) n
    where r.space = ${bind('space')}::int order by r.resource_key, r.resource_type`,
  resource_version: sql`
    select distinct v.resource_key::text, v.resource_type, v.resource_key from andiron.resource_version v
    where v.space = ${bind('space')}::int order by v.resource_key, v.resource_type`,
  token_index: indexSource('token_index', ['value_hash::text', 'system_hash', 'sort_date::text']),
  reference_index: indexSource('reference_index', ['target_key::text', 'target_type', 'sort_date::text']),
  range_index: indexSource('range_index', [
    'qualifier::text',
    ...['low', 'high', 'unit_system', 'unit_code', 'unit_name', 'extremes'],
  ]),
  string_index: indexSource('string_index', ['exact_hash', 'extremes', 'value']),
  uri_index: indexSource('uri_index', ['version', 'value']),
} as const;
type Source = keyof typeof SOURCES;

function indexSource(table: IndexTable, columns: readonly string[]): RawBuilder<unknown> {
  return sql`select t.resource_key::text, t.parameter, ${sql.raw(columns.join(', '))}
    from ${sql.table(`andiron.${table}`)} t where t.space = ${bind('space')}::int order by t.resource_key`;
}

const SNAPSHOT = unnamed(sql`set transaction isolation level repeatable read, read only`);
const PATIENCE = unnamed(sql`set local statement_timeout = 0`);

function unnamed(raw: RawBuilder<unknown>): Statement {
  return defineStatement(template(raw), { named: false });
}

type Run = (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>;

/** One table in the order of its keys, read ahead by a piece at a time. */
class KeyedCursor {
  private buffer: Row[] = [];
  private position = 0;
  private atEnd = false;
  private readonly fetch: Statement;

  private constructor(
    private readonly run: Run,
    name: Source,
  ) {
    const size = name === 'resource' ? HEADS_AT_ONCE : ROWS_AT_ONCE;
    this.fetch = unnamed(sql`fetch ${sql.lit(size)} from ${sql.id(cursorName(name))}`);
  }

  static async open(run: Run, name: Source, space: number): Promise<KeyedCursor> {
    const declare = sql`declare ${sql.id(cursorName(name))} no scroll cursor for ${SOURCES[name]}`;
    await run(unnamed(declare), { space });
    return new KeyedCursor(run, name);
  }

  private async peek(): Promise<Row | undefined> {
    if (this.position >= this.buffer.length && !this.atEnd) {
      this.buffer = await this.run(this.fetch, {});
      this.position = 0;
      this.atEnd = this.buffer.length === 0;
    }
    return this.buffer[this.position];
  }

  async nextKey(): Promise<bigint | undefined> {
    const row = await this.peek();
    return row === undefined ? undefined : BigInt(String(row[0]));
  }

  /** The rows of this key, which must be the next one. */
  async take(key: string): Promise<Row[]> {
    const taken: Row[] = [];
    for (let row = await this.peek(); row !== undefined && row[0] === key; row = await this.peek()) {
      taken.push(row);
      this.position++;
    }
    return taken;
  }
}

function cursorName(source: Source): string {
  return `scan_${source}`;
}

/**
 * Calls `visit` with everything that is stored under each key of a space, in the order of the keys, as one snapshot
 * shows it. Memory is bounded by the pieces that are read ahead; PostgreSQL sorts each table of the space once.
 */
export async function scanSpace(
  database: Database,
  space: number,
  visit: (found: ScannedKey) => Promise<void>,
): Promise<void> {
  await database.transaction(space, async (run) => {
    await run(SNAPSHOT, {});
    await run(PATIENCE, {});
    const open = (name: Source): Promise<KeyedCursor> => KeyedCursor.open(run, name, space);
    const heads = await open('resource');
    const versions = await open('resource_version');
    const tables = {
      token_index: await open('token_index'),
      reference_index: await open('reference_index'),
      range_index: await open('range_index'),
      string_index: await open('string_index'),
      uri_index: await open('uri_index'),
    };
    const all = [heads, versions, ...Object.values(tables)];
    for (;;) {
      let least: bigint | undefined;
      for (const cursor of all) {
        const key = await cursor.nextKey();
        if (key !== undefined && (least === undefined || key < least)) least = key;
      }
      if (least === undefined) return;
      const key = least.toString();
      await visit({
        key,
        heads: (await heads.take(key)).map(toHead),
        versionTypes: (await versions.take(key)).map((row) => Number(row[1])),
        rows: {
          token_index: (await tables.token_index.take(key)).map(toScannedRow),
          reference_index: (await tables.reference_index.take(key)).map(toScannedRow),
          range_index: (await tables.range_index.take(key)).map(toScannedRow),
          string_index: (await tables.string_index.take(key)).map(toScannedRow),
          uri_index: (await tables.uri_index.take(key)).map(toScannedRow),
        },
      });
    }
  });
}

function toScannedRow(row: Row): ScannedRow {
  return { parameter: Number(row[1]), text: row.slice(2).join(' ') };
}

/** Stored in `resource_version.change` (version-write.ts). */
const DELETION = 3;

function toHead(row: Row): ScannedHead {
  const [, type, id, deleted, version, lastUpdated, sortDate, presence, versions, newest] = row as [
    string,
    number,
    string | null,
    boolean,
    number,
    number,
    string,
    Buffer,
    number,
    number,
  ];
  const [change, versionUpdated, body] = row.slice(10) as [number | null, number, string | null];
  return {
    type,
    id,
    deleted,
    version,
    lastUpdated,
    sortDate,
    presence,
    versions,
    newest,
    current:
      change === null
        ? undefined
        : { isDeletion: change === DELETION, lastUpdated: versionUpdated, body: body ?? '' },
  };
}

const READ_SPACES = unnamed(sql`
  select s.number, s.release, coalesce(t.number, 0), coalesce(t.name, '')
  from andiron.space s left join andiron.tenant t on t.number = s.tenant
  where s.number > ${bind('after')}::int order by s.number limit ${bind('limit')}::int`);
const SPACES_AT_ONCE = 1_000;

/** All spaces in their order: those of disabled tenants and the base spaces (tenant '') too. */
export async function* readSpaces(database: Database): AsyncGenerator<Space> {
  for (let after = 0; ;) {
    const rows = await database.run('search', undefined, READ_SPACES, { after, limit: SPACES_AT_ONCE });
    for (const [number, release, tenantNumber, tenant] of rows as [number, string, number, string][]) {
      after = number;
      if (isRelease(release)) yield { number, release, tenantNumber, tenant };
    }
    if (rows.length < SPACES_AT_ONCE) return;
  }
}
