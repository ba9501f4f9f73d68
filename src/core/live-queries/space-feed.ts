/** The changes of one space, read once for all its subscribers in this process. */
import { ANONYMOUS, type Log, type RequestContext, type TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import type { SearchServices } from '../ports';
import { isDatabaseTrouble, isNoDatabaseTrouble } from '../storage/connection/database-error';
import type { ChangeFilter } from '../change-feed/change-filter';
import { PollingLoop } from '../concurrency/polling-loop';
import { readChanges } from '../change-feed/read-changes';
import type { Subscriber } from './subscriber';
import { PageChanges, type Kind } from '../change-feed/page-changes';

/** Time limit for the work on one page, in milliseconds. */
const PAGE_MS = 30_000;

export interface SpaceFeedOptions {
  readonly services: SearchServices;
  readonly log: Log;
  /** The space as it is now; undefined: the tenant is unknown or disabled. */
  findSpace(): Promise<TenantSpace | undefined>;
  /** Milliseconds between two polls; they find changes whose notice was lost. */
  readonly pollMs: number;
  /** Milliseconds after which a subscriber that takes nothing from its queue is ended. */
  readonly stallMs: number;
}

/**
 * Reads new changes when woken and every `pollMs`, and passes them to all subscribers that are at its position. For a
 * subscriber behind that position it reads separate pages until the subscriber has caught up; subscribers near each other
 * share a page. Cost, while nothing changes: one statement for each `pollMs`.
 */
export class SpaceFeed {
  readonly #subscribers = new Set<Subscriber>();
  /** Sequence up to which all changes were passed to the subscribers that are not behind. */
  #head: number;
  readonly #loop: PollingLoop;

  constructor(
    private readonly options: SpaceFeedOptions,
    private space: TenantSpace,
    head: number,
  ) {
    this.#head = head;
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      retryMs: options.pollMs,
      log: options.log,
      trouble: 'live queries wait: changes cannot be read',
      isReported: isNoDatabaseTrouble,
    });
    this.#loop.start();
  }

  get size(): number {
    return this.#subscribers.size;
  }

  get subscribers(): ReadonlySet<Subscriber> {
    return this.#subscribers;
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.wake();
  }

  remove(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /** Starts a poll, because there may be new changes or queue space. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves when no page is being read any more. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  // No change is lost by a failure: the next round starts at the same position.
  async #round(): Promise<number | undefined> {
    if (this.#subscribers.size === 0) return undefined;
    if ((await this.#renewSpace()) && (await this.#readOn())) return 0;
    this.#endStalled();
    return this.options.pollMs;
  }

  async #renewSpace(): Promise<boolean> {
    const space = await this.options.findSpace();
    if (space !== undefined) {
      this.space = space;
      return true;
    }
    for (const subscriber of [...this.#subscribers]) subscriber.end(fhirError('unknownTenant'));
    return false;
  }

  /** Reads a page for the subscribers at the head, and one for some of those behind. True: more changes may be ready. */
  async #readOn(): Promise<boolean> {
    const from = this.#head;
    const { to, isMore } = await this.#readPage(from, (subscriber) => subscriber.position >= from);
    this.#head = to;
    const [behind] = this.#behind();
    if (behind === undefined) return isMore;
    const { position } = behind;
    // The next round starts with another subscriber.
    this.#subscribers.delete(behind);
    this.#subscribers.add(behind);
    await this.#readPage(position, (one) => one.position >= position && one.position < this.#head);
    return isMore || this.#behind().length > 0;
  }

  #behind(): readonly Subscriber[] {
    return [...this.#subscribers].filter(({ position, hasRoom }) => hasRoom && position < this.#head);
  }

  /** `to`: the sequence up to which all changes were read. */
  async #readPage(
    from: number,
    isSelected: (subscriber: Subscriber) => boolean,
  ): Promise<{ readonly to: number; readonly isMore: boolean }> {
    const { services } = this.options;
    const subscribers = [...this.#subscribers].filter(
      (subscriber) => subscriber.hasRoom && isSelected(subscriber),
    );
    const { rows, isMore } = await readChanges(services.database, this.space.number, {
      types: typesOf(subscribers),
      since: from,
    });
    const last = rows.at(-1);
    if (last === undefined) return { to: from, isMore };
    await this.#handOut(new PageChanges(services, this.space, rows), subscribers);
    return { to: last.sequence, isMore };
  }

  async #handOut(page: PageChanges, subscribers: readonly Subscriber[]): Promise<void> {
    const kinds = new Map<ChangeFilter, readonly (Kind | undefined)[]>();
    for (const filter of new Set(subscribers.map((subscriber) => subscriber.filter))) {
      try {
        await filter.prepare(this.#context());
        kinds.set(filter, await page.kindsFor(filter));
      } catch (error) {
        if (!(error instanceof FhirError) || isDatabaseTrouble(error)) throw error;
        for (const subscriber of subscribers) if (subscriber.filter === filter) subscriber.end(error);
      }
    }
    const full = new Set<Subscriber>();
    for (const [index, row] of page.rows.entries()) {
      const receivers = subscribers.filter(
        (subscriber) =>
          !full.has(subscriber) &&
          subscriber.position < row.sequence &&
          kinds.get(subscriber.filter)?.[index] !== undefined,
      );
      const version = receivers.length === 0 ? undefined : await page.stored(row);
      for (const subscriber of receivers) {
        const kind = kinds.get(subscriber.filter)?.[index];
        if (version === undefined || kind === undefined) continue;
        subscriber.push(
          kind === 'lost'
            ? { kind: 'delete', version: { ...version, change: 'delete', text: '' } }
            : { kind, version },
        );
        subscriber.position = row.sequence;
        if (!subscriber.hasRoom) full.add(subscriber);
      }
    }
    const to = page.rows.at(-1)?.sequence ?? 0;
    for (const subscriber of subscribers)
      if (!full.has(subscriber)) subscriber.position = Math.max(subscriber.position, to);
  }

  #context(): RequestContext {
    const { log } = this.options;
    const deadline = Date.now() + PAGE_MS;
    return { space: this.space, actor: ANONYMOUS, deadline, requestId: 'live-query', log };
  }

  #endStalled(): void {
    const { stallMs } = this.options;
    for (const subscriber of [...this.#subscribers])
      if (subscriber.idleFor > stallMs)
        subscriber.endBecause(`The client has not read changes for ${Math.round(stallMs / 1000)} s`);
  }
}

/** Type numbers of the filters; undefined: all types. */
function typesOf(subscribers: readonly Subscriber[]): ReadonlySet<number> | undefined {
  const types = new Set<number>();
  for (const { filter } of subscribers) {
    if (filter.typeNumber === undefined) return undefined;
    types.add(filter.typeNumber);
  }
  return types;
}
