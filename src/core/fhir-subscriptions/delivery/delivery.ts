/** The delivery of one Subscription: its handshake, its notifications in the order of their numbers, and its end. */
import type { Log, RequestContext } from '../../context';
import { FhirError } from '../../errors';
import { mayNotify } from '../../limits/notification-hosts';
import { isNoDatabaseTrouble } from '../../storage/connection/database-error';
import { isCurrent, nextEvents, noteDelivered, noteFailed } from '../../storage/notifications/events';
import type { StoredSubscription } from '../../storage/notifications/feeds';
import { SubscriptionRewritten } from '../../storage/notifications/subscription-state';
import type { RunningStatus } from '../../storage/notifications/subscription-change';
import type { CallSlots } from './call-slots';
import { EndpointGone, type Call, type Endpoint } from './endpoint';
import { notificationBundle } from '../../operations/notification-text';
import { type Notification } from '../../api/notification';
import { DEFAULT_EVENTS, MOST_EVENTS, MOST_TEXT } from '../notification-size';
import { readEvents, untilDeletion, type EventTools } from './read-events';
import type { SubscriptionPlan } from '../subscription-plan';
import { PollingLoop } from '../../concurrency/polling-loop';

export interface DeliveryTools extends EventTools {
  readonly slots: CallSlots;
  readonly log: Log;
  readonly limits: { readonly retryMs: number };
  /** False: another process may have taken the space. */
  isHeld(): boolean;
  /** The context of the author with the rights of this moment. Throws unauthorized, unknownTenant. */
  contextOf(subscription: StoredSubscription): Promise<RequestContext>;
  /** Stores a status that the server found out, and calls for the new state to be read. */
  setStatus(subscription: StoredSubscription, status: RunningStatus | 'off', error?: string): Promise<void>;
  /** Counts for metrics: attempts by their ending, and the milliseconds from a change to its first attempt. */
  observe(ending: 'delivered' | 'failed', delayMs: number | undefined): void;
  send: Endpoint['send'];
  /** Leaves an audit record of a notification. */
  record(
    context: RequestContext,
    notification: { readonly id: string; readonly type: string; readonly hasArrived: boolean },
  ): Promise<void>;
}

/** Between the answer to the client and its handshake, so that the client knows the id by then. */
const HANDSHAKE_DELAY_MS = 200;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** Milliseconds after which work that the database interrupted is tried again. */
const TROUBLE_MS = 1_000;
const DEFAULT_TIMEOUT_MS = 10_000;

export class Delivery {
  readonly #closing = new AbortController();
  readonly #loop: PollingLoop;
  #numbered: number;
  #attempts: number;
  #nextAttempt: number;
  #lastSent: number;

  constructor(
    private readonly tools: DeliveryTools,
    readonly subscription: StoredSubscription,
    readonly plan: SubscriptionPlan,
  ) {
    this.#numbered = subscription.numbered;
    this.#attempts = subscription.attempts;
    const now = performance.now();
    this.#nextAttempt = now + subscription.waitMs;
    this.#lastSent = now - (subscription.silentMs ?? 0);
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      retryMs: TROUBLE_MS,
      log: tools.log,
      trouble: 'a delivery of a Subscription failed by a fault of the server',
      isReported: isNoDatabaseTrouble,
    });
    this.#loop.start();
  }

  /** True: the last attempt failed. */
  get isFailing(): boolean {
    return this.#attempts > 0;
  }

  /** There are events up to this number. */
  wake(numbered: number): void {
    this.#numbered = Math.max(this.#numbered, numbered);
    this.#loop.wake();
  }

  /** The state as it is stored now: an operator may have moved the next attempt. */
  continueWith({ numbered, waitMs }: StoredSubscription): void {
    this.#nextAttempt = Math.min(this.#nextAttempt, performance.now() + waitMs);
    this.wake(numbered);
  }

  /** Aborts what is under way; no further call begins. */
  close(): void {
    this.#closing.abort();
    this.#loop.stop();
  }

  /** Resolves when nothing is under way any more. */
  ended(): Promise<void> {
    return this.#loop.close();
  }

  /** A method, because TypeScript takes a property for unchanged after an `await`. */
  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #round(): Promise<number | undefined> {
    try {
      return await this.#step();
    } catch (error) {
      if (error instanceof SubscriptionRewritten) this.#loop.stop();
      else if (error instanceof FhirError) return TROUBLE_MS;
      else throw error;
      return undefined;
    }
  }

  /** Does what is due; returns the milliseconds until there is more to do, undefined: until it is woken. */
  async #step(): Promise<number | undefined> {
    const { subscription, plan } = this;
    const { request } = plan;
    if (request.end !== undefined && Date.now() >= request.end) {
      await this.#settle('off', undefined);
      return undefined;
    }
    const untilEnd = request.end === undefined ? undefined : request.end - Date.now();
    if (subscription.status === 'error') return untilEnd;
    if (!this.tools.isHeld()) return TROUBLE_MS;
    if (subscription.status === 'requested') {
      await this.#begin();
      return undefined;
    }
    if (request.channel !== 'rest-hook') return untilEnd;
    const untilAttempt = this.#untilAttempt();
    if (untilAttempt > 0) return earliest(untilAttempt, untilEnd);
    if (await this.#deliverNext()) return 0;
    if (this.#isClosed()) return undefined;
    // The time of a call that failed is over by now.
    const untilRetry = this.#untilAttempt();
    return earliest(untilRetry > 0 ? untilRetry : await this.#untilHeartbeat(), untilEnd);
  }

  /** Milliseconds until the next attempt may be made. */
  #untilAttempt(): number {
    return this.#nextAttempt - performance.now();
  }

  /** Makes a requested Subscription active, or gives it the status `error`. */
  async #begin(): Promise<void> {
    const { request } = this.plan;
    if (request.kind === 'topic' && request.channel === 'rest-hook') {
      await new Promise((resolve) => setTimeout(resolve, HANDSHAKE_DELAY_MS));
      const context = await this.#context();
      const failure = await this.#call(context, this.#toCall('handshake', []));
      if (this.#isClosed()) return;
      const { id } = this.subscription;
      await this.tools.record(context, { id, type: 'handshake', hasArrived: failure === undefined });
      if (failure !== undefined) {
        const isGone = failure instanceof EndpointGone;
        await this.#settle(isGone ? 'off' : 'error', `The handshake failed: ${failure.message}`);
        return;
      }
    }
    await this.#settle('active', undefined);
  }

  /** The author's rights of this moment; the Subscription of an author without access is switched off. */
  async #context(): Promise<RequestContext> {
    try {
      return await this.tools.contextOf(this.subscription);
    } catch (error) {
      if (error instanceof FhirError && error.key === 'unauthorized')
        await this.#settle('off', 'Its author is no longer allowed to read');
      throw error;
    }
  }

  async #settle(status: RunningStatus | 'off', error: string | undefined): Promise<void> {
    if (this.#isClosed()) return;
    await this.tools.setStatus(this.subscription, status, error);
    this.close();
  }

  /** Sends the next notification. True: there may be more to send at once. */
  async #deliverNext(): Promise<boolean> {
    const { plan } = this;
    const place = this.#place();
    const limit =
      plan.request.kind === 'classic' ? 1 : Math.min(plan.request.maxCount ?? DEFAULT_EVENTS, MOST_EVENTS);
    const stored = untilDeletion(
      await nextEvents(this.tools.services.database, place, limit),
      plan.request.kind === 'classic' ? 'id-only' : plan.request.content,
    );
    const [first] = stored;
    if (first === undefined || this.#isClosed()) return false;
    this.#numbered = Math.max(this.#numbered, stored.at(-1)?.number ?? 0);
    const context = await this.#context();
    const events = await readEvents(this.tools, context, stored, {
      content: plan.request.kind === 'classic' ? classicContent(plan) : plan.request.content,
      topic: plan.topic,
      most: MOST_TEXT,
    });
    const last = events.at(-1)?.number ?? first.number;
    const isFirstAttempt = this.#attempts === 0;
    const delayMs = isFirstAttempt ? Date.now() - (first.version?.lastUpdated ?? first.made) : undefined;
    const call =
      plan.request.kind === 'classic'
        ? classicCall(plan, events[0])
        : this.#toCall('event-notification', events);
    // A classic notification of a resource that is gone has nothing to say.
    const failure = call === undefined ? undefined : await this.#call(context, call);
    if (this.#isClosed()) return false;
    this.tools.observe(failure === undefined ? 'delivered' : 'failed', delayMs);
    if (failure !== undefined) {
      await this.#failed(context, 'event-notification', failure);
      return false;
    }
    await this.#arrived(last);
    return last < this.#numbered;
  }

  /** Notes that nothing fails any more, and that the events up to a number have arrived. */
  async #arrived(number: number): Promise<void> {
    await noteDelivered(this.tools.services.database, this.#place(), number);
    this.#attempts = 0;
    this.#lastSent = performance.now();
  }

  async #failed(context: RequestContext, type: Notification['type'], failure: Error): Promise<void> {
    const { id } = this.subscription;
    if (this.#attempts === 0) await this.tools.record(context, { id, type, hasArrived: false });
    if (failure instanceof EndpointGone) {
      await this.#settle('off', failure.message);
      return;
    }
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** this.#attempts, LONGEST_RETRY_MS);
    this.#attempts++;
    this.#nextAttempt = performance.now() + waitMs;
    const { database } = this.tools.services;
    const failingMs = await noteFailed(database, this.#place(), { waitMs, failure: failure.message });
    if (failingMs !== undefined && failingMs >= this.tools.limits.retryMs)
      await this.#settle('error', `Notifications have failed for too long: ${failure.message}`);
  }

  /**
   * Sends a heartbeat if one is due, or if the last one failed; returns the milliseconds until the next one, undefined: none
   * is wanted. There are no events to send: if an event had failed, it was erased.
   */
  async #untilHeartbeat(): Promise<number | undefined> {
    const { heartbeatSeconds, kind } = this.plan.request;
    if (heartbeatSeconds === undefined || kind !== 'topic') {
      if (this.#attempts > 0) await this.#arrived(0);
      return undefined;
    }
    const period = heartbeatSeconds * 1000;
    const left = this.#lastSent + period - performance.now();
    if (this.#attempts === 0 && left > 0) return left;
    const context = await this.#context();
    const failure = await this.#call(context, this.#toCall('heartbeat', []));
    if (this.#isClosed()) return undefined;
    if (failure === undefined) {
      await this.#arrived(0);
      return period;
    }
    this.#lastSent = performance.now();
    await this.#failed(context, 'heartbeat', failure);
    return this.#untilAttempt();
  }

  #toCall(type: Notification['type'], events: Notification['events']): Call {
    const { subscription, plan, tools } = this;
    return {
      method: 'POST',
      path: '',
      body: (context) =>
        notificationBundle(context.space.release, {
          ...{ type, events, topic: plan.request.topic, content: plan.request.content },
          status: subscription.status,
          subscription: {
            fullUrl: `${tools.rootOf(context.space)}/Subscription/${subscription.id}`,
            id: subscription.id,
          },
          eventsSinceStart: Math.max(this.#numbered, events.at(-1)?.number ?? 0),
        }),
    };
  }

  /** Returns why a call failed; undefined: it arrived. */
  async #call(context: RequestContext, call: Call): Promise<Error | undefined> {
    const { subscription, plan, tools } = this;
    const { endpoint = '', timeoutSeconds, mime } = plan.request;
    if (!mayNotify(context.space.settings.limits.notificationHosts, endpoint))
      return new Error('this tenant sends no notifications to the host of this endpoint');
    const body = call.body(context);
    return tools.slots.run(
      { tenant: context.space.tenantNumber, endpoint, isFailing: this.#attempts > 0 },
      async () => {
        // It may have been switched off while it waited for its turn.
        const mayCall =
          tools.isHeld() && !this.#isClosed() && (await isCurrent(tools.services.database, this.#place()));
        if (!mayCall || this.#isClosed()) throw new SubscriptionRewritten();
        return tools.send({
          url: endpoint + call.path,
          method: call.method,
          headers: subscription.headers,
          body,
          contentType: mime ?? 'application/fhir+json',
          timeoutMs: timeoutSeconds === undefined ? DEFAULT_TIMEOUT_MS : timeoutSeconds * 1000,
          signal: this.#closing.signal,
        });
      },
    );
  }

  #place(): { space: number; key: string; version: number } {
    const { key, version, space } = this.subscription;
    return { space, key, version };
  }
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(1, Math.min(...known));
}

/** Without a payload, a classic notification only says that something happened. */
function classicContent({ request }: SubscriptionPlan): 'full-resource' | 'id-only' {
  return request.mime === undefined ? 'id-only' : 'full-resource';
}

/** The call of a classic Subscription; undefined: there is nothing to tell (any more). */
function classicCall(
  { request }: SubscriptionPlan,
  event: Notification['events'][number] | undefined,
): Call | undefined {
  const focus = event?.focus;
  if (focus === undefined || focus.change === 'delete') return undefined;
  if (request.mime === undefined) return { method: 'POST', path: '', body: () => undefined };
  const body = (): string | undefined => focus.text;
  if (request.classicMethod === 'POST') return { method: 'POST', path: '', body };
  return { method: 'PUT', path: `/${focus.reference}`, body };
}
