import type { AnswerCounter } from '../../limits/byte-budget';
import type { Cancellation } from '../../concurrency/cancellation';
import type { Database, Lane, Row } from '../connection/database';
import { type Gathered, RequestBatcher } from '../connection/request-batcher';
import { RememberedVersions } from './remembered-versions';
import type { Bound, Statement } from '../connection/statement';
import {
  encodeAddresses,
  encodeKnown,
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
  isKnownRow,
  keyText,
  type PageRow,
  type VersionRow,
} from './version-row';
import {
  READ_CURRENT_PAGE,
  READ_HISTORY,
  READ_UNKNOWN_PAGE,
  READ_VERSIONS,
  READ_VERSIONS_PAGE,
} from './version-statements';

const MAX_GATHERED = 64;
/** Bytes of the longest text that comes with gathered reads; a longer one is counted, and read by itself. */
export const LONGEST_GATHERED = inlineBytes(MAX_GATHERED);
const GATHERED_INLINE = { inline_bytes: LONGEST_GATHERED };

/** The texts of one page come to about so much at most; a page ends earlier, but never before its first resource. */
export const MAX_PAGE_BYTES = 8 * 1024 * 1024;

/** Called with the number of reads of each statement; for metrics. */
export type ReadObserver = (reads: number) => void;

/** Reads by key. The reads of all concurrent requests of a space become one statement. */
export class VersionReader {
  private readonly gathering: RequestBatcher<number, ResourceAddress, PageRow | undefined>;
  private readonly versions: RequestBatcher<number, VersionAddress, PageRow | undefined>;

  constructor(
    private readonly database: Database,
    private readonly observe: ReadObserver,
    /** Undefined: what is not committed may be among the rows. */
    private readonly memory?: VersionCache,
    { concurrent, most }: Gathered = { concurrent: 2, most: MAX_GATHERED },
    /** True: the text of a statement goes by what is asked and not by what is known. */
    private readonly inOneForm = false,
  ) {
    this.gathering = new RequestBatcher({
      run: (space, addresses) => this.readGathered(space, addresses),
      spaceOf: (space) => space,
      concurrent,
      most,
      observe,
    });
    this.versions = new RequestBatcher({
      run: (space, addresses) => this.readPageVersions(space, addresses),
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

  /**
   * The current version, deletions included; undefined when there never was one. `bytes`: where a long text is counted before
   * it is read; throws what it throws. Cost: a long text is a statement of its own.
   */
  async current(
    space: number,
    address: ResourceAddress,
    bytes?: AnswerCounter,
  ): Promise<VersionRow | undefined> {
    const row = await this.gathering.load(String(space), space, address);
    return row?.omittedBytes === undefined ? row : this.completeCounted(space, row, bytes);
  }

  /** Long texts do not come with those of other requests: one statement would bring them all at once. */
  private readGathered(
    space: number,
    addresses: readonly ResourceAddress[],
  ): Promise<(PageRow | undefined)[]> {
    return this.readNewest(
      space,
      addresses,
      { whole: READ_CURRENT_PAGE, unknown: READ_UNKNOWN_PAGE, bound: GATHERED_INLINE },
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
    const { types, keys, limit } = encodeAddresses(space, addresses);
    const rows = await this.database.run('read', space, tellsKnown ? unknown : whole, {
      space,
      types,
      keys,
      limit,
      ...bound,
      ...(tellsKnown ? encodeKnown(addresses.map((_address, index) => known[index])) : {}),
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

  /** As `current`, of a version that has this number. */
  async version(
    space: number,
    address: ResourceAddress,
    version: number,
    bytes?: AnswerCounter,
  ): Promise<VersionRow | undefined> {
    const asked = { type: address.type, key: address.key, version };
    const row = await this.versions.load(String(space), space, asked);
    return row?.omittedBytes === undefined ? row : this.completeCounted(space, row, bytes);
  }

  private async readPageVersions(
    space: number,
    addresses: readonly VersionAddress[],
  ): Promise<(PageRow | undefined)[]> {
    const bound = { ...encodeVersions(space, addresses), ...GATHERED_INLINE };
    const rows = await this.database.run('read', space, READ_VERSIONS_PAGE, bound);
    return inOrder(rows, addresses, (row, { type, key }) => decodeKeyedRow(row, 1, type, key));
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
  const rows = await database.run(lane, space, READ_VERSIONS_PAGE, bound, waiting);
  return inOrder(rows, addresses, (row, { type, key }) => decodePageRow(row, 1, type, keyText(key)));
}

function goneVersion(): Error {
  return new Error('a stored version is gone');
}

/** Statements that read current versions: all of each, or only marks of those that are known. */
interface CurrentStatements {
  readonly whole: Statement;
  readonly unknown: Statement;
  readonly bound: Readonly<Record<string, Bound>>;
}
