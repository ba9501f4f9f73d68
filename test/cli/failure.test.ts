/** The lines about failures: each names the settings to check. */
import { ConfigurationError, loadSettings } from '../../src/config';
import { toLines } from '../../src/cli/failure';
import { absent } from '../../src/cli/with-tenant';
import { explainDatabaseError, toDatabaseError, toListenError } from '../../src/cli/service-failure';
import { noteSource } from '../../src/config/setting-sources';
import { settingsBehind } from '../../src/core/cache/redis-settings';
import { ReportedFailure } from '../../src/workers/reported-failure';

const settings = loadSettings({ FHIR_DATABASE_HOST: 'db.internal', FHIR_DATABASE_PORT: '5433' });
const encrypted = { ...settings, database: { ...settings.database, ssl: true } };

const fromSystem = (message: string, more: object = {}): Error =>
  Object.assign(new Error(message), { syscall: 'connect', code: 'ECONNREFUSED', ...more });
const fromPostgres = (code: string, message: string): Error =>
  Object.assign(new Error(message), { severity: 'FATAL', code });
/** As core wraps errors of TLS and of the client of PostgreSQL. */
const wrapped = (message: string, how = ''): Error =>
  new Error(`PostgreSQL at db.internal, port 5433, cannot be reached${how}: ${message}`, {
    cause: new Error(message),
  });

describe('a start without its database names the settings to check:', () => {
  it.each([
    [
      'a port at which nothing listens',
      fromSystem('connect ECONNREFUSED 10.0.0.7:5433'),
      'PostgreSQL at db.internal, port 5433, cannot be reached: connect ECONNREFUSED 10.0.0.7:5433. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT',
    ],
    [
      'a host with two addresses',
      new AggregateError([
        fromSystem('connect ECONNREFUSED ::1:5433'),
        fromSystem('connect ECONNREFUSED 127.0.0.1:5433'),
      ]),
      'PostgreSQL at db.internal, port 5433, cannot be reached: connect ECONNREFUSED ::1:5433; connect ECONNREFUSED 127.0.0.1:5433. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT',
    ],
    [
      'a host that does not exist',
      fromSystem('getaddrinfo ENOTFOUND db.internal', { syscall: 'getaddrinfo', code: 'ENOTFOUND' }),
      'PostgreSQL at db.internal, port 5433, cannot be reached: getaddrinfo ENOTFOUND db.internal. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT',
    ],
    [
      'a server that does not answer',
      wrapped('timeout expired'),
      'PostgreSQL at db.internal, port 5433, cannot be reached: timeout expired. Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT',
    ],
    [
      'a wrong password',
      fromPostgres('28P01', 'password authentication failed for user "andiron"'),
      'PostgreSQL at db.internal, port 5433, refuses the connection: password authentication failed for user "andiron". Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_PASSWORD',
    ],
    [
      'a password that is missing',
      wrapped('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string'),
      'PostgreSQL at db.internal, port 5433, cannot be reached: SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a non-empty string. Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_PASSWORD',
    ],
    [
      'a database that does not exist',
      fromPostgres('3D000', 'database "andiron" does not exist'),
      'PostgreSQL at db.internal, port 5433, refuses the connection: database "andiron" does not exist. Create it with createdb, or check FHIR_DATABASE_NAME',
    ],
    [
      'too many connections',
      fromPostgres('53300', 'sorry, too many clients already'),
      'PostgreSQL at db.internal, port 5433, refuses the connection: sorry, too many clients already. Lower DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL',
    ],
  ])('%s', (_what, error, line) => {
    expect(toLines(toDatabaseError(error, settings))).toEqual([line]);
  });

  it.each([
    ['a certificate that is not trusted', 'unable to verify the first certificate', 'FHIR_DATABASE_CA_FILE'],
    ['a certificate of its own', 'self-signed certificate in certificate chain', 'FHIR_DATABASE_CA_FILE'],
    [
      'a certificate of another host',
      "Hostname/IP does not match certificate's altnames: IP: 10.0.0.7 is not in the cert's list: ",
      'FHIR_DATABASE_HOST must be',
    ],
    ['no TLS', 'The server does not support SSL connections', 'Check FHIR_DATABASE_SSL'],
  ])('%s', (_what, message, words) => {
    const line = explainDatabaseError(wrapped(message, ' by TLS'), encrypted);
    expect(line).toContain(`db.internal, port 5433, cannot be reached by TLS: ${message.slice(0, 30)}`);
    expect(line).toContain(words);
    expect(line).not.toMatch(/\n|cannot be reached.*cannot be reached/);
  });

  it('another error stays as it is', () => {
    const error = new Error('The database has schema 50 and needs a program of schema 49');
    expect(toDatabaseError(error, settings)).toBe(error);
    expect(toLines(error)).toEqual([error.message]);
    expect(explainDatabaseError(fromPostgres('42P01', 'relation "x" does not exist'), settings)).toBe(
      undefined,
    );
  });
});

describe('a server that cannot listen names the settings to check:', () => {
  const notListening = (code: string, more: object = {}): Error =>
    fromSystem(`listen ${code}`, { syscall: 'listen', code, address: '127.0.0.1', port: 3000, ...more });

  it.each([
    ['a port in use', notListening('EADDRINUSE'), /^Another program listens on 127.0.0.1, port 3000: .*PORT/],
    [
      'a port in use, for a worker',
      notListening('EADDRINUSE', { syscall: 'bind' }),
      /^Another program listens on 127.0.0.1, port 3000: .*PORT/,
    ],
    [
      'a port below 1024',
      notListening('EACCES', { port: 80 }),
      /^This user may not listen on port 80: .*PORT/,
    ],
    [
      'an address of another machine',
      notListening('EADDRNOTAVAIL'),
      /cannot listen on .*Check HOST and PORT$/,
    ],
    [
      'a host that does not exist',
      fromSystem('getaddrinfo ENOTFOUND fhir.internal', { syscall: 'getaddrinfo', code: 'ENOTFOUND' }),
      /fhir\.internal\. Check HOST$/,
    ],
  ])('%s', (_what, error, line) => {
    expect(toLines(toListenError(error))).toEqual([expect.stringMatching(line)]);
  });
});

const SINGLE = { host: 'redis', port: 6379, tls: false } as const;
const CLUSTER = { cluster: [SINGLE], tls: false } as const;
const SENTINELS = { sentinels: [SINGLE], master: 'mymaster', tls: false } as const;

it.each([
  ['connect ECONNREFUSED 127.0.0.1:6379', SINGLE, 'REDIS_HOST,REDIS_PORT'],
  ['WRONGPASS invalid username-password pair or user is disabled.', SINGLE, 'REDIS_USERNAME,REDIS_PASSWORD'],
  ['NOAUTH Authentication required.', SINGLE, 'REDIS_USERNAME,REDIS_PASSWORD'],
  ['unable to verify the first certificate', SINGLE, 'REDIS_CA_FILE,REDIS_HOST'],
  ['closed before it answered, as by a port for TLS: Connection is closed.', SINGLE, 'REDIS_TLS,REDIS_PORT'],
  ['a command failed: MOVED 7785 127.0.0.1:7001', SINGLE, 'REDIS_CLUSTER,REDIS_HOST'],
  ["a command failed: ERR unknown command 'eval'", SINGLE, 'REDIS_SENTINELS,REDIS_HOST'],
  ['connect ECONNREFUSED 127.0.0.1:7001', CLUSTER, 'REDIS_CLUSTER'],
  ['ERR This instance has cluster support disabled', CLUSTER, 'REDIS_CLUSTER,REDIS_HOST'],
  ['WRONGPASS invalid username-password pair', CLUSTER, 'REDIS_USERNAME,REDIS_PASSWORD'],
  ['no Sentinel names the master: connect ECONNREFUSED 127.0.0.1:26379', SENTINELS, 'REDIS_SENTINELS'],
  ['no Sentinel names the master: ERR No such master with that name', SENTINELS, 'REDIS_SENTINEL_NAME'],
  [
    'no Sentinel names the master: NOAUTH Authentication required.',
    SENTINELS,
    'REDIS_SENTINEL_USERNAME,REDIS_SENTINEL_PASSWORD',
  ],
  ['NOAUTH Authentication required.', SENTINELS, 'REDIS_USERNAME,REDIS_PASSWORD'],
])('the log about Redis names the settings behind "%s"', (reason, options, names) => {
  expect(settingsBehind(reason, options).join()).toBe(names);
});

it('what a worker has printed is not followed by another line', () => {
  expect(toLines(new ReportedFailure('A worker ended with code 1 before it listened'))).toEqual([]);
});

it('a fault says which file a setting comes from', () => {
  // No other test names this setting: the note outlives this file.
  noteSource(['MAX_HEADERS'], '.env');
  const error = new ConfigurationError(['MAX_HEADERS must be a whole number', 'MAX_DEPTH must be one']);
  expect(toLines(error)).toEqual([
    'MAX_HEADERS must be a whole number (MAX_HEADERS comes from .env)',
    'MAX_DEPTH must be one',
  ]);
});

it.each([
  ['ward-ap', "The client 'ward-ap' does not exist; did you mean ward-app?"],
  ['Labb', "The client 'Labb' does not exist; did you mean 7f (Lab)?"],
  ['other', "The client 'other' does not exist"],
])('a client %s that does not exist is told with the one that was probably meant', (id, line) => {
  const known = [
    { id: 'ward-app', name: 'The ward' },
    { id: '7f', name: 'Lab' },
  ];
  expect(absent('client', id, known).message).toBe(line);
});
