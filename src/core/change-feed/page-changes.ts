/** A page of changes, classified for each of several filters. */
import type { StreamedChange } from '../api/change-stream';
import type { StoredVersion } from '../storage/read/stored-version';
import { turns } from '../concurrency/turns';
import type { TenantSpace } from '../context';
import { parseStoredObject, type JsonObject } from '../fhir/json';
import { toStoredVersion } from '../versions/stored-version';
import type { Extractor } from '../search/rows/extract';
import type { TestedVersion } from '../search/matching/version-test';
import type { SearchServices } from '../ports';
import { keyText, type PageRow, type VersionRow } from '../storage/read/version-row';
import type { ChangeFilter } from './change-filter';

/** `lost`: as `leave`, but the subscriber may not see the new version; it is sent as a deletion. */
export type Kind = StreamedChange['kind'] | 'lost';

/** Predecessors that are read at once: one statement returns their texts, without a limit of length. */
const MAX_READ = 16;
/** Index rows of longer texts are not cached for the next filter. */
const MAX_CACHED = 256 * 1024;
/** No limit: stored resources were accepted, perhaps under another limit. */
const ALL_ROWS = Number.MAX_SAFE_INTEGER;

/** Reads and parses each text once for all filters. */
export class PageChanges {
  readonly #tested = new Map<PageRow, Promise<TestedVersion>>();
  readonly #before = new Map<PageRow, TestedVersion | undefined>();
  readonly #extract: Extractor;

  constructor(
    private readonly services: SearchServices,
    private readonly space: TenantSpace,
    readonly rows: readonly PageRow[],
  ) {
    this.#extract = services.createExtractor(space, ALL_ROWS);
  }

  /** The version as it is sent. Long texts are read each time, so that they do not stay in memory. */
  async stored(row: PageRow): Promise<StoredVersion> {
    const { services, space } = this;
    const whole = await services.reader.complete(space.number, row);
    return toStoredVersion(services, this.#nameOf(row.type), whole);
  }

  /**
   * The kind of event for each row; undefined: no event. A version makes an event when it meets the criteria, or when its
   * predecessor did or may have done. Cost: extraction of the index rows of each version of the type; one statement for
   * criteria on other resources; one for each batch of predecessors.
   */
  async kindsFor(filter: ChangeFilter): Promise<readonly (Kind | undefined)[]> {
    const { rows } = this;
    if (filter.isOpen) return rows.map(({ type, change }) => (ofType(filter, type) ? change : undefined));
    const kinds: (Kind | undefined)[] = rows.map(() => undefined);
    const tested: { readonly index: number; readonly version: TestedVersion }[] = [];
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
      else tested.push({ index, version });
      await turns.take();
    }
    const met = await filter.findAmong(
      this.space,
      tested.map(({ version }) => version),
    );
    for (const { index, version } of tested) {
      if (met.has(keyText(version.key))) kinds[index] = rows[index]?.change;
      else unmet.push(index);
    }
    if (filter.isRestricted) await this.#omitHidden(filter, kinds);
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
      await turns.take();
    }
    return kinds;
  }

  get release(): TenantSpace['release'] {
    return this.space.release;
  }

  /** True if a live version matches by its own content. */
  async matches(filter: ChangeFilter, row: PageRow): Promise<boolean> {
    return filter.isOpen || filter.test(await this.#testedOf(row)) === 'yes';
  }

  /** True if the version before matches by its own content; false where there was none. */
  async matchedBefore(filter: ChangeFilter, row: PageRow): Promise<boolean> {
    const before = await this.#predecessorOf(row);
    return before !== undefined && (filter.isOpen || filter.test(before) === 'yes');
  }

  /** The version that filters are tested on: the new one, for a deletion the one before; undefined: there is none. */
  async tested(row: PageRow): Promise<TestedVersion | undefined> {
    return row.change === 'delete' ? this.#predecessorOf(row) : this.#testedOf(row);
  }

  /** The resource before the change; undefined: there was none, or it was deleted. */
  async before(row: PageRow): Promise<JsonObject | undefined> {
    return (await this.#predecessorOf(row))?.resource;
  }

  /** Removes the events of versions that the subscriber may not see any more. */
  async #omitHidden(filter: ChangeFilter, kinds: (Kind | undefined)[]): Promise<void> {
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

  /** The previous version; undefined: there was none, or it was a deletion. */
  async #predecessorOf(row: PageRow): Promise<TestedVersion | undefined> {
    if (row.version === 1) return undefined;
    if (this.#before.has(row)) return this.#before.get(row);
    const before = await this.services.reader.version(this.space.number, row, row.version - 1);
    const isThere = before !== undefined && before.change !== 'delete';
    const tested = isThere ? this.#toTested(before) : undefined;
    if (!isThere || before.body.length <= MAX_CACHED) this.#before.set(row, tested);
    return tested;
  }

  #toTested({ key, type, lastUpdated, body }: VersionRow): TestedVersion {
    const resource = parseStoredObject(body);
    const rows = this.#extract(this.#nameOf(type), resource);
    return { key, lastUpdated, resource, rows };
  }
}

function ofType({ typeNumber }: ChangeFilter, type: number): boolean {
  return typeNumber === undefined || typeNumber === type;
}
