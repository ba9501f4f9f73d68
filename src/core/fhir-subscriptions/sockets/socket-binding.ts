/** A Subscription that is bound to a connection: its handshake, its notifications in the order of their numbers, its end. */
import type { Caller } from '../../api/access';
import type { StreamEnd } from '../../api/notification-stream';
import type { RequestContext, TenantSpace } from '../../context';
import { FhirError } from '../../errors';
import { eventsBetween } from '../../storage/notifications/events';
import type { StoredSubscription } from '../../storage/notifications/feeds';
import { isDatabaseTrouble } from '../../storage/connection/database-error';
import { findTopic } from '../../topics/find-topic';
import { notificationBundle } from '../../operations/notification-text';
import { type Notification } from '../../api/notification';
import { DEFAULT_EVENTS, MOST_EVENTS, MOST_TEXT } from '../notification-size';
import { readEvents, untilDeletion, type EventTools } from '../delivery/read-events';
import type { SocketQueue } from './socket-queue';
import type { SocketSubscription } from './socket-subscription';
import type { Topic } from '../../topics/topic';

export interface BindingTools extends EventTools {
  /** The context of the author with the rights of this moment. Throws unauthorized. */
  contextOf(space: TenantSpace, author: Caller): Promise<RequestContext>;
}

/** Milliseconds between two checks whether the author still has access, while there is nothing to send. */
const CHECK_MS = 1_000;

export class SocketBinding {
  readonly key: string;
  readonly id: string;
  readonly version: number;
  readonly #author: Caller;
  readonly #request: SocketSubscription['request'];
  /** Number of the last event that was put into the queue. */
  #position: number;
  #isShaken = false;
  #sentAt = 0;
  #checkedAt = performance.now();

  constructor(
    { stored, request }: SocketSubscription,
    readonly queue: SocketQueue,
  ) {
    this.key = stored.key;
    this.id = stored.id;
    this.version = stored.version;
    this.#author = stored.author;
    this.#request = request;
    this.#position = stored.numbered;
  }

  /** Sends the handshake again, to a client that binds it again. */
  greet(): void {
    this.#isShaken = false;
  }

  /** True: `deliver` has something to do. `state`: undefined where the Subscription is off or deleted. */
  isDue(state: StoredSubscription | undefined): boolean {
    if (this.queue.isOver) return false;
    if (state === undefined || state.version !== this.version || state.status === 'error') return true;
    const now = performance.now();
    if (this.#author.access !== undefined && now - this.#checkedAt >= CHECK_MS) return true;
    if (state.status !== 'active' || !this.queue.hasRoom) return false;
    return !this.#isShaken || state.numbered > this.#position || this.#isBeating(now);
  }

  /**
   * Puts what is due into the queue, with the rights of the author as they are now. Returns why the binding ends;
   * undefined: it goes on. Cost: for events, a statement and `readEvents` for each notification.
   */
  async deliver(
    tools: BindingTools,
    space: TenantSpace,
    state: StoredSubscription | undefined,
  ): Promise<StreamEnd | undefined> {
    if (state === undefined) return this.#end(tools, space, { status: 'off', reason: 'is off' });
    if (state.version !== this.version)
      return this.#end(tools, space, { status: state.status, reason: 'was written again: bind it again' });
    if (state.status === 'error')
      return this.#end(tools, space, {
        status: 'error',
        error: state.failure,
        reason: 'has the status error',
      });
    let context;
    try {
      context = await tools.contextOf(space, this.#author);
    } catch (error) {
      if (!(error instanceof FhirError) || isDatabaseTrouble(error)) throw error;
      return {
        kind: 'denied',
        reason: `The author of Subscription/${this.id} has lost access`.slice(0, 120),
      };
    }
    this.#checkedAt = performance.now();
    if (state.status !== 'active') return undefined;
    if (!this.#isShaken) this.#shakeHands(tools, space);
    if (this.#request.kind === 'classic') this.#ping(state);
    else await this.#sendEvents(tools, context, state);
    if (this.#isBeating(performance.now())) this.#send(this.#bundle(tools, space, { type: 'heartbeat' }));
    return undefined;
  }

  #shakeHands(tools: BindingTools, space: TenantSpace): void {
    this.#isShaken = true;
    const isClassic = this.#request.kind === 'classic';
    this.#send(isClassic ? `bound ${this.id}` : this.#bundle(tools, space, { type: 'handshake' }));
  }

  /** A classic Subscription only says that something happened (https://hl7.org/fhir/R4/subscription.html#websocket). */
  #ping({ numbered }: StoredSubscription): void {
    if (numbered <= this.#position) return;
    this.#position = numbered;
    this.#send(`ping ${this.id}`);
  }

  async #sendEvents(
    tools: BindingTools,
    context: RequestContext,
    { numbered }: StoredSubscription,
  ): Promise<void> {
    if (numbered <= this.#position) return;
    const { content, maxCount = DEFAULT_EVENTS } = this.#request;
    const topic = await this.#topic(tools, context);
    while (this.#position < numbered && this.queue.hasRoom) {
      const stored = await eventsBetween(
        tools.services.database,
        { space: context.space.number, key: this.key },
        { since: this.#position + 1, until: numbered, limit: Math.min(maxCount, MOST_EVENTS) },
      );
      const alike = untilDeletion(stored, content);
      const events = await readEvents(tools, context, alike, { content, topic, most: MOST_TEXT });
      const first = events[0]?.number;
      const last = events.at(-1)?.number;
      if (first === undefined || last === undefined) {
        // They were removed, because they are older than SUBSCRIPTION_EVENTS_MS.
        this.#position = numbered;
        return;
      }
      this.#position = last;
      const bundle = this.#bundle(tools, context.space, { type: 'event-notification', events });
      this.#send(bundle, `Subscription/${this.id}/$events?eventsSinceNumber=${first}`);
    }
  }

  async #topic({ services }: EventTools, context: RequestContext): Promise<Topic | undefined> {
    try {
      return await findTopic(services, context, this.#request.topic ?? '');
    } catch (error) {
      // The topic was withdrawn after the event: there is nothing to include.
      if (error instanceof FhirError && error.key === 'ruleViolated') return undefined;
      throw error;
    }
  }

  #isBeating(now: number): boolean {
    const { kind, heartbeatSeconds } = this.#request;
    if (kind !== 'topic' || heartbeatSeconds === undefined || !this.#isShaken) return false;
    return now - this.#sentAt >= heartbeatSeconds * 1000 && this.queue.hasRoom;
  }

  #end(
    tools: BindingTools,
    space: TenantSpace,
    end: { status: Notification['status']; error?: string | undefined; reason: string },
  ): StreamEnd {
    const { status, error, reason } = end;
    if (this.#request.kind === 'topic')
      this.#send(
        this.#bundle(tools, space, {
          ...{ type: 'heartbeat', status },
          ...(error === undefined ? {} : { error }),
        }),
      );
    return { kind: 'over', reason: `Subscription/${this.id} ${reason}` };
  }

  #bundle(
    tools: BindingTools,
    space: TenantSpace,
    notification: Pick<Notification, 'type'> & Partial<Notification>,
  ): string {
    return notificationBundle(space.release, {
      status: 'active',
      events: [],
      subscription: { fullUrl: `${tools.rootOf(space)}/Subscription/${this.id}`, id: this.id },
      topic: this.#request.topic,
      content: this.#request.content,
      eventsSinceStart: this.#position,
      ...notification,
    });
  }

  #send(text: string, resume?: string): void {
    this.#sentAt = performance.now();
    this.queue.push(text, resume);
  }
}
