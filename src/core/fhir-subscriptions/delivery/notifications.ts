/**
 * Subscriptions (docs/use/subscriptions.md). Each space with running Subscriptions is worked on by one process, which has a
 * lease on it. Events, progress and leases are in PostgreSQL; a notice through Redis only saves waiting for the next poll.
 */
import { type NotificationCounts } from '../../api/subscription';
import { SERVER_ACTOR } from '../../versions/stored-version';
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../api/access';
import type { Interactions } from '../../api/interactions';
import { PollingLoop } from '../../concurrency/polling-loop';
import type { RedisCache } from '../../cache/redis-cache';
import type { RetryingWriter } from '../../interactions/retrying-writer';
import type { Log, TenantSpace } from '../../context';
import { fhirError } from '../../errors';
import { setSubscriptionStatus } from '../../interactions/subscription-status';
import { read } from '../../versions/read';
import type { Outbound } from '../../outbound/outbound';
import type { Release } from '../../fhir/release';
import { SUBSCRIPTION } from '../../fhir/type-names';
import type { WriteServices } from '../../ports';
import { isNoDatabaseTrouble } from '../../storage/connection/database-error';
import { attendFeeds, leaveFeeds, type OwnFeed } from '../../storage/notifications/feeds';
import { CallSlots } from './call-slots';
import { workContext } from './work-context';
import { Endpoint } from './endpoint';
import { SpaceNotifications, type SpaceTools } from './space-notifications';

export interface NotificationLimits {
  /** Milliseconds for which a notification that does not arrive is tried again. */
  readonly subscriptionRetryMs: number;
  /** Milliseconds for which events are kept. */
  readonly subscriptionEventsMs: number;
}

export interface NotificationsOptions {
  readonly services: WriteServices;
  readonly interactions: Pick<Interactions, 'vread' | 'search'>;
  readonly write: RetryingWriter;
  readonly cache: Pick<RedisCache, 'announceChanges' | 'announceWork' | 'listenForChanges'>;
  readonly outbound: Outbound;
  readonly log: Log;
  readonly limits: NotificationLimits;
  rootOf(space: Pick<TenantSpace, 'tenant' | 'release'>): string;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
  observe: SpaceTools['observe'];
  record: SpaceTools['record'];
}

const ATTEND_MS = 700;
/** A process without a beat for so long is dead, and another takes its spaces. */
export const FEED_SILENCE_MS = 3_000;
/** So long after its last beat a process stops to call endpoints, before another may begin. */
const HELD_MS = 2_200;
const MOST_SPACES = 2_000;
/** Between two reads of changes without a notice; the beat finds changes whose notice was lost. */
const POLL_MS = 10_000;

interface HeldSpace {
  readonly notifications: SpaceNotifications;
  readonly stopListening: () => void;
}

export class Notifications {
  /** This process among those with leases. */
  readonly worker = randomBytes(8).toString('hex');
  readonly #spaces = new Map<number, HeldSpace>();
  readonly #ending = new Set<Promise<void>>();
  readonly #slots = new CallSlots();
  readonly #endpoint: Endpoint;
  #attendedAt = -Infinity;
  readonly #loop: PollingLoop;

  constructor(private readonly options: NotificationsOptions) {
    this.#endpoint = new Endpoint(options.outbound);
    this.#loop = new PollingLoop({
      round: () => this.#attend(),
      retryMs: ATTEND_MS,
      log: options.log,
      trouble: 'the lease on Subscriptions cannot be renewed',
      isReported: isNoDatabaseTrouble,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** There may be a space that no process works on. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  /** Called after a write to the space in this process. */
  wrote(space: number): void {
    this.#spaces.get(space)?.notifications.wake();
  }

  get counts(): NotificationCounts {
    const all = [...this.#spaces.values()].map(({ notifications }) => notifications.counts);
    const sum = (name: 'running' | 'failing' | 'inError'): number =>
      all.reduce((total, counts) => total + counts[name], 0);
    return {
      running: sum('running'),
      failing: sum('failing'),
      inError: sum('inError'),
      calls: this.#slots.count,
    };
  }

  /** Ends the work and gives up all spaces. */
  async close(): Promise<void> {
    await this.#loop.close();
    const wasHolding = this.#spaces.size > 0;
    for (const space of this.#spaces.keys()) this.#drop(space);
    await Promise.all(this.#ending);
    if (!wasHolding) return;
    // Without the database, the lease runs out by itself.
    await leaveFeeds(this.options.services.database, this.worker).then(
      () => this.options.cache.announceWork(),
      () => undefined,
    );
  }

  /** Renews the leases while this process has some. */
  async #attend(): Promise<number | undefined> {
    const begun = performance.now();
    const feeds = await attendFeeds(this.options.services.database, {
      worker: this.worker,
      silenceMs: FEED_SILENCE_MS,
      most: MOST_SPACES,
    });
    this.#attendedAt = begun;
    if (this.#loop.isClosed) return ATTEND_MS;
    const own = new Set(feeds.map(({ space }) => space));
    for (const space of this.#spaces.keys()) if (!own.has(space)) this.#drop(space);
    for (const feed of feeds) (this.#spaces.get(feed.space) ?? this.#hold(feed)).notifications.note(feed);
    return this.#spaces.size > 0 ? ATTEND_MS : undefined;
  }

  #hold(feed: OwnFeed): HeldSpace {
    const notifications = new SpaceNotifications(this.#toolsOf(feed), feed.space, () =>
      this.#drop(feed.space),
    );
    const stopListening = this.options.cache.listenForChanges(feed.space, () => notifications.wake());
    const held = { notifications, stopListening };
    this.#spaces.set(feed.space, held);
    return held;
  }

  #drop(space: number): void {
    const held = this.#spaces.get(space);
    if (held === undefined) return;
    this.#spaces.delete(space);
    held.stopListening();
    const ending = held.notifications.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #toolsOf({ space: number, tenant, release }: OwnFeed): SpaceTools {
    const { services, interactions, write, cache, log, limits, renewCaller } = this.options;
    const findSpace = (): Promise<TenantSpace | undefined> => this.options.findSpace(tenant, release);
    return {
      ...{ services, interactions, log },
      worker: this.worker,
      slots: this.#slots,
      limits: {
        retryMs: limits.subscriptionRetryMs,
        keptMs: limits.subscriptionEventsMs,
        pollMs: POLL_MS,
      },
      observe: this.options.observe,
      record: this.options.record,
      send: this.#endpoint.send,
      rootOf: (space) => this.options.rootOf(space),
      isHeld: () => performance.now() - this.#attendedAt < HELD_MS,
      findSpace,
      async contextOf({ author }) {
        const space = await findSpace();
        if (space === undefined) throw fhirError('unknownTenant');
        return workContext(log, space, await renewCaller(space, author));
      },
      readSubscription: (space, id) =>
        read(services, workContext(log, space, { actor: SERVER_ACTOR }), SUBSCRIPTION, id),
      async setStatus({ id, version }, status, error) {
        const space = await findSpace();
        if (space === undefined) throw fhirError('unknownTenant');
        await write(workContext(log, space, { actor: SERVER_ACTOR }), SUBSCRIPTION, (context) =>
          setSubscriptionStatus(services, context, { id, of: version, status, error }),
        );
      },
      announce: () => cache.announceChanges(number),
    };
  }
}
