import type { AnswerCounter } from '../../memory/byte-budget';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Database, Lane, Row } from '../connection/database';
import { type BatchLimits, RequestBatcher } from '../connection/request-batcher';
import { CachedVersions } from './cached-versions';
import type { Bound, Statement } from '../connection/statement';
import {
  encodeAddresses,
  encodeCached,
  encodeVersions,
  inOrder,
  type ResourceAddress,
  type VersionAddress,
} from './version-address';
import type { VersionCache } from './version-cache';
import {
  decodeKeyedRow,
  decodePageRow,
  decodeVersion,
  inlineBytes,
  isMarkOnly,
  keyText,
  type PageRow,
  type VersionRow,
} from './version-row';
import {
  READ_CURRENT_PAGE,
  READ_HISTORY,
  READ_UNCACHED_PAGE,
  READ_VERSIONS,
  READ_VERSIONS_PAGE,
} from './version-statements';

const MAX_BATCHED = 64;
/**
 * Bytes of the longest text that a batch of reads includes. A longer text is counted, and read by a statement of its
 * own.
 */
export const LONGEST_BATCHED = inlineBytes(MAX_BATCHED);
const BATCHED_INLINE = { inline_bytes: LONGEST_BATCHED };

/** Approximate limit on the texts of one page, in bytes. A page ends earlier, but has at least one resource. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Called with the number of reads of each statement, for metrics. */
export type ReadObserver = (reads: number) => void;

export interface VersionReaderOptions {
  readonly limits?: BatchLimits | undefined;
  /** True: the text of a statement does not depend on the cache. */
  readonly inOneForm?: boolean;
}

const LIMITS: BatchLimits = { concurrent: 2, most: MAX_BATCHED };

/** The versions of one resource that a history returns. */
export interface HistoryRange {
  readonly before: number;
  readonly since: number;
  readonly sinceSequence: number;
  /** Half open; includes the version that was current at its start. */
  readonly at?: { low: number; high: number };
  readonly limit: number;
}

/** Reads versions by key. Concurrent reads of a space share one statement. */
export class VersionReader {
  private readonly currentReads: RequestBatcher<number, ResourceAddress, PageRow | undefined>;
  private readonly versions: RequestBatcher<number, VersionAddress, PageRow | undefined>;
  private readonly inOneForm: boolean;

  constructor(
    private readonly database: Database,
    private readonly observe: ReadObserver,
    /** Undefined: the rows may be uncommitted, so nothing is cached. */
    private readonly cache?: VersionCache,
    { limits = LIMITS, inOneForm = false }: VersionReaderOptions = {},
  ) {
    this.inOneForm = inOneForm;
    const { concurrent, most } = limits;
    this.currentReads = new RequestBatcher({
      name: 'read of current versions',
      run: (space, addresses) => this.readBatch(space, addresses),
      spaceOf: (space) => space,
      concurrent,
      most,
      observe,
    });
    this.versions = new RequestBatcher({
      name: 'read of versions',
      run: (space, addresses) => this.readPageVersions(space, addresses),
      spaceOf: (space) => space,
      concurrent,
      most,
      observe,
    });
  }

  /** Returns a reader by statements of this database, in a transaction that writes; it caches nothing. */
  over(database: Database): VersionReader {
    return new VersionReader(database, this.observe);
  }

  /**
   * Returns a reader by statements of this database, which must show only committed rows; it uses the version cache.
   */
  overSnapshot(database: Database, limits?: BatchLimits, inOneForm = false): VersionReader {
    return new VersionReader(database, this.observe, this.cache, { limits, inOneForm });
  }

  /**
   * Returns the current version, which may be a deletion; undefined if there never was one. `bytes` counts a long text
   * before it is read, and its errors are thrown.
   * Cost: a share in one statement; a long text takes another one.
   */
  async current(
    space: number,
    address: ResourceAddress,
    bytes?: AnswerCounter,
  ): Promise<VersionRow | undefined> {
    const row = await this.currentReads.load(String(space), space, address);
    return row?.omittedBytes === undefined ? row : this.completeCounted(space, row, bytes);
  }

  /** Reads a batch without long texts: one statement would hold all of them in memory at once. */
  private readBatch(space: number, addresses: readonly ResourceAddress[]): Promise<(PageRow | undefined)[]> {
    return this.readNewest(
      space,
      addresses,
      { whole: READ_CURRENT_PAGE, uncached: READ_UNCACHED_PAGE, bound: BATCHED_INLINE },
      (row, { type, key }) => decodeKeyedRow(row, 1, type, key),
    );
  }

  private completeCounted(
    space: number,
    row: PageRow,
    bytes: AnswerCounter | undefined,
  ): Promise<VersionRow> {
    bytes?.addAnswer(row.omittedBytes ?? 0);
    return this.complete(space, row);
  }

  /** Returns current versions in the order of `addresses`, without long texts. Cost: one statement, not batched. */
  readCurrent(space: number, addresses: readonly ResourceAddress[]): Promise<(PageRow | undefined)[]> {
    const bound = { inline_bytes: inlineBytes(addresses.length) };
    return this.readNewest(
      space,
      addresses,
      { whole: READ_CURRENT_PAGE, uncached: READ_UNCACHED_PAGE, bound },
      (row, { type, key }) => decodePageRow(row, 1, type, keyText(key)),
    );
  }

  /**
   * Reads current versions by one statement. It is bound to the cached versions, and sends no text of those still
   * current.
   */
  private async readNewest<R extends PageRow>(
    space: number,
    addresses: readonly ResourceAddress[],
    { whole, uncached, bound }: CurrentStatements,
    decode: (row: Row, address: ResourceAddress) => R,
  ): Promise<(R | VersionRow | undefined)[]> {
    const cachedVersions = this.cache && new CachedVersions(this.cache, space);
    const places = addresses.map(({ type, key }) => ({ type, keyText: keyText(key) }));
    const cached = cachedVersions === undefined ? [] : places.map((place) => cachedVersions.latest(place));
    const hasCached = this.inOneForm || cached.some((row) => row !== undefined);
    const { types, keys, limit } = encodeAddresses(space, addresses);
    const rows = await this.database.run({ lane: 'read', space }, hasCached ? uncached : whole, {
      space,
      types,
      keys,
      limit,
      ...bound,
      ...(hasCached ? encodeCached(addresses.map((_address, index) => cached[index])) : {}),
    });
    return inOrder(rows, addresses, (row, address, index) => {
      const place = places[index];
      const same = isMarkOnly(row, 1) ? cached[index] : undefined;
      if (cachedVersions === undefined || place === undefined) return decode(row, address);
      if (same === undefined) return cachedVersions.add(place, decode(row, address));
      cachedVersions.use(place, same);
      return same;
    });
  }

  /** As `current`, for the version with this number. */
  async version(
    space: number,
    address: ResourceAddress,
    version: number,
    bytes?: AnswerCounter,
  ): Promise<VersionRow | undefined> {
    const versionAddress = { type: address.type, key: address.key, version };
    const row = await this.versions.load(String(space), space, versionAddress);
    return row?.omittedBytes === undefined ? row : this.completeCounted(space, row, bytes);
  }

  private async readPageVersions(
    space: number,
    addresses: readonly VersionAddress[],
  ): Promise<(PageRow | undefined)[]> {
    const bound = { ...encodeVersions(space, addresses), ...BATCHED_INLINE };
    const rows = await this.database.run({ lane: 'read', space }, READ_VERSIONS_PAGE, bound);
    return inOrder(rows, addresses, (row, { type, key }) => decodeKeyedRow(row, 1, type, key));
  }

  private async readVersions(
    space: number,
    addresses: readonly VersionAddress[],
  ): Promise<(VersionRow | undefined)[]> {
    const rows = await this.database.run(
      { lane: 'read', space },
      READ_VERSIONS,
      encodeVersions(space, addresses),
    );
    return inOrder(rows, addresses, (row, { type, key }) => decodeVersion(row, 1, type, key));
  }

  /** Returns the version with its text. Cost: none, or one statement. */
  async complete(space: number, row: PageRow): Promise<VersionRow> {
    const [whole] = await this.completeAll(space, [row]);
    if (whole === undefined) throw goneVersion();
    return whole;
  }

  /**
   * Returns the versions with their texts; the caller must limit their size. Cost: none, or one statement, not batched.
   */
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
   * Yields the rows one by one with their texts, when all texts together are too large for memory. An undefined row
   * stays undefined.
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
   * Returns the first rows of a page with their texts, up to MAX_PAGE_BYTES. It returns the versions that were found,
   * even if newer ones exist by now. Cost: a statement for the long texts of each space.
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

  /** Returns versions of one resource, newest first, with a version number below `before`. */
  async history(space: number, address: ResourceAddress, range: HistoryRange): Promise<PageRow[]> {
    const key = keyText(address.key);
    const rows = await this.database.run({ lane: 'search', space }, READ_HISTORY, {
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
 * Returns versions in the order of `addresses`, without long texts, for a page of known matches. Cost: one statement.
 */
export async function readPageVersions(
  lane: Lane,
  {
    database,
    space,
    addresses,
    waiting,
  }: {
    readonly database: Database;
    readonly space: number;
    readonly addresses: readonly VersionAddress[];
    readonly waiting?: readonly Cancellation[];
  },
): Promise<(PageRow | undefined)[]> {
  const bound = { ...encodeVersions(space, addresses), inline_bytes: inlineBytes(addresses.length) };
  const rows = await database.run({ lane, space, waiting }, READ_VERSIONS_PAGE, bound);
  return inOrder(rows, addresses, (row, { type, key }) => decodePageRow(row, 1, type, keyText(key)));
}

function goneVersion(): Error {
  return new Error('a stored version is gone');
}

/** Statements that read current versions: with all columns, or with only the marks of cached ones. */
interface CurrentStatements {
  readonly whole: Statement;
  readonly uncached: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
}
