/** Live queries: the subscribers of this process (docs/use/graphql-reference.md, Live queries). */
import type { ChangeRequest, ChangeStream, LiveQueryCounts } from '../api/change-stream';
import type { RedisCache } from '../cache/redis-cache';
import type { Log, RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { SearchServices } from '../ports';
import { readLastSequence } from '../storage/read/feed';
import { ChangeFilter } from '../change-feed/change-filter';
import { Subscriber } from './subscriber';
import { SpaceFeed } from './space-feed';

export interface SubscriptionLimits {
  /** Streams of one tenant in this process. */
  readonly maxSubscriptions: number;
  /** Characters in the queue of a subscriber. */
  readonly subscriptionQueueBytes: number;
  /** Milliseconds between two polls; they find changes whose notice was lost. */
  readonly subscriptionPollMs: number;
  /** Milliseconds after which a subscriber that takes nothing from its queue is ended. */
  readonly subscriptionStallMs: number;
}

export interface ChangeFeedsOptions {
  readonly services: SearchServices;
  readonly cache: RedisCache;
  readonly limits: SubscriptionLimits;
  readonly log: Log;
  findSpace(space: TenantSpace): Promise<TenantSpace | undefined>;
}

/** Different filters of one space that query the database for each page of changes. */
const MAX_ASKING = 20;
/** Writes of a space within this many milliseconds share one notice. */
const NOTICE_MS = 10;

interface FollowedSpace {
  readonly feed: SpaceFeed;
  readonly tenantNumber: number;
  readonly filters: Map<string, ChangeFilter>;
  readonly stopListening: () => void;
}

/**
 * Changes and their order come from PostgreSQL. A notice through Redis only triggers a poll; when it is lost, the poll
 * happens up to `subscriptionPollMs` later.
 */
export class ChangeFeeds {
  /** By the number of the space. */
  readonly #spaces = new Map<number, FollowedSpace>();
  /** All feeds, also those without subscribers that still finish their work. */
  readonly #feeds = new Set<SpaceFeed>();
  readonly #announced = new Map<number, NodeJS.Timeout>();
  #begun = 0;
  #isClosed = false;

  constructor(private readonly options: ChangeFeedsOptions) {}

  /** Cost: one statement. Throws the errors of the criteria, invalidValue, tooManySubscriptions, tooCostly. */
  async follow(context: RequestContext, request: ChangeRequest): Promise<ChangeStream> {
    const { services, limits } = this.options;
    const { space } = context;
    this.#requireRoom(space);
    const filter = new ChangeFilter(services, context, request);
    await filter.prepare(context);
    const last = await readLastSequence(services.database, space.number);
    const { after = last } = request;
    if (after < 0 || after > last) {
      const reason = `'after' is the sequence of a change that has been, at most ${last} just now`;
      throw fhirError('invalidValue', { reason });
    }
    this.#requireRoom(space);
    const shared = this.#share(this.#spaces.get(space.number)?.filters ?? new Map(), filter);
    const followed = this.#open(space, last);
    followed.filters.set(shared.name, shared);
    const subscriber = new Subscriber(shared, after, {
      maxSize: limits.subscriptionQueueBytes,
      onRoom: () => followed.feed.wake(),
      onClose: (closed) => this.#remove(space.number, followed, closed),
    });
    followed.feed.add(subscriber);
    this.#begun++;
    return subscriber;
  }

  /** Over all tenants: current subscribers, and all since the start of the process. */
  get counts(): LiveQueryCounts {
    const current = [...this.#spaces.values()].reduce((sum, { feed }) => sum + feed.size, 0);
    return { current, begun: this.#begun };
  }

  /** Throws tooManySubscriptions, stopping. */
  #requireRoom({ tenantNumber }: TenantSpace): void {
    if (this.#isClosed) throw fhirError('stopping');
    const { maxSubscriptions } = this.options.limits;
    let count = 0;
    for (const followed of this.#spaces.values())
      if (followed.tenantNumber === tenantNumber) count += followed.feed.size;
    if (count < maxSubscriptions) return;
    const reason = `This tenant has ${maxSubscriptions} live queries at this server, the most that it may have`;
    throw fhirError('tooManySubscriptions', { reason });
  }

  #open(space: TenantSpace, head: number): FollowedSpace {
    const existing = this.#spaces.get(space.number);
    if (existing !== undefined) return existing;
    const { services, log, limits, cache, findSpace } = this.options;
    const feed = new SpaceFeed(
      {
        services,
        log,
        findSpace: () => findSpace(space),
        pollMs: limits.subscriptionPollMs,
        stallMs: limits.subscriptionStallMs,
      },
      space,
      head,
    );
    const followed: FollowedSpace = {
      feed,
      tenantNumber: space.tenantNumber,
      filters: new Map(),
      stopListening: cache.listenForChanges(space.number, () => feed.wake()),
    };
    this.#spaces.set(space.number, followed);
    this.#feeds.add(feed);
    return followed;
  }

  /** The existing filter of the same name, else the given one. Throws tooManySubscriptions. */
  #share(filters: ReadonlyMap<string, ChangeFilter>, filter: ChangeFilter): ChangeFilter {
    const existing = filters.get(filter.name);
    if (existing !== undefined) return existing;
    const querying = [...filters.values()].filter(({ asksDatabase }) => asksDatabase).length;
    if (filter.asksDatabase && querying >= MAX_ASKING) {
      const reason = `At most ${MAX_ASKING} different live queries of a tenant may follow references (chains, _has)`;
      throw fhirError('tooManySubscriptions', { reason });
    }
    return filter;
  }

  #remove(space: number, followed: FollowedSpace, subscriber: Subscriber): void {
    const { feed, filters, stopListening } = followed;
    feed.remove(subscriber);
    const isUsed = [...feed.subscribers].some((other) => other.filter === subscriber.filter);
    if (!isUsed) filters.delete(subscriber.filter.name);
    if (feed.size > 0 || this.#spaces.get(space) !== followed) return;
    this.#spaces.delete(space);
    stopListening();
    void feed.close().then(() => this.#feeds.delete(feed));
  }

  /** Called after a write to the space in this process. Returns at once. */
  wrote(space: number): void {
    this.#spaces.get(space)?.feed.wake();
    if (this.#isClosed || this.#announced.has(space)) return;
    const timer = setTimeout(() => {
      this.#announced.delete(space);
      this.options.cache.announceChanges(space);
    }, NOTICE_MS);
    this.#announced.set(space, timer);
  }

  /** Ends all streams with an error that says where to resume. */
  endAll(): void {
    this.#isClosed = true;
    for (const { feed } of this.#spaces.values())
      for (const subscriber of [...feed.subscribers]) subscriber.endBecause('The server is stopped');
  }

  /** Ends all streams; resolves when all feeds have stopped. */
  async close(): Promise<void> {
    this.endAll();
    for (const timer of this.#announced.values()) clearTimeout(timer);
    await Promise.all([...this.#feeds].map((feed) => feed.close()));
  }
}
