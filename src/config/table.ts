/**
 * The table of all settings. Each setting is one row; `andiron config`, docs/reference/configuration.md and the README's table
 * are generated from it. Only this file and config.ts contain names of environment variables.
 */
import {
  allowedHost,
  boolean,
  choice,
  notificationHost,
  integer,
  list,
  origin,
  rates,
  socketAddress,
  text,
  trust,
  webAddress,
} from './kinds';
import { optional, row } from './row';

const port = integer(1, 65_535);
const count = integer(1, 1_000_000_000);
const milliseconds = integer(1, 86_400_000);
const bytes = integer(1024, 1_073_741_824);
const megabyte = 1_048_576;

export const SETTINGS = {
  FHIR_DATABASE_NAME: row(text, 'andiron', 'Name of the PostgreSQL database'),
  FHIR_DATABASE_HOST: row(text, 'localhost', 'Host of PostgreSQL, or the folder of its Unix socket'),
  FHIR_DATABASE_PORT: row(port, 5432, 'Port of PostgreSQL'),
  FHIR_DATABASE_PASSWORD: row(text, '', 'Password for PostgreSQL', { secret: true }),
  FHIR_DATABASE_USERNAME: row(text, 'postgres', 'User for PostgreSQL'),
  FHIR_DATABASE_SSL: row(boolean, false, 'TLS for connections to PostgreSQL; certificates are verified'),
  FHIR_DATABASE_CA_FILE: optional(
    text,
    'File with the certificate authority of PostgreSQL (PEM); the default is the authorities of Node.js',
  ),
  MIGRATION_WAIT_MS: row(
    milliseconds,
    600_000,
    'Milliseconds that a start waits for another process that migrates the database, or for locks on tables, before it fails',
  ),
  DATABASE_CONNECTIONS: row(
    integer(2, 1000),
    14,
    'Maximum number of connections to PostgreSQL of one process',
  ),
  REDIS_HOST: row(text, '127.0.0.1', 'Host of Redis'),
  REDIS_PORT: row(port, 6379, 'Port of Redis'),
  REDIS_USERNAME: optional(text, 'User for Redis'),
  REDIS_PASSWORD: optional(text, 'Password for Redis', { secret: true }),
  REDIS_TLS: row(boolean, false, 'TLS for the connection to Redis; certificates are verified'),
  REDIS_CA_FILE: optional(
    text,
    'File with the certificate authority of Redis (PEM); the default is the authorities of Node.js',
  ),
  HOST: row(text, '127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for all'),
  PORT: row(integer(0, 65_535), 3000, 'Port to listen on; 0 uses a free port'),
  PUBLIC_URL: row(
    list(webAddress, 'a comma-separated list of http or https addresses'),
    [],
    'Addresses under which clients reach the server; answers use the first. Unset: the Host of the request',
  ),
  TRUST_PROXY: row(
    trust,
    false,
    'Trust in X-Forwarded-* headers: never (false), always (true), or from the listed proxies',
  ),
  OUTBOUND_ALLOWED_HOSTS: row(
    list(
      allowedHost,
      'a comma-separated list of host names, IP addresses and networks such as 10.0.0.0/8, each perhaps with a port (idp.internal:8443, [::1]:8443) or with :* for all ports',
    ),
    [],
    'Hosts of key sets (jwksUrl), of endpoints of Subscriptions and of the package registry that may be called at addresses that are not public, and by http. Without a port, only 80 and 443. All others are called by https at public addresses only',
  ),
  NOTIFICATION_HOSTS: row(
    list(
      notificationHost,
      'a comma-separated list of host names such as hooks.example.org or *.ward.example',
    ),
    [],
    'Hosts of endpoints to which notifications of Subscriptions may go, for tenants without a setting of their own; empty: all',
  ),
  PACKAGE_REGISTRY: row(
    webAddress,
    'https://packages.fhir.org',
    'Registry, of FHIR or npm, from which andiron import-package NAME@VERSION fetches packages',
  ),
  FHIR_EXTENSION_BASE: row(
    webAddress,
    'https://andiron.example/fhir/StructureDefinition',
    'Base of the urls of the extensions that the server writes',
  ),
  SECRET_KEYS: row(
    list(text, 'a comma-separated list of keys of at least 32 characters'),
    [],
    'Keys that sign page cursors: the first signs, all verify. Unset: a random key that is stored in the database',
    { secret: true },
  ),
  AUTH_MODE: row(
    choice('open', 'enforced'),
    'open',
    'Access without credentials: open (all requests), or enforced (only discovery, keys, tokens, metadata and health)',
    {
      defaultText:
        'open while only this machine reaches the server (HOST and PUBLIC_URL are loopback, TRUST_PROXY is false), else enforced',
    },
  ),
  ACCESS_TOKEN_SECONDS: row(integer(10, 86_400), 300, 'Lifetime of an access token in seconds'),
  OUTSIDE_TOKEN_SECONDS: row(
    integer(60, 31_536_000),
    86_400,
    'Longest lifetime in seconds of a token of another issuer, from its issue; tokens with a longer lifetime are refused',
  ),
  AUDIT: row(
    choice('on', 'writes', 'off'),
    'off',
    'Accesses that are recorded as AuditEvents: all (on), changes and refusals (writes), none (off)',
    { defaultText: 'off while AUTH_MODE is open and only this machine reaches the server, else on' },
  ),
  AUDIT_OPEN: row(
    choice('on', 'off'),
    'on',
    'on: every client may read AuditEvents while AUTH_MODE is open; off: only auditors may',
  ),
  PURGE_OPEN: row(
    choice('on', 'off'),
    'off',
    'on: every client may permanently remove resources ($purge) while AUTH_MODE is open; off: only administrators may',
  ),
  SEARCH_UNKNOWN: row(
    choice('strict', 'lenient'),
    'strict',
    'Unknown search parameters are refused (strict) or ignored (lenient)',
  ),
  CONDITIONAL_DELETE: row(
    choice('single', 'multiple'),
    'single',
    'Conditional delete with several matches: refused (single), or of all matches, up to 1,000 (multiple)',
  ),
  SEARCH_EXPLAIN: row(
    choice('on', 'off'),
    'off',
    'on: a search with _explain=true answers its SQL, plan and times. For development only, because it reveals internals to clients',
  ),
  VALIDATION: row(
    choice('full', 'lenient', 'structure'),
    'full',
    'Validation of a resource before it is stored: full (structure, bindings, invariants, narrative, profiles), lenient (the same, but invariants, profiles and rules of the text only warn) or structure',
  ),
  REFERENTIAL_INTEGRITY: row(
    choice('off', 'on-write', 'on-write-and-delete'),
    'off',
    'Check that the target of a reference exists: never (off), when the resource is written (on-write), or always (on-write-and-delete: a resource that is referred to cannot be deleted)',
  ),
  PATCH_BY_GET: row(choice('on', 'off'), 'on', 'on: a GET with a JSON array as its body is a patch'),
  RATE_LIMIT_TENANT: row(
    rates,
    [],
    'Requests of each tenant per second (s) or minute (m), over all processes; more are answered with 429',
  ),
  RATE_LIMIT_CLIENT: row(rates, [], 'Requests of each client of a tenant, counted in the same way'),
  MAX_REQUESTS_TENANT: optional(
    integer(1, 999_999_999),
    'Concurrent requests of each tenant in a process; more are answered with 429',
    { defaultText: 'any number' },
  ),
  QUOTA_RESOURCES: optional(
    integer(0, 999_999_999_999_999),
    'Maximum number of resources of each tenant, of both releases; more are answered with 507',
    { defaultText: 'any number' },
  ),
  QUOTA_BYTES: optional(
    integer(0, 999_999_999_999_999),
    'Maximum size in bytes of the texts of all versions of a tenant, of both releases',
    { defaultText: 'any number' },
  ),
  CORS_ORIGINS: row(
    list(origin, 'a comma-separated list of origins, or *'),
    [],
    'Origins of web pages whose scripts may use the server',
  ),
  METRICS_ADDRESS: row(
    socketAddress,
    { host: '127.0.0.1', port: 9464 },
    'host:port of /metrics; off or empty: no metrics',
    {
      emptyCounts: true,
    },
  ),
  LOG_LEVEL: row(
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Lowest severity that is logged',
  ),
  MAX_BODY_BYTES: row(bytes, 16 * megabyte, 'Maximum size of the body of a resource'),
  MAX_BUNDLE_BYTES: row(bytes, 64 * megabyte, 'Maximum size of the body of a batch or transaction'),
  MAX_URL_BYTES: row(
    integer(1024, 1_048_576),
    49_152,
    'Maximum length of the address of a request; longer searches can be sent by POST',
  ),
  MAX_HEADER_BYTES: row(
    integer(2048, 1_048_576),
    65_536,
    'Maximum size of the headers of a request, including its address',
  ),
  MAX_HEADERS: row(integer(20, 10_000), 200, 'Maximum number of headers of a request'),
  MAX_CONNECTIONS: row(count, 10_000, 'Maximum number of client connections; further ones are closed'),
  MAX_DEPTH: row(integer(8, 512), 64, 'Maximum nesting of JSON'),
  MAX_BUNDLE_ENTRIES: row(count, 10_000, 'Maximum number of entries of a batch or transaction'),
  MAX_PATCH_OPERATIONS: row(count, 1000, 'Maximum number of operations in a patch'),
  MAX_INDEX_ROWS: row(count, 20_000, 'Maximum number of index rows of a resource'),
  MAX_EXPANSION_CODES: row(count, 10_000, 'Maximum number of codes in an answer of ValueSet/$expand'),
  WARM_UP: row(
    choice('on', 'off'),
    'off',
    'on: before it listens, the server reads and searches base resources for at most a second and begins the GraphQL schema, so that the first GraphQL queries do not wait for it',
    { defaultText: 'on if NODE_ENV is production, else off' },
  ),
  GRAPHQL_COST_LIMIT: row(
    count,
    25_000,
    'Maximum cost of a GraphQL request: one for each row that it may read, ten for each statement of a search',
  ),
  GRAPHQL_WARM: row(
    choice('off', 'r4', 'r4b', 'all'),
    'off',
    'Releases whose GraphQL schema is built before the server listens (a second each). For others the first GraphQL request waits for it',
  ),
  GRAPHQL_INTROSPECTION: row(
    choice('on', 'off'),
    'on',
    'on: GraphQL clients may query the schema; off also removes suggested names from errors',
  ),
  GRAPHQL_TRUSTED_DOCUMENTS: optional(
    text,
    'File of GraphQL documents that clients may name by their SHA-256: JSON with hashes and texts, as graphql-codegen writes it',
  ),
  GRAPHQL_TRUSTED_ONLY: row(
    choice('on', 'off'),
    'off',
    'on: GraphQL answers only the documents of GRAPHQL_TRUSTED_DOCUMENTS',
  ),
  GRAPHQL_FEDERATION: row(
    choice('off', 'on', 'shareable'),
    'off',
    'on: GraphQL is a subgraph of Apollo Federation 2; shareable: another subgraph may have the same data types',
  ),
  GRAPHQL_SNAPSHOT_MS: row(
    integer(0, 86_400_000),
    2000,
    'Milliseconds for which a GraphQL query of several levels may hold a database connection to read from one snapshot; 0: no snapshot, its statements are batched with others',
  ),
  HEADERS_TIMEOUT_MS: row(
    milliseconds,
    20_000,
    'Milliseconds within which the headers of a request, and the connection_init of a WebSocket, must arrive',
  ),
  ARRIVAL_TIMEOUT_MS: row(
    milliseconds,
    300_000,
    'Milliseconds within which a whole request must arrive, including its body',
  ),
  REQUEST_TIMEOUT_MS: row(milliseconds, 30_000, 'Timeout of a request in milliseconds'),
  ASYNC_TIMEOUT_MS: row(
    milliseconds,
    600_000,
    'Timeout in milliseconds of a request that is answered later (Prefer: respond-async)',
  ),
  ASYNC_EXPIRY_MS: row(
    milliseconds,
    3_600_000,
    'Milliseconds for which the answer of a request with respond-async is stored',
  ),
  MAX_ASYNC_JOBS: row(
    count,
    100,
    'Maximum number of requests with respond-async of a tenant, including those whose answer is stored',
  ),
  SEARCH_SORT_LIMIT: row(
    integer(0, 100_000),
    10_000,
    'Maximum number of matches that a search fetches and sorts in the process; for more it scans an index in order, or PostgreSQL sorts them',
  ),
  VERSION_CACHE_MB: optional(
    integer(0, 100_000),
    'Size in megabytes of the version cache of each process, which saves reading resource texts from PostgreSQL again; 0: none',
    { defaultText: '128, at most a sixteenth of the heap' },
  ),
  SEARCH_CACHE_MB: optional(
    integer(0, 100_000),
    'Size in megabytes of the search result cache of each process, which is used while PostgreSQL confirms that nothing a result depends on has changed; 0: none',
    { defaultText: '64, at most a thirty-second of the heap' },
  ),
  MAX_BYTES_UNDER_WAY: optional(
    integer(megabyte, 1_099_511_627_776),
    'Maximum memory in bytes for all bodies and answers in one process; beyond it requests are answered with 503. A body counts four times its size, an answer three times',
    { defaultText: 'what the heap (--max-old-space-size) leaves' },
  ),
  FHIRPATH_TIMEOUT_MS: row(
    integer(1, 10_000),
    50,
    'Processor time in milliseconds for one evaluation of a FHIRPath expression of a client; longer ones are refused (422 too-costly)',
  ),
  CONTENT_PROCESSOR_MS: row(
    integer(100, 600_000),
    10_000,
    'Processor time in milliseconds of a thread for one long body or operation; longer ones are refused (422 too-costly). Waiting does not count',
  ),
  STATEMENT_TIMEOUT_MS: row(milliseconds, 10_000, 'Timeout of a SQL statement in milliseconds'),
  MAX_WRITE_QUEUE: row(
    count,
    10_000,
    'Maximum number of waiting writes of a tenant in one release; more are answered with 503',
  ),
  MAX_SUBSCRIPTIONS: row(
    count,
    5_000,
    'Maximum number of live queries (GraphQL subscriptions) of a tenant in one process, and of its Subscriptions bound to WebSockets',
  ),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: row(
    integer(1, 10_000),
    100,
    'Maximum number of live queries, or of bound Subscriptions, on one WebSocket',
  ),
  SUBSCRIPTION_QUEUE_BYTES: row(
    bytes,
    megabyte,
    'Buffer in bytes for the results of a live query that the client has not read; reading continues when the client has read half',
  ),
  SUBSCRIPTION_STALL_MS: row(
    milliseconds,
    30_000,
    'Milliseconds after which a live query or a WebSocket of Subscriptions ends whose client reads none of the buffered results',
  ),
  SUBSCRIPTION_PING_MS: row(
    milliseconds,
    15_000,
    'Milliseconds between two pings on an idle connection of a live query',
  ),
  SUBSCRIPTION_POLL_MS: row(
    milliseconds,
    1_000,
    'Milliseconds between two polls for changes for live queries without a notice from Redis',
  ),
  MAX_TENANT_SUBSCRIPTIONS: row(
    count,
    2_000,
    'Maximum number of running Subscription resources of a tenant in one release',
  ),
  SUBSCRIPTION_RETRY_MS: row(
    integer(1_000, 2_592_000_000),
    86_400_000,
    'Milliseconds for which a notification that does not arrive is tried again; then the Subscription gets the status `error`',
  ),
  SUBSCRIPTION_EVENTS_MS: row(
    integer(1_000, 31_536_000_000),
    604_800_000,
    'Milliseconds for which the events of Subscriptions are kept (`$events`)',
  ),
  SHUTDOWN_DELAY_MS: row(
    integer(0, 86_400_000),
    0,
    'Milliseconds for which a server that is stopped still accepts connections, while `/health/ready` answers 503',
  ),
  SHUTDOWN_TIMEOUT_MS: row(
    milliseconds,
    10_000,
    'Milliseconds that running requests have to finish when the server is stopped',
  ),
} as const;

/** Old names of settings and their new ones. */
export const RENAMED_SETTINGS: Readonly<Record<string, keyof typeof SETTINGS>> = {
  SEARCH_GATHER: 'SEARCH_SORT_LIMIT',
  VERSION_MEMORY_MB: 'VERSION_CACHE_MB',
  SEARCH_MEMORY_MB: 'SEARCH_CACHE_MB',
};
