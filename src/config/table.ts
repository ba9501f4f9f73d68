/**
 * The one table of settings. A setting is one row; `andiron config`, docs/configuration.md and the README's table
 * are made from it. Nothing else in the program knows the name of an environment variable, but config.ts.
 */
import {
  boolean,
  choice,
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
  FHIR_DATABASE_SSL: row(
    boolean,
    false,
    'Whether the connection to PostgreSQL uses TLS; certificates are verified',
  ),
  FHIR_DATABASE_CA_FILE: optional(
    text,
    'File with the certificate authority of PostgreSQL (PEM); without it the ones that Node.js knows',
  ),
  DATABASE_CONNECTIONS: row(integer(2, 1000), 14, 'Connections to PostgreSQL that one process keeps at most'),
  REDIS_HOST: row(text, '127.0.0.1', 'Host of Redis'),
  REDIS_PORT: row(port, 6379, 'Port of Redis'),
  REDIS_USERNAME: optional(text, 'User for Redis'),
  REDIS_PASSWORD: optional(text, 'Password for Redis', { secret: true }),
  REDIS_TLS: row(boolean, false, 'Whether the connection to Redis uses TLS; certificates are verified'),
  REDIS_CA_FILE: optional(
    text,
    'File with the certificate authority of Redis (PEM); without it the ones that Node.js knows',
  ),
  HOST: row(text, '127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for all'),
  PORT: row(integer(0, 65_535), 3000, 'Port to listen on; 0 takes a free one'),
  PUBLIC_URL: row(
    list(webAddress, 'a comma-separated list of http or https addresses'),
    [],
    'Addresses under which clients reach the server; the first is used in answers. Unset: the Host of the request',
  ),
  TRUST_PROXY: row(
    trust,
    false,
    'Whether X-Forwarded-* headers are believed: of nobody, of everybody, or of the listed proxies',
  ),
  FHIR_EXTENSION_BASE: row(
    webAddress,
    'https://andiron.example/fhir/StructureDefinition',
    'Beginning of the urls of the extensions that the server writes',
  ),
  SECRET_KEYS: row(
    list(text, 'a comma-separated list of keys of at least 32 characters'),
    [],
    'Keys that sign page cursors: the first signs, all verify. Unset: a random key that is kept in the database',
    { secret: true },
  ),
  AUTH_MODE: row(
    choice('open', 'enforced'),
    'open',
    'Whether requests without credentials are answered: open, or enforced (only discovery, keys, tokens, metadata and health are open)',
    { defaultText: 'open while HOST is loopback, else enforced' },
  ),
  ACCESS_TOKEN_SECONDS: row(integer(10, 86_400), 300, 'Seconds for which an access token is good'),
  AUDIT: row(
    choice('on', 'writes', 'off'),
    'off',
    'What leaves an AuditEvent: every access (on), what changes something and what is refused (writes), nothing (off)',
    { defaultText: 'off while AUTH_MODE is open and HOST is loopback, else on' },
  ),
  AUDIT_OPEN: row(
    choice('on', 'off'),
    'on',
    'Whether everybody may read AuditEvents while AUTH_MODE is open; otherwise only auditors may',
  ),
  PURGE_OPEN: row(
    choice('on', 'off'),
    'off',
    'Whether everybody may erase resources for ever ($purge) while AUTH_MODE is open; otherwise only administrators may',
  ),
  SEARCH_UNKNOWN: row(
    choice('strict', 'lenient'),
    'strict',
    'Whether an unknown search parameter is refused or ignored',
  ),
  CONDITIONAL_DELETE: row(
    choice('single', 'multiple'),
    'single',
    'What a conditional delete does where several resources meet its criteria: single refuses, multiple deletes all of them, up to 1,000',
  ),
  SEARCH_EXPLAIN: row(
    choice('on', 'off'),
    'off',
    'Whether a search with _explain=true is answered with its SQL, plan and times: for development, because it tells clients how the server works',
  ),
  VALIDATION: row(
    choice('full', 'structure'),
    'full',
    'What a resource is held to before it is stored: full (structure, bindings, invariants, narrative, profiles) or structure',
  ),
  REFERENTIAL_INTEGRITY: row(
    choice('off', 'on-write', 'on-write-and-delete'),
    'off',
    'Whether a resource may refer to what is not there: always (off), not when it is written (on-write), never (on-write-and-delete: what is referred to cannot be deleted)',
  ),
  PATCH_BY_GET: row(choice('on', 'off'), 'on', 'Whether a GET with a JSON array as its body is a patch'),
  RATE_LIMIT_TENANT: row(
    rates,
    [],
    'Requests of each tenant in a second (s) or a minute (m), over all processes; more are answered with 429',
  ),
  RATE_LIMIT_CLIENT: row(rates, [], 'Requests of each client of a tenant, in the same way'),
  MAX_REQUESTS_TENANT: optional(
    integer(1, 999_999_999),
    'Requests of each tenant that a process works on at the same time; more are answered with 429',
    { defaultText: 'any number' },
  ),
  QUOTA_RESOURCES: optional(
    integer(0, 999_999_999_999_999),
    'Resources that each tenant may have, of both releases; more are answered with 507',
    { defaultText: 'any number' },
  ),
  QUOTA_BYTES: optional(
    integer(0, 999_999_999_999_999),
    'Bytes that the texts of all versions of a tenant may come to, of both releases',
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
    'host:port where /metrics is answered; off or empty: nowhere',
    {
      emptyCounts: true,
    },
  ),
  LOG_LEVEL: row(
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Least severity that is logged',
  ),
  MAX_BODY_BYTES: row(bytes, 16 * megabyte, 'Largest body of a resource'),
  MAX_BUNDLE_BYTES: row(bytes, 64 * megabyte, 'Largest body of a batch or transaction'),
  MAX_URL_BYTES: row(
    integer(1024, 1_048_576),
    49_152,
    'Longest address of a request; longer searches can be sent by POST',
  ),
  MAX_HEADER_BYTES: row(
    integer(2048, 1_048_576),
    65_536,
    'Largest headers of a request, its address among them',
  ),
  MAX_HEADERS: row(integer(20, 10_000), 200, 'Headers of one request'),
  MAX_CONNECTIONS: row(count, 10_000, 'Connections of clients at once; further ones are closed'),
  MAX_DEPTH: row(integer(8, 512), 64, 'Deepest nesting of JSON'),
  MAX_BUNDLE_ENTRIES: row(count, 10_000, 'Entries of one batch or transaction'),
  MAX_PATCH_OPERATIONS: row(count, 1000, 'Operations in one patch'),
  MAX_INDEX_ROWS: row(count, 20_000, 'Index rows of one resource'),
  MAX_EXPANSION_CODES: row(count, 10_000, 'Codes in one answer of ValueSet/$expand'),
  GRAPHQL_COST_LIMIT: row(
    count,
    20_000,
    'What one GraphQL request may cost: about one for each row that it may read, ten for each search',
  ),
  GRAPHQL_WARM: row(
    choice('off', 'r4', 'r4b', 'all'),
    'off',
    'Releases whose GraphQL schema is made before the server listens (a second each); of others the first request makes it, and all that is under way waits meanwhile',
  ),
  GRAPHQL_INTROSPECTION: row(
    choice('on', 'off'),
    'on',
    'Whether GraphQL clients may ask for the schema; off also keeps names of it out of errors',
  ),
  GRAPHQL_TRUSTED_DOCUMENTS: optional(
    text,
    'File of GraphQL documents that clients may name by their SHA-256, as JSON of hashes and texts (graphql-codegen writes it)',
  ),
  GRAPHQL_TRUSTED_ONLY: row(
    choice('on', 'off'),
    'off',
    'Whether GraphQL answers the documents of GRAPHQL_TRUSTED_DOCUMENTS and no others',
  ),
  GRAPHQL_SNAPSHOT_MS: row(
    integer(0, 86_400_000),
    2000,
    'Milliseconds for which a GraphQL query of several levels may keep a database connection to see one moment; 0: it keeps none, shares its statements with others, and each level sees its own moment',
  ),
  HEADERS_TIMEOUT_MS: row(
    milliseconds,
    20_000,
    'Milliseconds in which the headers of a request, and the connection_init of a WebSocket, must arrive',
  ),
  ARRIVAL_TIMEOUT_MS: row(
    milliseconds,
    300_000,
    'Milliseconds in which all of a request must arrive, its body included',
  ),
  REQUEST_TIMEOUT_MS: row(milliseconds, 30_000, 'Milliseconds a request may take'),
  ASYNC_TIMEOUT_MS: row(
    milliseconds,
    600_000,
    'Milliseconds a request may take that is answered later (Prefer: respond-async)',
  ),
  ASYNC_EXPIRY_MS: row(
    milliseconds,
    3_600_000,
    'Milliseconds for which an answer is kept that was asked for with respond-async',
  ),
  MAX_ASYNC_JOBS: row(
    count,
    100,
    'Requests with respond-async that a tenant may have, answers that are kept included',
  ),
  SEARCH_GATHER: row(
    integer(0, 100_000),
    10_000,
    'Matches that a search may gather and sort; of more it walks an index in order, or PostgreSQL sorts them',
  ),
  VERSION_MEMORY_MB: row(
    integer(0, 100_000),
    128,
    'Megabytes of resources that each process remembers, so that PostgreSQL need not send their texts again; 0: none',
  ),
  SEARCH_MEMORY_MB: row(
    integer(0, 100_000),
    64,
    'Megabytes of answers of searches that each process remembers and gives again while PostgreSQL says that nothing they depend on has changed; 0: none',
  ),
  STATEMENT_TIMEOUT_MS: row(milliseconds, 10_000, 'Milliseconds one SQL statement may take'),
  MAX_WRITE_QUEUE: row(count, 10_000, 'Writes that may wait at once; more are answered with 503'),
  MAX_SUBSCRIPTIONS: row(count, 5_000, 'Live queries that a tenant may have at one process'),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: row(
    integer(1, 10_000),
    100,
    'Live queries that share one WebSocket at most',
  ),
  SUBSCRIPTION_QUEUE_BYTES: row(
    bytes,
    megabyte,
    'Largest texts that may wait for one live query; what comes further is read when they were taken',
  ),
  SUBSCRIPTION_STALL_MS: row(
    milliseconds,
    30_000,
    'Milliseconds after which a live query is ended whose client takes nothing of what waits for it',
  ),
  SUBSCRIPTION_PING_MS: row(
    milliseconds,
    15_000,
    'Milliseconds between two signs of life on the connection of a live query where nothing else is sent',
  ),
  SUBSCRIPTION_POLL_MS: row(
    milliseconds,
    1_000,
    'Milliseconds between two looks for changes for live queries where Redis tells of none',
  ),
  SHUTDOWN_TIMEOUT_MS: row(
    milliseconds,
    10_000,
    'Milliseconds that running requests get to finish when the server is stopped',
  ),
} as const;
