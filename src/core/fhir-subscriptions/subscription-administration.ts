import { SERVER_ACTOR } from '../versions/stored-version';
import type {
  DeliveryPage,
  RetriedSubscription,
  SubscriptionAdministration,
  SubscriptionDelivery,
  SubscriptionPlace,
} from '../api/subscription';
import type { RetryingWriter } from '../interactions/retrying-writer';
import type { Log, TenantSpace } from '../context';
import { workContext } from './delivery/work-context';
import { fhirError } from '../errors';
import { isRelease, type Release } from '../fhir/release';
import { isValidId } from '../fhir/resource';
import { setSubscriptionStatus, type FoundStatus } from '../interactions/subscription-status';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { WriteServices } from '../ports';
import type { DatabaseOptions } from '../storage/connection/database';
import { OwnerSession } from '../storage/connection/owner-session';
import {
  DELIVERIES_AT_ONCE,
  FIRST_KEY,
  hastenDelivery,
  newestEvents,
  readAllDeliveries,
  readDeliveries,
  readDelivery,
  type DeliveryRow,
  type PlacedDelivery,
} from '../storage/notifications/operator-work';
import { SubscriptionRewritten } from '../storage/notifications/subscription-state';
import { keyText } from '../storage/read/version-row';
import type { TenantRow, TenantStore } from '../storage/tenants/tenants';

export interface SubscriptionAdministrationOptions {
  readonly services: WriteServices;
  readonly database: DatabaseOptions;
  readonly store: Pick<TenantStore, 'find'>;
  readonly write: RetryingWriter;
  readonly log: Log;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

/** Subscriptions of one page. */
const PAGE = 100;
/** Statements for one page: a page of a rare status may be short. */
const MOST_READS = 10;
const EVENTS_SHOWN = 100;
const OFF_BY_ADMINISTRATOR = 'An administrator has switched it off';

/** Administrators' view of deliveries, and their changes; the server processes that have the Subscriptions deliver. */
export function createSubscriptionAdministration(
  options: SubscriptionAdministrationOptions,
): SubscriptionAdministration {
  const { database } = options.services;
  const find = (tenant: string, place: SubscriptionPlace): Promise<PlacedDelivery | undefined> =>
    findDelivery(options, tenant, place);
  return {
    list: ({ tenant, status, after } = {}) =>
      tenant === undefined
        ? listAll(options, status, after)
        : listOfTenant(options, { tenant, status, after }),
    async find(tenant, place) {
      const row = await find(tenant, place);
      if (row === undefined) return undefined;
      const made = await newestEvents(database, { ...row, limit: EVENTS_SHOWN });
      const events = made.map((event) => ({ ...event, isDelivered: event.number <= row.delivered }));
      return { delivery: toDelivery(row), events };
    },
    async retry(tenant, { release, id } = {}) {
      const retried: RetriedSubscription[] = [];
      for (const [name, space] of spacesOf(await requireTenant(options, tenant))) {
        if (release !== undefined && name !== release) continue;
        const rows =
          id === undefined ? allOf(options, space) : oneOf(await find(tenant, { release: name, id }));
        for await (const row of rows) {
          const status = await retry(options, { ...row, space, tenant, release: name });
          if (status !== undefined) retried.push({ release: name, id: row.id, status });
        }
      }
      return retried;
    },
    async switchOff(tenant, place) {
      const row = await find(tenant, place);
      if (row === undefined || row.status === 'off') return false;
      return setStatus(options, row, { status: 'off', error: OFF_BY_ADMINISTRATOR, keeps: true });
    },
    async switchOn(tenant, place) {
      const row = await find(tenant, place);
      if (row?.status !== 'off') return row && ((await retry(options, row)) ?? row.status);
      if (!row.hasAuthor) {
        const reason = `Subscription/${row.id} has no author any more: its client must write it with the status 'requested'`;
        throw fhirError('ruleViolated', { reason });
      }
      const { maxTenantSubscriptions: most } = options.services.limits;
      const isDone = await setStatus(options, row, { status: 'requested', error: undefined, most });
      return isDone ? 'requested' : (await find(tenant, place))?.status;
    },
  };
}

async function requireTenant({ store }: SubscriptionAdministrationOptions, name: string): Promise<TenantRow> {
  const tenant = await store.find(name);
  if (tenant === undefined) throw fhirError('unknownTenant');
  return tenant;
}

function spacesOf({ spaces }: TenantRow): readonly (readonly [release: Release, space: number])[] {
  return Object.entries(spaces)
    .flatMap(([name, number]) => (isRelease(name) ? [[name, number] as const] : []))
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

async function findDelivery(
  options: SubscriptionAdministrationOptions,
  tenant: string,
  { release, id }: SubscriptionPlace,
): Promise<PlacedDelivery | undefined> {
  const { services } = options;
  const space = (await requireTenant(options, tenant)).spaces[release];
  if (space === undefined || !isValidId(id)) return undefined;
  const row = await readDelivery(services.database, space, keyText(services.keys.keyOf(SUBSCRIPTION, id)));
  return row === undefined || !isListed(row) ? undefined : { ...row, space, tenant, release };
}

/** What a client has switched off or deleted is not administered. */
function isListed({ status, hasAuthor, failure }: DeliveryRow): boolean {
  return status !== 'off' || hasAuthor || failure !== undefined;
}

async function* allOf(
  { services: { database } }: SubscriptionAdministrationOptions,
  space: number,
): AsyncGenerator<DeliveryRow> {
  for (let after = FIRST_KEY; ;) {
    const rows = await readDeliveries(database, space, after);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < DELIVERIES_AT_ONCE) return;
    after = last.key;
  }
}

function oneOf<Row>(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row];
}

interface PageRequest {
  readonly status: DeliveryRow['status'] | undefined;
  readonly after: string | undefined;
}

/** `after` is the release and the key of the last row. */
async function listOfTenant(
  options: SubscriptionAdministrationOptions,
  { tenant, status, after }: PageRequest & { readonly tenant: string },
): Promise<DeliveryPage> {
  const { database } = options.services;
  const [from = '', key] = after === undefined ? [] : readPosition(after, /^(r4b?)\.(-?\d{1,19})$/);
  const page = new Page<PlacedDelivery>(status);
  for (const [release, space] of spacesOf(await requireTenant(options, tenant))) {
    if (release < from) continue;
    const first = release === from && key !== undefined ? key : FIRST_KEY;
    const read = async (row: PlacedDelivery | undefined): Promise<PlacedDelivery[]> =>
      (await readDeliveries(database, space, row?.key ?? first)).map((one) => ({
        ...{ ...one, space, tenant, release },
      }));
    if (!(await page.fill(read))) break;
  }
  return page.toAnswer(({ release, key: last }) => `${release}.${last}`);
}

/** `after` is the space and the key of the last row. */
async function listAll(
  { database }: SubscriptionAdministrationOptions,
  status: PageRequest['status'],
  after: PageRequest['after'],
): Promise<DeliveryPage> {
  const [space = '0', key = FIRST_KEY] =
    after === undefined ? [] : readPosition(after, /^(\d{1,9})\.(-?\d{1,19})$/);
  const session = await OwnerSession.open(database);
  try {
    const page = new Page<PlacedDelivery>(status);
    await page.fill((last) => readAllDeliveries(session, last?.space ?? Number(space), last?.key ?? key));
    return page.toAnswer((row) => `${row.space}.${row.key}`);
  } finally {
    await session.close();
  }
}

function readPosition(after: string, pattern: RegExp): readonly string[] {
  const [, ...parts] = pattern.exec(after) ?? [];
  if (parts.length > 0 && BigInt(parts[1] ?? '') >= BigInt(FIRST_KEY) && BigInt(parts[1] ?? '') < 2n ** 63n)
    return parts;
  throw fhirError('invalidValue', { reason: "The cursor must be the 'next' of an earlier answer" });
}

/** A page that is filled by some statements. */
class Page<Row extends PlacedDelivery> {
  readonly #rows: Row[] = [];
  #reads = 0;
  #last: Row | undefined;
  #hasMore = false;

  constructor(private readonly status: PageRequest['status']) {}

  /** Adds the rows that `read` returns after a row, until they end. False: the page is complete before. */
  async fill(read: (after: Row | undefined) => Promise<readonly Row[]>): Promise<boolean> {
    for (let last: Row | undefined; ;) {
      if (this.#reads++ === MOST_READS) return this.#stop();
      const rows = await read(last);
      for (const row of rows) {
        if (this.#rows.length === PAGE) return this.#stop();
        this.#last = last = row;
        const fits = isListed(row) && (this.status === undefined || row.status === this.status);
        if (fits && row.tenant !== undefined) this.#rows.push(row);
      }
      if (rows.length < DELIVERIES_AT_ONCE) return true;
    }
  }

  #stop(): false {
    this.#hasMore = true;
    return false;
  }

  toAnswer(positionOf: (row: Row) => string): DeliveryPage {
    const last = this.#hasMore ? this.#last : undefined;
    return { subscriptions: this.#rows.map(toDelivery), next: last && positionOf(last) };
  }
}

async function retry(
  options: SubscriptionAdministrationOptions,
  row: PlacedDelivery,
): Promise<'requested' | 'active' | undefined> {
  const { status, attempts, space, key } = row;
  if (status === 'active' && attempts > 0)
    return (await hastenDelivery(options.services.database, space, key)) ? 'active' : undefined;
  if (status !== 'error') return undefined;
  return (await setStatus(options, row, { status: 'requested', error: undefined })) ? 'requested' : undefined;
}

/** False: its client has written it meanwhile, and decides. */
async function setStatus(
  { services, write, findSpace, log }: SubscriptionAdministrationOptions,
  { tenant = '', release, id, version: of }: PlacedDelivery,
  to: Omit<FoundStatus, 'id' | 'of'>,
): Promise<boolean> {
  const space = await findSpace(tenant, release);
  if (space === undefined) throw fhirError('unknownTenant');
  const context = workContext(log, space, { actor: SERVER_ACTOR });
  try {
    await write(context, SUBSCRIPTION, (current) =>
      setSubscriptionStatus(services, current, { id, of, ...to }),
    );
    return true;
  } catch (error) {
    if (error instanceof SubscriptionRewritten) return false;
    throw error;
  }
}

function toDelivery(row: PlacedDelivery): SubscriptionDelivery {
  const { tenant = '', release, id, status, endpoint, numbered, delivered, attempts } = row;
  const { failingSince, nextAttempt, failure, lastArrival, hasAuthor } = row;
  return {
    ...{ tenant, release, id, status },
    endpoint: endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint).origin : undefined,
    ...{ events: numbered, delivered, waiting: numbered - delivered, attempts },
    ...{ failingSince, nextAttempt, failure, lastArrival },
    canResume: status === 'off' && hasAuthor,
  };
}
