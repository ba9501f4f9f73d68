/** The changes of one space, read once for all who follow it in this process. */
import type { Log, RequestContext, TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import type { Services } from '../services';
import { readFeedOf } from '../storage/feed';
import { MAX_PAGE_BYTES } from '../storage/version-read';
import type { PageRow } from '../storage/version-row';
import type { ChangeFilter } from './change-filter';
import type { Follower } from './follower';
import { PageChanges, type Kind } from './page-changes';

/** Changes that one statement reads. */
const PAGE = 200;
/** Milliseconds that the work on one page may take. */
const PAGE_MS = 30_000;

export interface SpaceFeedOptions {
  readonly services: Services;
  readonly log: Log;
  /** The space as it is now; undefined: the tenant is unknown or disabled. */
  findSpace(): Promise<TenantSpace | undefined>;
  /** Milliseconds between two looks for changes that nothing told of. */
  readonly pollMs: number;
  /** Milliseconds for which somebody may take nothing of what waits for him. */
  readonly stallMs: number;
}

/**
 * Reads the changes behind the last that it has read, when it is woken and from time to time, and hands them to all who
 * have come so far. Who comes later, or could not take more, is read for by himself until he has caught up; those who are
 * near each other share the page. Cost, while nothing changes: one statement for each `pollMs`.
 */
export class SpaceFeed {
  readonly #followers = new Set<Follower>();
  /** All changes up to here were handed out to those who had come so far. */
  #head: number;
  #isWoken = false;
  #ring: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #isFailing = false;

  constructor(
    private readonly options: SpaceFeedOptions,
    private space: TenantSpace,
    head: number,
  ) {
    this.#head = head;
  }

  get size(): number {
    return this.#followers.size;
  }

  get followers(): ReadonlySet<Follower> {
    return this.#followers;
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
    this.wake();
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  remove(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.wake();
  }

  /** There may be something to do. */
  wake(): void {
    this.#isWoken = true;
    this.#ring?.();
  }

  /** Resolves when nobody follows any more and nothing is under way. */
  async ended(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    const { log, pollMs } = this.options;
    while (this.#followers.size > 0) {
      this.#isWoken = false;
      try {
        const isMore = (await this.#renewSpace()) && (await this.#readOn());
        if (this.#isFailing) log.info({}, 'live queries go on');
        this.#isFailing = false;
        if (isMore) continue;
      } catch (error) {
        // Nobody misses anything: the next look begins where this one did.
        if (!this.#isFailing)
          log.warn({ fault: faultOf(error) }, 'live queries wait: changes cannot be read');
        this.#isFailing = true;
        this.#isWoken = false;
      }
      this.#endStalled();
      if (this.#followers.size > 0) await this.#pause(pollMs);
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    if (this.#isWoken) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#ring = undefined;
  }

  async #renewSpace(): Promise<boolean> {
    const space = await this.options.findSpace();
    if (space !== undefined) {
      this.space = space;
      return true;
    }
    for (const follower of [...this.#followers]) follower.end(fhirError('unknownTenant'));
    return false;
  }

  /** One page for those at the head, one for some of those behind it. True: there may be more at once. */
  async #readOn(): Promise<boolean> {
    const from = this.#head;
    const { to, isFull } = await this.#readPage(from, (follower) => follower.position >= from);
    this.#head = to;
    const [behind] = this.#behind();
    if (behind === undefined) return isFull;
    const { position } = behind;
    // Others take their turn first next time.
    this.#followers.delete(behind);
    this.#followers.add(behind);
    await this.#readPage(position, (one) => one.position >= position && one.position < this.#head);
    return isFull || this.#behind().length > 0;
  }

  #behind(): readonly Follower[] {
    return [...this.#followers].filter(({ position, hasRoom }) => hasRoom && position < this.#head);
  }

  /** `to`: all changes up to here were read. */
  async #readPage(
    from: number,
    isMeant: (follower: Follower) => boolean,
  ): Promise<{ readonly to: number; readonly isFull: boolean }> {
    const { services } = this.options;
    const followers = [...this.#followers].filter((follower) => follower.hasRoom && isMeant(follower));
    const read = await readFeedOf(services.database, this.space.number, typesOf(followers), from, PAGE);
    const rows = cutToBytes(read);
    const last = rows.at(-1);
    if (last === undefined) return { to: from, isFull: false };
    await this.#handOut(new PageChanges(services, this.space, rows), followers);
    return { to: last.sequence, isFull: read.length === PAGE || rows.length < read.length };
  }

  async #handOut(page: PageChanges, followers: readonly Follower[]): Promise<void> {
    const kinds = new Map<ChangeFilter, readonly (Kind | undefined)[]>();
    for (const filter of new Set(followers.map((follower) => follower.filter))) {
      try {
        await filter.prepare(this.#context());
        kinds.set(filter, await page.kindsFor(filter));
      } catch (error) {
        if (!(error instanceof FhirError) || error.key === 'storageUnavailable') throw error;
        for (const follower of followers) if (follower.filter === filter) follower.end(error);
      }
    }
    const full = new Set<Follower>();
    for (const [index, row] of page.rows.entries()) {
      const told = followers.filter(
        (follower) =>
          !full.has(follower) &&
          follower.position < row.sequence &&
          kinds.get(follower.filter)?.[index] !== undefined,
      );
      const version = told.length === 0 ? undefined : await page.stored(row);
      for (const follower of told) {
        const kind = kinds.get(follower.filter)?.[index];
        if (version === undefined || kind === undefined) continue;
        follower.push(
          kind === 'lost'
            ? { kind: 'delete', version: { ...version, change: 'delete', text: '' } }
            : { kind, version },
        );
        follower.position = row.sequence;
        if (!follower.hasRoom) full.add(follower);
      }
    }
    const to = page.rows.at(-1)?.sequence ?? 0;
    for (const follower of followers)
      if (!full.has(follower)) follower.position = Math.max(follower.position, to);
  }

  #context(): RequestContext {
    const { log } = this.options;
    const deadline = Date.now() + PAGE_MS;
    return { space: this.space, actor: 'anonymous', deadline, requestId: 'live-query', log };
  }

  #endStalled(): void {
    const { stallMs } = this.options;
    for (const follower of [...this.#followers])
      if (follower.idleFor > stallMs)
        follower.endBecause(`The changes were not taken for ${Math.round(stallMs / 1000)} s`);
  }
}

/** Undefined: all. */
function typesOf(followers: readonly Follower[]): ReadonlySet<number> | undefined {
  const types = new Set<number>();
  for (const { filter } of followers) {
    if (filter.typeNumber === undefined) return undefined;
    types.add(filter.typeNumber);
  }
  return types;
}

/** As many as one page of texts may hold. */
function cutToBytes(rows: readonly PageRow[]): readonly PageRow[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += row.omittedBytes ?? row.body.length;
    return index > 0 && bytes > MAX_PAGE_BYTES;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function faultOf(error: unknown): string {
  return error instanceof FhirError ? error.key : error instanceof Error ? error.name : 'unknown';
}
