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
  readDeliveries,
  listAllDeliveries,
  listDeliveries,
  readDelivery,
  type DeliveryPosition,
  type DeliveryRow,
  type ListedDelivery,
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

/** What needs a person first, then by release and id. Cost: a statement for each release. */
async function listOfTenant(
  options: SubscriptionAdministrationOptions,
  { tenant, status, after }: PageRequest & { readonly tenant: string },
): Promise<DeliveryPage> {
  const { database } = options.services;
  const listing = { status, after: readPosition(after), limit: PAGE + 1 };
  const rows: ListedDelivery[] = [];
  for (const [release, space] of spacesOf(await requireTenant(options, tenant)))
    rows.push(...(await listDeliveries(database, { space, tenant, release }, listing)));
  const key = ({ rank, release, id }: ListedDelivery): string => `${rank} ${release} ${id}`;
  return toPage(rows.sort((one, other) => (key(one) < key(other) ? -1 : 1)));
}

/** What needs a person first, then by tenant, release and id. */
async function listAll(
  { database }: SubscriptionAdministrationOptions,
  status: PageRequest['status'],
  after: PageRequest['after'],
): Promise<DeliveryPage> {
  const listing = { status, after: readPosition(after), limit: PAGE + 1 };
  const session = await OwnerSession.open(database);
  try {
    return toPage(await listAllDeliveries(session, listing));
  } finally {
    await session.close();
  }
}

const POSITION = /^([0-4])\.([a-z0-9-]{1,63})\.(r4b?)\.([A-Za-z0-9\-.]{1,64})$/;

function readPosition(after: string | undefined): DeliveryPosition | undefined {
  if (after === undefined) return undefined;
  const [, rank, tenant = '', release = '', id = ''] = POSITION.exec(after) ?? [];
  if (rank === undefined || !isRelease(release))
    throw fhirError('invalidValue', { reason: "The cursor must be the 'next' of an earlier answer" });
  return { rank: Number(rank), tenant, release, id };
}

/** The first rows of those that were read, one more than a page has. */
function toPage(rows: readonly ListedDelivery[]): DeliveryPage {
  const page = rows.slice(0, PAGE);
  const last = rows.length > PAGE ? page.at(-1) : undefined;
  return {
    subscriptions: page.map(toDelivery),
    next: last && [last.rank, last.tenant, last.release, last.id].join('.'),
  };
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
