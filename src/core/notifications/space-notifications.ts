/** The Subscriptions of one space: which changes are their events, and their deliveries. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { permissionsOf } from '../authorization/visibility';
import type { StoredVersion } from '../api/version';
import type { Log, TenantSpace } from '../context';
import { FhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import { SUBSCRIPTION } from '../preparation/subscription';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import { forgetSubscriptions, removeOldEvents } from '../storage/notifications/events';
import {
  advanceFeed,
  readFeedState,
  restFeed,
  type NewEvent,
  type StoredSubscription,
} from '../storage/notifications/feeds';
import { readFeedOf } from '../storage/read/feed';
import { MAX_PAGE_BYTES } from '../storage/read/version-read';
import type { PageRow } from '../storage/read/version-row';
import type { ChangeFilter } from '../subscriptions/change-filter';
import { PageChanges, type Kind } from '../subscriptions/page-changes';
import { SubscriptionRewritten } from '../storage/notifications/subscription-state';
import { CandidateIndex } from './candidate-index';
import { Delivery, type DeliveryTools } from './delivery';
import { topicType } from './find-topic';
import { eventsOf, filtersOf, planSubscription, type SubscriptionPlan } from './subscription-plan';
import { readSubscription, type SubscriptionRequest } from './subscription-request';

export interface SpaceTools extends DeliveryTools {
  readonly worker: string;
  readonly log: Log;
  /** The space as it is now; undefined: its tenant is disabled. */
  findSpace(): Promise<TenantSpace | undefined>;
  /** The current version of a Subscription, without regard to rights. Throws notFound, gone. */
  readSubscription(space: TenantSpace, id: string): Promise<StoredVersion>;
  /** Tells other processes that there are new events. */
  announce(): void;
  readonly limits: { readonly retryMs: number; readonly keptMs: number; readonly pollMs: number };
}

/** Changes that one statement reads. */
const PAGE = 200;
/** Milliseconds between two reads. */
const GATHER_MS = 40;
/** Milliseconds after which the position is stored although there were no events. */
const STORE_MS = 1_000;
const CLEAN_MS = 60_000;
/** Milliseconds after which the state is read again, because rights of authors may have changed. */
const LOADED_MS = 10_000;
/** Milliseconds of planning after which the event loop serves other requests. */
const TURN_MS = 10;

/** Errors for a Subscription that does not exist (any more). */
const IS_MISSING: ReadonlySet<string> = new Set(['notFound', 'gone']);

interface Running {
  readonly delivery: Delivery;
  readonly plan: SubscriptionPlan;
  /** The permissions of the author for which it was planned. */
  readonly permissions: string | undefined;
  /** `#topicChanges` when it was planned. */
  readonly topicChanges: number;
}

export class SpaceNotifications {
  readonly #running = new Map<string, Running>();
  #candidates = new CandidateIndex<string>();
  /** Changes up to this version-sequence have become events. */
  #position = 0;
  /** The position in the database; changes after it that were no events may be read again. */
  #storedPosition = 0;
  #storedAt = -Infinity;
  /** The count of writes of Subscriptions that `#running` knows; undefined: nothing was read yet. */
  #changes: number | undefined;
  #knownChanges = 0;
  #loadedAt = -Infinity;
  /** Counts the changes of topics of the tenant. */
  #topicChanges = 0;
  #cleanedAt = performance.now();
  #isWoken = true;
  readonly #closing = new AbortController();
  #ring: (() => void) | undefined;
  #isFailing = false;
  readonly #working: Promise<void>;

  constructor(
    private readonly tools: SpaceTools,
    private readonly number: number,
    /** Called when nothing is left to do, or another process has the space. */
    private readonly onEnd: () => void,
  ) {
    this.#working = this.#work();
  }

  get counts(): { readonly running: number; readonly failing: number } {
    const all = [...this.#running.values()];
    return { running: all.length, failing: all.filter(({ delivery }) => delivery.isFailing).length };
  }

  /** There may be changes. */
  wake(): void {
    this.#isWoken = true;
    this.#ring?.();
  }

  /** The count of writes of Subscriptions as the database has it. */
  noteChanges(changes: number): void {
    this.#knownChanges = changes;
    if (changes !== this.#changes) this.wake();
  }

  /** Ends all deliveries; resolves when no call is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const { delivery } of this.#running.values()) delivery.close();
    this.#ring?.();
    await this.#working;
    await Promise.all([...this.#running.values()].map(({ delivery }) => delivery.ended()));
  }

  /** A method, because TypeScript takes a property for unchanged after an `await`. */
  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #work(): Promise<void> {
    while (!this.#isClosed()) {
      this.#isWoken = false;
      let waitMs = this.tools.limits.pollMs;
      try {
        if (await this.#step()) waitMs = 0;
        this.#isFailing = false;
      } catch (error) {
        if (!isDatabaseTrouble(error) && !this.#isFailing)
          this.tools.log.warn({ fault: faultOf(error) }, 'Subscriptions wait: changes cannot be read');
        this.#isFailing = true;
        this.#isWoken = false;
      }
      if (this.#isClosed()) return;
      if (waitMs > 0) await this.#pause(waitMs);
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    // Changes of the next moments are read together.
    await sleep(GATHER_MS);
    if (this.#isWoken || this.#isClosed()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#ring = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#ring = undefined;
  }

  #end(): void {
    this.#closing.abort();
    for (const { delivery } of this.#running.values()) delivery.close();
    this.onEnd();
  }

  /** Reads a page of changes and makes its events. True: there may be more. */
  async #step(): Promise<boolean> {
    const space = await this.tools.findSpace();
    if (space === undefined) {
      for (const { delivery } of this.#running.values()) delivery.close();
      this.#running.clear();
      this.#changes = undefined;
      return false;
    }
    if (!this.tools.isHeld()) return false;
    const isDue = performance.now() - this.#loadedAt > LOADED_MS;
    if (this.#changes === undefined || this.#changes !== this.#knownChanges || isDue) await this.#load(space);
    if (this.#isClosed()) return false;
    if (this.#running.size === 0) return this.#rest();
    await this.#clean();
    const rows = await this.#readPage(space);
    const last = rows.at(-1);
    if (last === undefined) return false;
    const decisive = rows.filter((row) => this.#decidesPlans(space, row));
    if (decisive.length > 0) {
      const position = this.#position;
      const subscriptions = this.tools.services.definitions(space.release).typeNumber(SUBSCRIPTION);
      if (decisive.some(({ type }) => type !== subscriptions)) this.#topicChanges++;
      await this.#load(space);
      // Another process had the space for a while, and has made events of these changes.
      if (this.#position !== position) return true;
    }
    const events = await this.#match(space, rows);
    if (!(await this.#advance(last.sequence, events))) {
      // The state may be of a lost answer, or another process has the space.
      this.#changes = undefined;
      this.#storedPosition = -1;
      return true;
    }
    return rows.length === PAGE;
  }

  /** Makes the events, and moves on to a position. False: the database is at another one. */
  async #advance(to: number, events: readonly NewEvent[]): Promise<boolean> {
    const isDue = performance.now() - this.#storedAt > STORE_MS;
    if (events.length === 0 && !isDue) {
      this.#position = to;
      return true;
    }
    const { worker, services } = this.tools;
    const step = { worker, from: this.#storedPosition, to, events };
    const numbers = await advanceFeed(services.database, this.number, step);
    if (numbers === undefined) return false;
    this.#position = to;
    this.#storedPosition = to;
    this.#storedAt = performance.now();
    for (const [key, number] of numbers) this.#running.get(key)?.delivery.wake(number);
    if (numbers.size > 0) this.tools.announce();
    return true;
  }

  /** Gives the space up while no Subscription runs. */
  async #rest(): Promise<boolean> {
    const { worker, services } = this.tools;
    const changes = this.#changes ?? 0;
    if (await restFeed(services.database, { worker, space: this.number, changes })) this.#end();
    else this.#changes = undefined;
    return false;
  }

  async #clean(): Promise<void> {
    const { services, limits } = this.tools;
    if (performance.now() - this.#cleanedAt < CLEAN_MS) return;
    if (!(await removeOldEvents(services.database, this.number, limits.keptMs)))
      this.#cleanedAt = performance.now();
  }

  async #readPage(space: TenantSpace): Promise<readonly PageRow[]> {
    const definitions = this.tools.services.definitions(space.release);
    const types = new Set<number>();
    for (const name of [SUBSCRIPTION, topicType(space.release)]) types.add(definitions.typeNumber(name) ?? 0);
    for (const { plan } of this.#running.values())
      for (const { filter } of plan.triggers) types.add(filter.typeNumber ?? 0);
    const rows = await readFeedOf(this.tools.services.database, this.number, {
      types,
      since: this.#position,
      limit: PAGE,
    });
    let bytes = 0;
    const end = rows.findIndex((row, index) => {
      bytes += row.omittedBytes ?? row.body.length;
      return index > 0 && bytes > MAX_PAGE_BYTES;
    });
    return end === -1 ? rows : rows.slice(0, end);
  }

  /** True for a change of a Subscription or a topic. */
  #decidesPlans({ release }: TenantSpace, { type, body }: PageRow): boolean {
    const name = this.tools.services.definitions(release).typeName(type);
    if (name === SUBSCRIPTION) return true;
    return (
      name === topicType(release) && (name !== 'Basic' || body === '' || body.includes('SubscriptionTopic'))
    );
  }

  /** Reads the state of all Subscriptions, and plans those that are new or whose rights have changed. */
  async #load(space: TenantSpace): Promise<void> {
    const state = await readFeedState(this.tools.services.database, this.number, this.tools.worker);
    if (state === undefined) {
      this.#end();
      return;
    }
    // A reload must not go back to what the database does not know yet.
    if (state.position !== this.#storedPosition) this.#position = state.position;
    this.#storedPosition = state.position;
    const found = new Set<string>();
    let turnSince = performance.now();
    for (const stored of state.subscriptions) {
      found.add(stored.key);
      await this.#take(space, stored);
      if (performance.now() - turnSince < TURN_MS) continue;
      await nextTurn();
      turnSince = performance.now();
    }
    for (const [key, { delivery }] of this.#running) {
      if (found.has(key)) continue;
      delivery.close();
      this.#running.delete(key);
    }
    this.#candidates = new CandidateIndex();
    for (const [key, { plan }] of this.#running)
      for (const { filter } of plan.triggers) this.#candidates.add(key, filter);
    this.#changes = state.changes;
    this.#knownChanges = state.changes;
    this.#loadedAt = performance.now();
  }

  async #take(space: TenantSpace, stored: StoredSubscription): Promise<void> {
    const before = this.#running.get(stored.key);
    const isSame =
      before?.delivery.subscription.version === stored.version &&
      before.delivery.subscription.status === stored.status;
    try {
      const context = await this.tools.contextOf(stored);
      const permissions = permissionsOf(this.tools.services, context)?.key;
      const topicChanges = this.#topicChanges;
      if (isSame && before.permissions === permissions) {
        const isOwnTopic = before.plan.topic?.isBuiltIn === false;
        if (isOwnTopic && before.topicChanges !== topicChanges) {
          const plan = await planSubscription(this.tools.services, context, before.plan.request);
          this.#running.set(stored.key, { ...before, plan, topicChanges });
        }
        before.delivery.continueWith(stored);
        return;
      }
      const request = isSame ? before.plan.request : await this.#requestOf(space, stored);
      const plan = await planSubscription(this.tools.services, context, request);
      before?.delivery.close();
      const delivery = new Delivery(this.tools, stored, plan);
      this.#running.set(stored.key, { delivery, plan, permissions, topicChanges });
    } catch (error) {
      await this.#fail(stored, error);
    }
  }

  /** Ends what cannot run any more: with `off` if its author has lost all access, else with `error`. */
  async #fail(stored: StoredSubscription, error: unknown): Promise<void> {
    const isTrouble: boolean = isDatabaseTrouble(error);
    if (isTrouble || !(error instanceof FhirError)) throw error;
    const status = error.key === 'unauthorized' || IS_MISSING.has(error.key) ? 'off' : 'error';
    if (stored.status === status) return;
    const before = this.#running.get(stored.key);
    before?.delivery.close();
    this.#running.delete(stored.key);
    try {
      await this.tools.setStatus(
        stored,
        status,
        error.issues.map(({ diagnostics }) => diagnostics).join('; '),
      );
    } catch (other) {
      if (other instanceof SubscriptionRewritten) return;
      if (!(other instanceof FhirError) || !IS_MISSING.has(other.key)) throw other;
      const { database } = this.tools.services;
      const lane = { lane: 'read', space: this.number } as const;
      await forgetSubscriptions((...of) => database.run(lane, ...of), this.number, [stored.key]);
    }
  }

  /** The Subscription as its client wrote it. */
  async #requestOf(space: TenantSpace, { id }: StoredSubscription): Promise<SubscriptionRequest> {
    const { text } = await this.tools.readSubscription(space, id);
    const read = readSubscription(parseStoredObject(text), space.release);
    if ('issues' in read) throw new FhirError('ruleViolated', read.issues);
    return read.request;
  }

  /** The events that the changes of a page are, in the order of the page for each Subscription. */
  async #match(space: TenantSpace, rows: readonly PageRow[]): Promise<readonly NewEvent[]> {
    const page = new PageChanges(this.tools.services, space, rows);
    const concerned = new Set<string>();
    for (const row of rows) {
      const version = this.#candidates.needsVersion(row.type) ? await page.tested(row) : undefined;
      this.#candidates.collect(concerned, row.type, version);
    }
    const last = rows.at(-1)?.sequence ?? 0;
    const kinds = new Map<string, Promise<readonly (Kind | undefined)[]>>();
    const kindsOf = (filter: ChangeFilter): Promise<readonly (Kind | undefined)[]> => {
      let found = kinds.get(filter.name);
      if (found === undefined) kinds.set(filter.name, (found = page.kindsFor(filter)));
      return found;
    };
    const events: NewEvent[] = [];
    for (const key of concerned) {
      const running = this.#running.get(key);
      if (running === undefined || running.delivery.subscription.since >= last) continue;
      const { plan, delivery } = running;
      try {
        const context = await this.tools.contextOf(delivery.subscription);
        for (const filter of filtersOf(plan)) await filter.prepare(context);
        for (const { sequence } of await eventsOf(plan, page, kindsOf)) events.push({ key, sequence });
      } catch (error) {
        await this.#fail(delivery.subscription, error);
      }
    }
    return events;
  }
}

function faultOf(error: unknown): string {
  return error instanceof FhirError ? error.key : error instanceof Error ? error.message : 'unknown';
}
