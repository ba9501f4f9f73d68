/** What a page of changes is to each of several filters. */
import { setImmediate } from 'node:timers/promises';
import type { FollowedChange, StoredVersion } from '../api';
import type { TenantSpace } from '../context';
import { parseStoredObject } from '../fhir/json';
import { toStoredVersion } from '../interactions/stored-version';
import type { Extractor } from '../search/extract';
import type { TestedVersion } from '../search/version-test';
import type { Services } from '../services';
import { keyText, type PageRow, type VersionRow } from '../storage/version-row';
import type { ChangeFilter } from './change-filter';

/** `lost`: as `leave`, of a version that whoever follows may not see: to him the resource is gone. */
export type Kind = FollowedChange['kind'] | 'lost';

/** After so many milliseconds of tests other requests get a turn. */
const TURN_MS = 10;
/** Predecessors that are read at once: a statement brings their texts, however long. */
const MAX_READ = 16;
/** The rows of longer texts are not kept for the next filter. */
const MAX_KEPT = 256 * 1024;
/** What is stored was let in, perhaps while the limit was another. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** Each text is read and parsed once, whatever the number of filters. */
export class PageChanges {
  readonly #tested = new Map<PageRow, Promise<TestedVersion>>();
  readonly #before = new Map<PageRow, TestedVersion | undefined>();
  readonly #extract: Extractor;
  #turnSince = performance.now();

  constructor(
    private readonly services: Services,
    private readonly space: TenantSpace,
    readonly rows: readonly PageRow[],
  ) {
    this.#extract = services.createExtractor(space, ALL_ROWS);
  }

  /** The version as it is sent. Long texts are read each time, so that they are not held. */
  async stored(row: PageRow): Promise<StoredVersion> {
    const { services, space } = this;
    const whole = await services.reader.complete(space.number, row);
    return toStoredVersion(services, this.#nameOf(row.type), whole);
  }

  /**
   * What each row is told as; undefined: it is not told. A version is told that meets the criteria, or whose predecessor
   * did or may have done. Cost: the index rows of each version of the type; where the database is to be asked, one
   * statement; one for some predecessors.
   */
  async kindsFor(filter: ChangeFilter): Promise<readonly (Kind | undefined)[]> {
    const { rows } = this;
    if (filter.isOpen) return rows.map(({ type, change }) => (ofType(filter, type) ? change : undefined));
    const kinds: (Kind | undefined)[] = rows.map(() => undefined);
    const asked: { readonly index: number; readonly version: TestedVersion }[] = [];
    const unmet: number[] = [];
    for (const [index, row] of rows.entries()) {
      if (!ofType(filter, row.type)) continue;
      if (row.change === 'delete') {
        unmet.push(index);
        continue;
      }
      const version = await this.#testedOf(row);
      const verdict = filter.test(version);
      if (verdict === 'yes') kinds[index] = row.change;
      else if (verdict === 'no') unmet.push(index);
      else asked.push({ index, version });
      await this.#letOthersWork();
    }
    const met = await filter.findAmong(
      this.space,
      asked.map(({ version }) => version),
    );
    for (const { index, version } of asked) {
      if (met.has(keyText(version.key))) kinds[index] = rows[index]?.change;
      else unmet.push(index);
    }
    if (filter.isRestricted) await this.#leaveOutGone(filter, kinds);
    for (let start = 0; start < unmet.length; start += MAX_READ) {
      const some = unmet.slice(start, start + MAX_READ);
      await Promise.all(
        some.map(async (index) => {
          const row = rows[index];
          const before = row === undefined ? undefined : await this.#predecessorOf(row);
          if (row === undefined || before === undefined || filter.test(before) === 'no') return;
          if (!filter.shows(before)) return;
          if (row.change === 'delete') kinds[index] = 'delete';
          else kinds[index] = filter.shows(await this.#testedOf(row)) ? 'leave' : 'lost';
        }),
      );
      await this.#letOthersWork();
    }
    return kinds;
  }

  /** Of the versions that are told of, those that whoever follows may not see any more. */
  async #leaveOutGone(filter: ChangeFilter, kinds: (Kind | undefined)[]): Promise<void> {
    for (const [index, row] of this.rows.entries()) {
      if (kinds[index] === undefined) continue;
      const whole = await this.services.reader.complete(this.space.number, row);
      if (!(await filter.stillShows(whole))) kinds[index] = undefined;
    }
  }

  #nameOf(type: number): string {
    return this.services.definitions(this.space.release).typeName(type) ?? '';
  }

  #testedOf(row: PageRow): Promise<TestedVersion> {
    let tested = this.#tested.get(row);
    if (tested === undefined) {
      tested = this.services.reader.complete(this.space.number, row).then((whole) => this.#toTested(whole));
      this.#tested.set(row, tested);
    }
    return tested;
  }

  /** Undefined: there was none, or it was a deletion. */
  async #predecessorOf(row: PageRow): Promise<TestedVersion | undefined> {
    if (row.version === 1) return undefined;
    if (this.#before.has(row)) return this.#before.get(row);
    const before = await this.services.reader.version(this.space.number, row, row.version - 1);
    const isThere = before !== undefined && before.change !== 'delete';
    const tested = isThere ? this.#toTested(before) : undefined;
    if (!isThere || before.body.length <= MAX_KEPT) this.#before.set(row, tested);
    return tested;
  }

  #toTested({ key, type, lastUpdated, body }: VersionRow): TestedVersion {
    const resource = parseStoredObject(body);
    const rows = this.#extract(this.#nameOf(type), resource);
    return { key, lastUpdated, resource, rows };
  }

  async #letOthersWork(): Promise<void> {
    if (performance.now() - this.#turnSince < TURN_MS) return;
    await setImmediate();
    this.#turnSince = performance.now();
  }
}

function ofType({ typeNumber }: ChangeFilter, type: number): boolean {
  return typeNumber === undefined || typeNumber === type;
}
