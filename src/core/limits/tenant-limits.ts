import { NOTIFICATION_HOSTS_EXPECTED, parseNotificationHosts } from './notification-hosts';
import { parseRates, printRates, RATES_EXPECTED, type Rate } from '../memory/rate';
import { isValidId } from '../fhir/resource';

/** The rate limits of a tenant. */
export interface RequestRates {
  /** Limits on all requests of the tenant together. */
  readonly tenant: readonly Rate[];
  /** Limits on each client that is not in `clients`. */
  readonly client: readonly Rate[];
  /** Limits by client id. */
  readonly clients: ReadonlyMap<string, readonly Rate[]>;
}

/** Limits of a tenant, which protect other tenants. */
export interface TenantLimits {
  /** Undefined: requests are not counted. */
  readonly rates?: RequestRates;
  /** Concurrent requests in each process; undefined: no limit. */
  readonly maxRequests?: number;
  /** Resources in both releases, without deleted ones; undefined: no limit. */
  readonly maxResources?: number;
  /** Bytes of the texts of all versions in both releases; undefined: no limit. */
  readonly maxBytes?: number;
  /** Hosts to which notifications of Subscriptions may go; undefined: all. */
  readonly notificationHosts?: readonly string[];
}

type Stored = Readonly<Record<string, string>>;

interface LimitSetting {
  /** Name for operators, also used in storage. */
  readonly name: string;
  readonly expects: string;
  /** The server setting with the default for tenants. */
  readonly defaultFrom: string;
  readonly meaning: string;
  accepts(text: string): boolean;
}

const RATE: Pick<LimitSetting, 'expects' | 'accepts'> = {
  expects: RATES_EXPECTED,
  accepts(text) {
    const rates = parseRates(text);
    return rates !== undefined && printRates(rates) === text;
  },
};

const QUOTA_EXPECTED = 'off or a whole number of at most 15 digits';

/** Undefined: the text is invalid; Infinity: `off`. */
function parseQuota(text: string): number | undefined {
  if (text === 'off') return Infinity;
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

const QUOTA: Pick<LimitSetting, 'expects' | 'accepts'> = {
  expects: QUOTA_EXPECTED,
  accepts: (text) => parseQuota(text) !== undefined,
};

/** Undefined: the text is invalid; Infinity: `off`. */
function parseMaxRequests(text: string): number | undefined {
  if (text === 'off') return Infinity;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

const TENANT_RATE = 'rate-limit';
const CLIENT_RATE = 'rate-limit-client';
/** Prefix; a client id follows. */
const OF_CLIENT = 'rate-limit-client.';
const MAX_REQUESTS = 'max-requests';
const RESOURCES = 'quota-resources';
const BYTES = 'quota-bytes';
const NOTIFICATION_HOSTS = 'notification-hosts';

/** The settings for a tenant's limits. docs/reference/configuration.md is generated from them. */
export const LIMIT_SETTINGS: readonly LimitSetting[] = [
  {
    name: TENANT_RATE,
    ...RATE,
    defaultFrom: 'RATE_LIMIT_TENANT',
    meaning: 'Requests of the tenant per second (s) or minute (m), over all of its clients and all processes',
  },
  {
    name: CLIENT_RATE,
    ...RATE,
    defaultFrom: 'RATE_LIMIT_CLIENT',
    meaning: 'Requests of each client; `rate-limit-client.ID` applies only to the client with that id',
  },
  {
    name: MAX_REQUESTS,
    expects: 'off or a whole number from 1 to 999999999',
    accepts: (text) => parseMaxRequests(text) !== undefined,
    defaultFrom: 'MAX_REQUESTS_TENANT',
    meaning: 'Concurrent requests of the tenant in each process',
  },
  {
    name: RESOURCES,
    ...QUOTA,
    defaultFrom: 'QUOTA_RESOURCES',
    meaning: 'Maximum number of resources of the tenant, of both releases, without deleted ones',
  },
  {
    name: BYTES,
    ...QUOTA,
    defaultFrom: 'QUOTA_BYTES',
    meaning: 'Maximum size in bytes of the texts of all its versions, of both releases',
  },
  {
    name: NOTIFICATION_HOSTS,
    expects: NOTIFICATION_HOSTS_EXPECTED,
    accepts: (text) => parseNotificationHosts(text) !== undefined,
    defaultFrom: 'NOTIFICATION_HOSTS',
    meaning:
      'Hosts to which notifications of Subscriptions may go, and from which manifests of $import may name files; off: all',
  },
];

/** Undefined: there is no such limit setting. */
export function findLimitSetting(name: string): Pick<LimitSetting, 'expects' | 'accepts'> | undefined {
  if (name.startsWith(OF_CLIENT)) return isValidId(name.slice(OF_CLIENT.length)) ? RATE : undefined;
  return LIMIT_SETTINGS.find((setting) => setting.name === name);
}

/**
 * Returns the effective limits. Ignores values that this program cannot parse, because another version has set them.
 */
export function toTenantLimits(stored: Stored, defaults: TenantLimits): TenantLimits {
  const ratesOf = (name: string): readonly Rate[] | undefined => {
    const text = stored[name];
    return text === undefined ? undefined : parseRates(text);
  };
  const tenant = ratesOf(TENANT_RATE) ?? defaults.rates?.tenant ?? [];
  const client = ratesOf(CLIENT_RATE) ?? defaults.rates?.client ?? [];
  const clients = new Map<string, readonly Rate[]>();
  for (const name of Object.keys(stored)) {
    const rates = name.startsWith(OF_CLIENT) ? ratesOf(name) : undefined;
    if (rates !== undefined) clients.set(name.slice(OF_CLIENT.length), rates);
  }
  const isCounted = tenant.length > 0 || client.length > 0 || clients.size > 0;
  return {
    ...(isCounted ? { rates: { tenant, client, clients } } : {}),
    ...toMaxRequests(parseMaxRequests(stored[MAX_REQUESTS] ?? '') ?? defaults.maxRequests),
    ...toQuotas(
      parseQuota(stored[RESOURCES] ?? '') ?? defaults.maxResources,
      parseQuota(stored[BYTES] ?? '') ?? defaults.maxBytes,
    ),
    ...toNotificationHosts(
      parseNotificationHosts(stored[NOTIFICATION_HOSTS] ?? '') ?? defaults.notificationHosts,
    ),
  };
}

function toMaxRequests(maxRequests = Infinity): Pick<TenantLimits, 'maxRequests'> {
  return maxRequests === Infinity ? {} : { maxRequests };
}

function toNotificationHosts(hosts: readonly string[] = []): Pick<TenantLimits, 'notificationHosts'> {
  return hosts.length === 0 ? {} : { notificationHosts: hosts };
}

function toQuotas(
  maxResources = Infinity,
  maxBytes = Infinity,
): Pick<TenantLimits, 'maxResources' | 'maxBytes'> {
  return {
    ...(maxResources === Infinity ? {} : { maxResources }),
    ...(maxBytes === Infinity ? {} : { maxBytes }),
  };
}

/** Returns the effective limits by setting name, for operators. */
export function nameLimits({
  rates,
  maxRequests,
  maxResources,
  maxBytes,
  notificationHosts,
}: TenantLimits): Stored {
  const named: Record<string, string> = {
    [TENANT_RATE]: printRates(rates?.tenant ?? []),
    [CLIENT_RATE]: printRates(rates?.client ?? []),
    [MAX_REQUESTS]: String(maxRequests ?? 'off'),
    [RESOURCES]: String(maxResources ?? 'off'),
    [BYTES]: String(maxBytes ?? 'off'),
    [NOTIFICATION_HOSTS]: notificationHosts?.join(',') ?? 'off',
  };
  for (const [client, own] of rates?.clients ?? []) named[OF_CLIENT + client] = printRates(own);
  return named;
}
