import { sql, type RawBuilder } from 'kysely';
import type { Waiter } from '../waiter';
import { BinaryArray } from './binary-array';
import type { VersionMemory } from './version-memory';
import type { Database, Lane, Row } from './database';
import { isKnownSql } from './known-sequences';
import { RememberedVersions } from './remembered-versions';
import { type Gathered, Gathering } from './gathering';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';
import {
  decodePageRow,
  decodeVersion,
  inlineBytes,
  isKnownRow,
  keyText,
  PAGE_COLUMNS,
  VERSION_COLUMNS,
  type PageRow,
  type VersionRow,
} from './version-row';
import type { KeyHalves } from './version-write';

export interface ResourceAddress {
  readonly type: number;
  readonly key: KeyHalves;
}

export interface VersionAddress extends ResourceAddress {
  readonly version: number;
}

/**
 * The current version of a row `x` (resource_type, resource_key) is the last one: the primary key leads to it
 * backwards, and the head need not be read (its probe and row were a quarter of the time that PostgreSQL spent on a
 * page of 20: 0.16 against 0.12 ms).
 */
export function currentVersion(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select ${columns} from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = x.resource_type and v.resource_key = x.resource_key
    order by v.version desc limit 1`;
}

/** As `currentVersion` of PAGE_COLUMNS; of a version that `known` of the row `x` tells, all but its mark is null. */
export function currentUnknown(): RawBuilder<unknown> {
  const isKnown = isKnownSql(sql`x.known`, sql`v.sequence`);
  return sql`
    select case when not c.is_known then c.id end as id, c.version, c.last_updated, c.sequence,
      case when not c.is_known then c.meta_offset end as meta_offset,
      case when not c.is_known then c.change end as change,
      case when not c.is_known then c.author end as author,
      case when not c.is_known and octet_length(c.body) <= ${bind('inline_bytes')}::int then c.body end as inline_body,
      case when not c.is_known and octet_length(c.body) > ${bind('inline_bytes')}::int then octet_length(c.body) end
        as omitted_bytes
    from (${currentVersion(sql`v.*, ${isKnown} as is_known`)}) c`;
}

function readCurrent(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select x.ordinal::int, y.*
    from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[]) with ordinality
      as x (resource_type, resource_key, ordinal)
    cross join lateral (${currentVersion(columns)}) y
    limit ${bind('limit')}::int`;
}

/** As `readCurrent`; of a version that is the one that whoever asks knows, all but its mark is null. */
function readUnknown(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select x.ordinal::int, y.*
    from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('known_versions')}::int[],
        ${bind('known_times')}::bigint[], ${bind('known_sequences')}::int[]) with ordinality
      as x (resource_type, resource_key, version, last_updated, sequence, ordinal)
    cross join lateral (${currentVersion(sql`v.*`)}) c
    left join lateral (
      select c.* where (c.version, c.last_updated, c.sequence) <> (x.version, x.last_updated, x.sequence)
    ) u on true
    cross join lateral (
      select ${columns} from (
        select u.id, c.version, c.last_updated, c.sequence, u.meta_offset, u.change, u.author, u.body
      ) v
    ) y
    limit ${bind('limit')}::int`;
}

const READ_CURRENT = defineStatement(template(readCurrent(VERSION_COLUMNS)));
const READ_CURRENT_PAGE = defineStatement(template(readCurrent(PAGE_COLUMNS)));
const READ_UNKNOWN = defineStatement(template(readUnknown(VERSION_COLUMNS)));
const READ_UNKNOWN_PAGE = defineStatement(template(readUnknown(PAGE_COLUMNS)));

function readVersions(columns: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select x.ordinal::int, y.*
    from unnest(${bind('types')}::smallint[], ${bind('keys')}::bigint[], ${bind('versions')}::int[]) with ordinality
      as x (resource_type, resource_key, version, ordinal)
    cross join lateral (
      select ${columns} from andiron.resource_version v
      where v.space = ${bind('space')}::int and v.resource_type = x.resource_type
        and v.resource_key = x.resource_key and v.version = x.version
      limit 1
    ) y
    limit ${bind('limit')}::int`;
}

const READ_VERSIONS = defineStatement(template(readVersions(VERSION_COLUMNS)));
const READ_VERSIONS_PAGE = defineStatement(template(readVersions(PAGE_COLUMNS)));

const READ_HISTORY = defineStatement(
  template(sql`
    select ${PAGE_COLUMNS}
    from andiron.resource_version v
    where v.space = ${bind('space')}::int and v.resource_type = ${bind('type')}::smallint
      and v.resource_key = ${bind('key')}::bigint and v.version < ${bind('before')}::int
      and v.last_updated >= ${bind('since')}::bigint and v.sequence > ${bind('since_sequence')}::int
      and v.last_updated < ${bind('at_high')}::bigint
      and v.version >= coalesce((
        select w.version from andiron.resource_version w
        where w.space = ${bind('space')}::int and w.resource_type = ${bind('type')}::smallint
          and w.resource_key = ${bind('key')}::bigint and w.last_updated <= ${bind('at_low')}::bigint
        order by w.version desc limit 1
      ), 1)
    order by v.version desc
    limit ${bind('limit')}::int`),
);

/** The statement that takes a resource's head until the end of the transaction. */
export const LOCK_STATEMENT = defineStatement(
  template(
    sql`select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, ${bind('key')}::bigint)`,
  ),
);

/** The same for several of one type, in the order of `keys`, which is to be ascending. */
export const LOCK_HEADS = defineStatement(
  template(sql`
    select andiron.lock_resource(${bind('space')}::int, ${bind('type')}::smallint, x.resource_key)
    from unnest(${bind('keys')}::bigint[]) as x (resource_key)
    limit ${bind('limit')}::int`),
);

const MAX_GATHERED = 64;

/** The texts of one page come to about so much at most; a page ends earlier, but never before its first resource. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Called with the number of reads of each statement; for metrics. */
export type ReadObserver = (reads: number) => void;

/** Reads by key. The reads of all concurrent requests of a space become one statement. */
export class VersionReader {
  private readonly gathering: Gathering<number, ResourceAddress, VersionRow | undefined>;
  private readonly versions: Gathering<number, VersionAddress, VersionRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly observe: ReadObserver,
    /** Undefined: what is not committed may be among the rows. */
    private readonly memory?: VersionMemory,
    { concurrent, most }: Gathered = { concurrent: 2, most: MAX_GATHERED },
    /** True: the text of a statement goes by what is asked and not by what is known. */
    private readonly inOneForm = false,
  ) {
    this.gathering = new Gathering({
      run: (space, addresses) => this.readWhole(space, addresses),
      spaceOf: (space) => space,
      concurrent,
      most,
      observe,
    });
    this.versions = new Gathering({
      run: (space, addresses) => this.readVersions(space, addresses),
      spaceOf: (space) => space,
      concurrent,
      most,
      observe,
    });
  }

  /** The same by statements of this database, of a transaction that writes. */
  over(database: Database): VersionReader {
    return new VersionReader(database, this.observe);
  }

  /** The same by statements of this database, which sees only what is committed. */
  overSnapshot(database: Database, gathered?: Gathered, inOneForm = false): VersionReader {
    return new VersionReader(database, this.observe, this.memory, gathered, inOneForm);
  }

  /** The current version, deletions included; undefined when there never was one. */
  current(space: number, address: ResourceAddress): Promise<VersionRow | undefined> {
    return this.gathering.load(String(space), space, address);
  }

  private readWhole(
    space: number,
    addresses: readonly ResourceAddress[],
  ): Promise<(VersionRow | undefined)[]> {
    return this.readNewest(
      space,
      addresses,
      { whole: READ_CURRENT, unknown: READ_UNKNOWN, bound: {} },
      (row, { type, key }) => decodeVersion(row, 1, type, key),
    );
  }

  /** Current versions in the order of `addresses`, without long texts. Cost: one statement, not gathered. */
  readCurrent(space: number, addresses: readonly ResourceAddress[]): Promise<(PageRow | undefined)[]> {
    const bound = { inline_bytes: inlineBytes(addresses.length) };
    return this.readNewest(
      space,
      addresses,
      { whole: READ_CURRENT_PAGE, unknown: READ_UNKNOWN_PAGE, bound },
      (row, { type, key }) => decodePageRow(row, 1, type, keyText(key)),
    );
  }

  /** One statement, which is told what is known: the texts of those that are still current do not come again. */
  private async readNewest<R extends PageRow>(
    space: number,
    addresses: readonly ResourceAddress[],
    { whole, unknown, bound }: CurrentStatements,
    decode: (row: Row, address: ResourceAddress) => R,
  ): Promise<(R | VersionRow | undefined)[]> {
    const remembered = this.memory && new RememberedVersions(this.memory, space);
    const places = addresses.map(({ type, key }) => ({ type, keyText: keyText(key) }));
    const known = remembered === undefined ? [] : places.map((place) => remembered.latest(place));
    const tellsKnown = this.inOneForm || known.some((row) => row !== undefined);
    const rows = await this.database.run('read', space, tellsKnown ? unknown : whole, {
      ...encodeAddresses(space, addresses),
      ...(tellsKnown ? encodeKnown(addresses.map((_address, index) => known[index])) : {}),
      ...bound,
    });
    return inOrder(rows, addresses, (row, address, index) => {
      const place = places[index];
      const same = isKnownRow(row, 1) ? known[index] : undefined;
      if (remembered === undefined || place === undefined) return decode(row, address);
      if (same === undefined) return remembered.remember(place, decode(row, address));
      remembered.use(place, same);
      return same;
    });
  }

  version(space: number, address: ResourceAddress, version: number): Promise<VersionRow | undefined> {
    return this.versions.load(String(space), space, { type: address.type, key: address.key, version });
  }

  private async readVersions(
    space: number,
    addresses: readonly VersionAddress[],
  ): Promise<(VersionRow | undefined)[]> {
    const rows = await this.database.run('read', space, READ_VERSIONS, encodeVersions(space, addresses));
    return inOrder(rows, addresses, (row, { type, key }) => decodeVersion(row, 1, type, key));
  }

  /** The same version with its text. Cost: none, or one statement. */
  async complete(space: number, row: PageRow): Promise<VersionRow> {
    const [whole] = await this.completeAll(space, [row]);
    if (whole === undefined) throw goneVersion();
    return whole;
  }

  /** The same versions with their texts; the caller bounds these. Cost: none, or one statement, not gathered. */
  private async completeAll(space: number, rows: readonly PageRow[]): Promise<VersionRow[]> {
    const cut = rows.filter(({ omittedBytes }) => omittedBytes !== undefined);
    if (cut.length === 0) return [...rows];
    const whole = await this.readVersions(space, cut);
    let next = 0;
    return rows.map((row) => {
      const version = row.omittedBytes === undefined ? row : whole[next++];
      if (version === undefined) throw goneVersion();
      return version;
    });
  }

  /**
   * Each in turn with its text, for more rows than may be held with all of theirs; an undefined one stays so.
   * Cost: a statement for each MAX_PAGE_BYTES of long texts.
   */
  async *completeEach(
    space: number,
    rows: readonly (PageRow | undefined)[],
  ): AsyncGenerator<VersionRow | undefined, undefined> {
    for (let start = 0, end = 0; start < rows.length; start = end) {
      let bytes = 0;
      for (; end < rows.length; end++) {
        bytes += rows[end]?.omittedBytes ?? 0;
        if (bytes > MAX_PAGE_BYTES && end > start) break;
      }
      const some = rows.slice(start, end);
      const whole = await this.completeAll(
        space,
        some.filter((row) => row !== undefined),
      );
      let next = 0;
      for (const row of some) yield row === undefined ? undefined : whole[next++];
    }
    return undefined;
  }

  /**
   * The rows of a page with their texts, as many from the first on as come to MAX_PAGE_BYTES. A new version may have
   * followed meanwhile: it is the one that was found which is given. Cost: a statement for the long texts of each space.
   */
  async completePage<R extends PageRow>(
    rows: readonly R[],
    spaceOf: (row: R) => number,
  ): Promise<VersionRow[]> {
    let bytes = 0;
    const end = rows.findIndex(({ omittedBytes, body }, index) => {
      bytes += omittedBytes ?? body.length;
      return bytes > MAX_PAGE_BYTES && index > 0;
    });
    const page: readonly R[] = end === -1 ? rows : rows.slice(0, end);
    if (page.every(({ omittedBytes }) => omittedBytes === undefined)) return [...page];
    const whole = new Map<R, VersionRow>();
    for (const space of new Set(page.map(spaceOf))) {
      const ofSpace = page.filter((row) => spaceOf(row) === space);
      for (const [index, version] of (await this.completeAll(space, ofSpace)).entries()) {
        const row = ofSpace[index];
        if (row !== undefined) whole.set(row, version);
      }
    }
    return page.flatMap((row) => whole.get(row) ?? []);
  }

  /** Versions of one resource, newest first, with a version number under `before`. */
  async history(
    space: number,
    address: ResourceAddress,
    range: {
      before: number;
      since: number;
      sinceSequence: number;
      /** Half open; the version that was current when it begins counts. */
      at?: { low: number; high: number };
      limit: number;
    },
  ): Promise<PageRow[]> {
    const key = keyText(address.key);
    const rows = await this.database.run('search', space, READ_HISTORY, {
      space,
      type: address.type,
      key,
      before: range.before,
      since: range.since,
      since_sequence: range.sinceSequence,
      at_low: range.at?.low ?? -1,
      at_high: range.at?.high ?? Number.MAX_SAFE_INTEGER,
      limit: range.limit,
      inline_bytes: inlineBytes(range.limit),
    });
    return rows.map((row) => decodePageRow(row, 0, address.type, key));
  }
}

/**
 * Versions in the order of `addresses`, without long texts, for a page whose matches are known already.
 * Cost: one statement.
 */
export async function readPageVersions(
  lane: Lane,
  database: Database,
  space: number,
  addresses: readonly VersionAddress[],
  waiting?: readonly Waiter[],
): Promise<(PageRow | undefined)[]> {
  const bound = { ...encodeVersions(space, addresses), inline_bytes: inlineBytes(addresses.length) };
  const rows = await database.run(lane, space, READ_VERSIONS_PAGE, bound, waiting);
  return inOrder(rows, addresses, (row, { type, key }) => decodePageRow(row, 1, type, keyText(key)));
}

function goneVersion(): Error {
  return new Error('a stored version is gone');
}

function encodeVersions(space: number, addresses: readonly VersionAddress[]): Record<string, Bound> {
  const versions = new BinaryArray('int4');
  for (const { version } of addresses) versions.pushInt4(version);
  return { ...encodeAddresses(space, addresses), versions: versions.finish() };
}

function encodeAddresses(
  space: number,
  addresses: readonly ResourceAddress[],
): { space: number; types: Buffer; keys: Buffer; limit: number } {
  const types = new BinaryArray('int2');
  const keys = new BinaryArray('int8', 1024);
  for (const { type, key } of addresses) {
    types.pushInt2(type);
    keys.pushInt8(key.high, key.low);
  }
  return { space, types: types.finish(), keys: keys.finish(), limit: addresses.length };
}

/** Statements that read current versions: all of each, or only marks of those that are known. */
interface CurrentStatements {
  readonly whole: Statement;
  readonly unknown: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
}

/** No version has such a number. */
const NO_VERSION = 0;

function encodeKnown(known: readonly (VersionRow | undefined)[]): Record<string, Bound> {
  const versions = new BinaryArray('int4');
  const times = new BinaryArray('int8');
  const sequences = new BinaryArray('int4');
  for (const row of known) {
    const { version, lastUpdated, sequence } = row ?? { version: NO_VERSION, lastUpdated: 0, sequence: 0 };
    versions.pushInt4(version);
    times.pushInt8(Math.floor(lastUpdated / 2 ** 32), lastUpdated % 2 ** 32);
    sequences.pushInt4(sequence);
  }
  return {
    known_versions: versions.finish(),
    known_times: times.finish(),
    known_sequences: sequences.finish(),
  };
}

/** Rows begin with the ordinal of their address; an address without a row is undefined. */
function inOrder<R>(
  rows: readonly Row[],
  addresses: readonly ResourceAddress[],
  decode: (row: Row, address: ResourceAddress, index: number) => R,
): (R | undefined)[] {
  const found = new Array<R | undefined>(addresses.length).fill(undefined);
  for (const row of rows) {
    const index = (row[0] as number) - 1;
    const address = addresses[index];
    if (address !== undefined) found[index] = decode(row, address, index);
  }
  return found;
}
