import { isJsonObject, stringifyJson, type JsonObject, type JsonValue } from '../fhir/json';
import type { Release } from '../fhir/release';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import type { OwnerSession } from '../storage/connection/owner-session';
import {
  addMovedEvents,
  addMovedFeed,
  addMovedState,
  removeMoved,
  SUBSCRIPTION_TABLES,
  type MovedEvent,
} from '../storage/tenants/moved-subscriptions';
import { isValidId } from '../fhir/resource';

export interface ImportedSubscriptionsOptions {
  readonly session: OwnerSession;
  /** False: nothing is kept, and rows of Subscriptions are ignored. */
  readonly isKept: boolean;
  readonly spaces: ReadonlyMap<Release, number>;
  /** The last version-sequence of the export. */
  lastOf(release: Release): number;
  /** The key of a Subscription in decimal form. */
  keyOf(id: string): string;
}

const EVENTS_AT_ONCE = 500;
const MEMBERS: ReadonlySet<string> = new Set([
  ...[
    'release',
    'id',
    'version',
    'status',
    'since',
    'author',
    'endpoint',
    'headers',
    'numbered',
    'delivered',
  ],
]);

/** The Subscriptions that an import keeps running. */
export class ImportedSubscriptions {
  readonly #states = new Set<string>();
  readonly #positions = new Map<Release, number>();
  #events: { readonly space: number; readonly event: Omit<MovedEvent, 'id'> & { key: string } }[] = [];
  #isEnded = false;
  /** Kept Subscriptions that are not off. */
  running = 0;

  constructor(private readonly options: ImportedSubscriptionsOptions) {}

  static isTable(table: JsonValue | undefined): boolean {
    return SUBSCRIPTION_TABLES.some((each) => each === table);
  }

  /** Removes what an earlier call has added. */
  async begin(): Promise<void> {
    await removeMoved(this.options.session, [...this.options.spaces.values()]);
  }

  /** True: the versions of this Subscription keep their status. */
  keeps(release: Release, id: JsonValue | undefined): boolean {
    return typeof id === 'string' && this.#states.has(`${release} ${id}`);
  }

  /** Adds a row of one of the tables. False: it is no such row, or comes after `endRows`. */
  async add(table: string, row: JsonObject): Promise<boolean> {
    if (!this.options.isKept) return true;
    if (this.#isEnded) return false;
    try {
      if (table === 'subscription_feed') return this.#addFeed(row);
      return await (table === 'subscription' ? this.#addState(row) : this.#addEvent(row));
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      return false;
    }
  }

  /** Must be called before the first version, whose status depends on the rows. False: they have events that are none. */
  async endRows(): Promise<boolean> {
    if (this.#isEnded) return true;
    this.#isEnded = true;
    return this.#flush();
  }

  async #flush(): Promise<boolean> {
    try {
      for (const space of new Set(this.#events.map((one) => one.space)))
        await addMovedEvents(
          this.options.session,
          space,
          this.#events.filter((one) => one.space === space).map(({ event }) => event),
        );
      this.#events = [];
      return true;
    } catch (error) {
      if (isDatabaseTrouble(error)) throw error;
      return false;
    }
  }

  /** Lets deliveries begin, as soon as the tenant is active. */
  async end(): Promise<void> {
    for (const [release, position] of this.#positions) {
      const space = this.options.spaces.get(release);
      if (space !== undefined) await addMovedFeed(this.options.session, space, position);
    }
  }

  #addFeed({ release, position }: JsonObject): boolean {
    const place = this.#placeOf(release);
    if (place === undefined || !isSequence(position) || position > place.last) return false;
    this.#positions.set(place.release, position);
    return true;
  }

  async #addState(row: JsonObject): Promise<boolean> {
    const { release, id, status, headers, author } = row;
    const place = this.#placeOf(release);
    if (place === undefined || !this.#positions.has(place.release) || !isId(id)) return false;
    const isWhole = Array.isArray(headers) && headers.every((header) => typeof header === 'string');
    if (!isWhole || Object.keys(row).some((name) => !MEMBERS.has(name))) return false;
    // Without its author, nobody's rights would restrict it.
    if (status !== 'off' && !isJsonObject(author)) return false;
    const key = this.options.keyOf(id);
    await addMovedState(this.options.session, place.space, { key, row: stringifyJson(row, false) });
    this.#states.add(`${place.release} ${id}`);
    if (status !== 'off') this.running += 1;
    return true;
  }

  async #addEvent({ release, id, number, sequence, made }: JsonObject): Promise<boolean> {
    const place = this.#placeOf(release);
    if (place === undefined || !isId(id) || !this.keeps(place.release, id)) return false;
    if (!isCount(number) || !isSequence(sequence) || sequence > place.last) return false;
    if (typeof made !== 'string' || Number.isNaN(Date.parse(made))) return false;
    const key = this.options.keyOf(id);
    this.#events.push({ space: place.space, event: { key, number, sequence, made } });
    return this.#events.length < EVENTS_AT_ONCE || this.#flush();
  }

  #placeOf(
    release: JsonValue | undefined,
  ): { readonly release: Release; readonly space: number; readonly last: number } | undefined {
    for (const [each, space] of this.options.spaces)
      if (each === release) return { release: each, space, last: this.options.lastOf(each) };
    return undefined;
  }
}

function isId(id: JsonValue | undefined): id is string {
  return typeof id === 'string' && isValidId(id);
}

function isSequence(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 2_147_483_647;
}
