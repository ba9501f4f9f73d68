/** The Subscriptions of one space: which changes are their events, and their deliveries. */
import { type SpaceCounts } from '../../api/subscription';
import type { Log, TenantSpace } from '../../context';
import { isNoDatabaseTrouble } from '../../storage/connection/database-error';
import { removeOldEvents } from '../../storage/notifications/events';
import {
  advanceFeed,
  readFeedState,
  restFeed,
  type NewEvent,
  type OwnFeed,
} from '../../storage/notifications/feeds';
import type { PageRow } from '../../storage/read/version-row';
import type { ChangeFilter } from '../../change-feed/change-filter';
import { PageChanges, type Kind } from '../../change-feed/page-changes';
import { PollingLoop } from '../../concurrency/polling-loop';
import { readChanges, type ChangesRead } from '../../change-feed/read-changes';
import { RunningSubscriptions, type RunningTools } from './running-subscriptions';
import { eventsOf, filtersOf } from '../subscription-plan';

export interface SpaceTools extends RunningTools {
  readonly worker: string;
  readonly log: Log;
  /** The space as it is now; undefined: its tenant is disabled. */
  findSpace(): Promise<TenantSpace | undefined>;
  /** Tells other processes that there are new events. */
  announce(): void;
  readonly limits: { readonly retryMs: number; readonly keptMs: number; readonly pollMs: number };
}

/** Milliseconds in which changes gather: those of the next moments are read together. */
const GATHER_MS = 40;
/** Milliseconds after which the position is stored although there were no events. */
const STORE_MS = 1_000;
const CLEAN_MS = 60_000;
/** Milliseconds after which work that the database interrupted is tried again. */
const TROUBLE_MS = 500;
/** Milliseconds after which the state is read again, because rights of authors may have changed. */
const LOADED_MS = 10_000;

export class SpaceNotifications {
  readonly #running: RunningSubscriptions;
  /** Changes up to this version-sequence have become events. */
  #position = 0;
  /** The position in the database; changes after it that were no events may be read again. */
  #storedPosition = 0;
  #storedAt = -Infinity;
  /** The count of writes of Subscriptions that `#running` knows; undefined: nothing was read yet. */
  #changes: number | undefined;
  #knownChanges = 0;
  #knownLast = 0;
  #loadedAt = -Infinity;
  #cleanedAt = performance.now();
  readonly #loop: PollingLoop;

  constructor(
    private readonly tools: SpaceTools,
    private readonly number: number,
    /** Called when nothing is left to do, or another process has the space. */
    private readonly onEnd: () => void,
  ) {
    this.#running = new RunningSubscriptions(tools, number);
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      retryMs: TROUBLE_MS,
      gatherMs: GATHER_MS,
      log: tools.log,
      trouble: 'Subscriptions wait: changes cannot be read',
      isReported: isNoDatabaseTrouble,
    });
    this.#loop.start();
  }

  get counts(): SpaceCounts {
    const { size, failing, inError } = this.#running;
    return { running: size, failing, inError };
  }

  /** There may be changes. */
  wake(): void {
    this.#loop.wake();
  }

  /** Notes the counters of each beat, which tell of writes and of changed Subscriptions. */
  note({ changes, last }: Pick<OwnFeed, 'changes' | 'last'>): void {
    const isSame = changes === this.#changes && last === this.#knownLast;
    this.#knownChanges = changes;
    this.#knownLast = last;
    if (!isSame) this.wake();
  }

  /** Ends all deliveries; resolves when no call is under way. */
  async close(): Promise<void> {
    const closing = [this.#loop.close(), this.#running.close()];
    await Promise.all(closing);
    await this.#running.close();
  }

  async #round(): Promise<number> {
    if (await this.#step()) return 0;
    return this.tools.isHeld() ? this.tools.limits.pollMs : TROUBLE_MS;
  }

  #end(): void {
    this.#loop.stop();
    this.onEnd();
  }

  /** Reads a page of changes and makes its events. True: there may be more. */
  async #step(): Promise<boolean> {
    const space = await this.tools.findSpace();
    if (space === undefined) {
      this.#running.clear();
      this.#changes = undefined;
      return false;
    }
    if (!this.tools.isHeld()) return false;
    const isDue = performance.now() - this.#loadedAt > LOADED_MS;
    if (this.#changes === undefined || this.#changes !== this.#knownChanges || isDue) await this.#load(space);
    if (this.#loop.isClosed) return false;
    if (this.#running.size === 0) return this.#rest();
    await this.#clean();
    const { rows, isMore } = await this.#readPage(space);
    const last = rows.at(-1);
    if (last === undefined) return false;
    if (this.#running.noteChanges(space, rows)) {
      const position = this.#position;
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
    return isMore;
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

  #readPage(space: TenantSpace): Promise<ChangesRead> {
    return readChanges(this.tools.services.database, this.number, {
      types: this.#running.types(space),
      since: this.#position,
    });
  }

  /** Reads the state of all Subscriptions. */
  async #load(space: TenantSpace): Promise<void> {
    const state = await readFeedState(this.tools.services.database, this.number, this.tools.worker);
    if (state === undefined) {
      this.#end();
      return;
    }
    // A reload must not go back to what the database does not know yet.
    if (state.position !== this.#storedPosition) this.#position = state.position;
    this.#storedPosition = state.position;
    await this.#running.load(space, state.subscriptions);
    this.#changes = state.changes;
    this.#knownChanges = state.changes;
    this.#loadedAt = performance.now();
  }

  /** The events that the changes of a page are, in the order of the page for each Subscription. */
  async #match(space: TenantSpace, rows: readonly PageRow[]): Promise<readonly NewEvent[]> {
    const page = new PageChanges(this.tools.services, space, rows);
    const concerned = new Set<string>();
    for (const row of rows) {
      const version = this.#running.needsVersion(row.type) ? await page.tested(row) : undefined;
      this.#running.collect(concerned, row.type, version);
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
        await this.#running.fail(delivery.subscription, error);
      }
    }
    return events;
  }
}
