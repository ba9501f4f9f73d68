/** The connections of this process that are bound to Subscriptions (docs/use/subscriptions.md). */
import type { Caller } from '../../api/access';
import type { Interactions } from '../../api/interactions';
import type {
  IssuedToken,
  NotificationStream,
  StreamEnd,
  StreamRequest,
} from '../../api/notification-stream';
import type { RedisCache } from '../../cache/redis-cache';
import type { Log, RequestContext, TenantSpace } from '../../context';
import { fhirError } from '../../errors';
import type { Release } from '../../fhir/release';
import type { SearchServices } from '../../ports';
import type { SubscriptionLimits } from '../../live-queries/change-feeds';
import { workContext } from '../delivery/work-context';
import { SocketBinding } from './socket-binding';
import { CLOSED, SocketQueue } from './socket-queue';
import { SocketSpace } from './socket-space';
import { findOwn, issueToken, redeemToken, type SocketSubscription } from './socket-subscription';

export interface SubscriptionSocketsOptions {
  readonly services: SearchServices;
  readonly interactions: Pick<Interactions, 'vread' | 'search'>;
  readonly cache: Pick<RedisCache, 'listenForChanges'>;
  readonly log: Log;
  readonly limits: Pick<
    SubscriptionLimits,
    'maxSubscriptions' | 'subscriptionQueueBytes' | 'subscriptionStallMs'
  >;
  rootOf(space: Pick<TenantSpace, 'tenant' | 'release'>): string;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
}

interface Served {
  readonly bound: SocketSpace;
  readonly stopListening: () => void;
}

/** Limit on the Subscriptions of one token. */
const MOST_OF_TOKEN = 100;

export class SubscriptionSockets {
  /** By the number of the space. */
  readonly #spaces = new Map<number, Served>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(private readonly options: SubscriptionSocketsOptions) {}

  /** Makes a token of `$get-ws-binding-token`. Throws as `issueToken`. */
  issue(context: RequestContext, ids: readonly string[]): Promise<IssuedToken> {
    return issueToken({ ...this.options, most: MOST_OF_TOKEN }, context, ids);
  }

  /** Opens the stream of a connection. */
  open({ space, most }: StreamRequest): NotificationStream {
    const queue = new SocketQueue(this.options.limits.subscriptionQueueBytes);
    const own = new Set<SocketBinding>();
    const bind = (found: readonly SocketSubscription[]): void => {
      // The connection was closed in between.
      if (queue.isOver) return;
      const before = new Map(this.#bindingsOf(space, own).map((binding) => [binding.key, binding]));
      const added = found.filter(({ stored }) => !before.has(stored.key));
      this.#requireRoom(space, added.length);
      if (before.size + added.length > most) {
        const reason = `This connection is bound to ${before.size} Subscriptions, and ${most} is the limit`;
        throw fhirError('tooManySubscriptions', { reason });
      }
      const { bound } = this.#serve(space);
      for (const each of found) {
        const present = before.get(each.stored.key);
        if (present?.version === each.stored.version) {
          present.greet();
          bound.wake();
          continue;
        }
        if (present !== undefined) {
          own.delete(present);
          bound.bindings.delete(present);
        }
        const binding = new SocketBinding(each, queue);
        own.add(binding);
        bound.add(binding);
      }
    };
    return {
      bindToken: async (token, sender) => bind(await redeemToken(this.options, space, { token, sender })),
      bind: async (context, id) => bind([await findOwn(this.options, context, id)]),
      get isBound() {
        return own.size > 0;
      },
      next: () => queue.next(),
      close: () => {
        queue.end(CLOSED);
        this.#remove(space.number, own);
      },
    };
  }

  /** Bindings of Subscriptions to connections, of all tenants. */
  get count(): number {
    return [...this.#spaces.values()].reduce((sum, { bound }) => sum + bound.bindings.size, 0);
  }

  /** Ends all streams because the server stops. */
  endAll(): void {
    this.#isClosed = true;
    const stopped: StreamEnd = { kind: 'stopped', reason: 'The server is stopped' };
    for (const { bound } of this.#spaces.values()) for (const { queue } of bound.bindings) queue.end(stopped);
  }

  /** Resolves when no statement is under way any more. */
  async close(): Promise<void> {
    this.endAll();
    for (const space of this.#spaces.keys()) this.#drop(space);
    await Promise.all(this.#ending);
  }

  /** Throws tooManySubscriptions, stopping. */
  #requireRoom({ tenantNumber }: TenantSpace, more: number): void {
    if (this.#isClosed) throw fhirError('stopping');
    const { maxSubscriptions } = this.options.limits;
    let count = more;
    for (const { bound } of this.#spaces.values())
      if (bound.tenantNumber === tenantNumber) count += bound.bindings.size;
    if (count <= maxSubscriptions) return;
    const reason = `The connections of this tenant to this server are bound to ${maxSubscriptions} Subscriptions, the most that they may be`;
    throw fhirError('tooManySubscriptions', { reason });
  }

  #bindingsOf({ number }: TenantSpace, own: ReadonlySet<SocketBinding>): readonly SocketBinding[] {
    return [...(this.#spaces.get(number)?.bound.bindings ?? [])].filter((binding) => own.has(binding));
  }

  #serve(space: TenantSpace): Served {
    const existing = this.#spaces.get(space.number);
    if (existing !== undefined) return existing;
    const { options } = this;
    const { number, tenant, release, tenantNumber } = space;
    const tools = {
      ...{ services: options.services, interactions: options.interactions, log: options.log },
      rootOf: options.rootOf,
      stallMs: options.limits.subscriptionStallMs,
      findSpace: () => options.findSpace(tenant, release),
      contextOf: async (now: TenantSpace, author: Caller) =>
        workContext(options.log, now, await options.renewCaller(now, author)),
      onEnd: (binding: SocketBinding) => this.#remove(number, [binding]),
    };
    const bound = new SocketSpace(tools, number, tenantNumber);
    const stopListening = options.cache.listenForChanges(number, () => bound.wake());
    const served = { bound, stopListening };
    this.#spaces.set(number, served);
    return served;
  }

  #remove(space: number, bindings: Iterable<SocketBinding>): void {
    const served = this.#spaces.get(space);
    if (served === undefined) return;
    for (const binding of bindings) served.bound.bindings.delete(binding);
    if (served.bound.bindings.size === 0) this.#drop(space);
  }

  #drop(space: number): void {
    const served = this.#spaces.get(space);
    if (served === undefined) return;
    this.#spaces.delete(space);
    served.stopListening();
    const ending = served.bound.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
