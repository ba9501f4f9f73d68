import { parseRates, printRates, RATES_EXPECTED, type Rate } from './rate';

/** Which rates a tenant's requests are held to. */
export interface RequestRates {
  /** All of its requests together. */
  readonly tenant: readonly Rate[];
  /** Those of each client that is not among `clients`. */
  readonly client: readonly Rate[];
  /** By the id of the client. */
  readonly clients: ReadonlyMap<string, readonly Rate[]>;
}

/** What a tenant may ask for and keep, so that it leaves room for others. */
export interface TenantLimits {
  /** Undefined: requests are not counted. */
  readonly rates?: RequestRates;
  /** Requests that may be under way at the same time, in each process; undefined: any number. */
  readonly maxRequests?: number;
  /** Resources that are not deleted, of both releases; undefined: any number. */
  readonly maxResources?: number;
  /** Bytes of the texts of all versions, of both releases; undefined: any number. */
  readonly maxBytes?: number;
}

type Stored = Readonly<Record<string, string>>;

interface LimitSetting {
  /** As operators write it, and as it is stored. */
  readonly name: string;
  readonly expects: string;
  /** The setting of the server that stands for it in tenants that do not set it. */
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

/** Undefined: it cannot be read; Infinity: `off`. */
function parseQuota(text: string): number | undefined {
  if (text === 'off') return Infinity;
  return /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined;
}

const QUOTA: Pick<LimitSetting, 'expects' | 'accepts'> = {
  expects: QUOTA_EXPECTED,
  accepts: (text) => parseQuota(text) !== undefined,
};

/** Undefined: it cannot be read; Infinity: `off`. */
function parseMaxRequests(text: string): number | undefined {
  if (text === 'off') return Infinity;
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

const TENANT_RATE = 'rate-limit';
const CLIENT_RATE = 'rate-limit-client';
/** Followed by the id of a client. */
const OF_CLIENT = 'rate-limit-client.';
const MAX_REQUESTS = 'max-requests';
const RESOURCES = 'quota-resources';
const BYTES = 'quota-bytes';
const CLIENT_ID = /^[A-Za-z0-9\-.]{1,64}$/;

/** What a tenant may set of its limits. docs/configuration.md is made from it. */
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
];

/** Undefined: it is no setting of a limit. */
export function findLimitSetting(name: string): Pick<LimitSetting, 'expects' | 'accepts'> | undefined {
  if (name.startsWith(OF_CLIENT)) return CLIENT_ID.test(name.slice(OF_CLIENT.length)) ? RATE : undefined;
  return LIMIT_SETTINGS.find((setting) => setting.name === name);
}

/** The limits in force. What this program cannot read is passed over: another one has set it. */
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
  };
}

function toMaxRequests(maxRequests = Infinity): Pick<TenantLimits, 'maxRequests'> {
  return maxRequests === Infinity ? {} : { maxRequests };
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

/** The limits in force by the names of their settings, as operators see them. */
export function nameLimits({ rates, maxRequests, maxResources, maxBytes }: TenantLimits): Stored {
  const named: Record<string, string> = {
    [TENANT_RATE]: printRates(rates?.tenant ?? []),
    [CLIENT_RATE]: printRates(rates?.client ?? []),
    [MAX_REQUESTS]: String(maxRequests ?? 'off'),
    [RESOURCES]: String(maxResources ?? 'off'),
    [BYTES]: String(maxBytes ?? 'off'),
  };
  for (const [client, own] of rates?.clients ?? []) named[OF_CLIENT + client] = printRates(own);
  return named;
}
