import { planMemory } from '../src/config/memory';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import {
  ConfigurationError,
  describeSetting,
  describeStart,
  loadSettings,
  printSetting,
  settingNames,
} from '../src/config';

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadSettings(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe('the settings', () => {
  it('have their documented names and defaults', () => {
    expect(loadSettings({})).toMatchObject({
      database: {
        ...{ database: 'andiron', host: 'localhost', port: 5432 },
        ...{ user: 'postgres', password: '', ssl: false },
      },
      redis: { host: '127.0.0.1', port: 6379 },
    });
    const documented = [
      'FHIR_DATABASE_NAME',
      'FHIR_DATABASE_HOST',
      'FHIR_DATABASE_PORT',
      'REDIS_HOST',
      'REDIS_PORT',
    ];
    expect(settingNames()).toEqual(expect.arrayContaining(documented));
    expect(settingNames()).toEqual(
      expect.arrayContaining(['FHIR_DATABASE_PASSWORD', 'FHIR_DATABASE_USERNAME', 'FHIR_DATABASE_SSL']),
    );
  });

  it('have the default for an empty value', () => {
    expect(loadSettings({ FHIR_DATABASE_PORT: '', FHIR_DATABASE_HOST: ' ', AUTH_MODE: '' })).toMatchObject({
      database: { port: 5432, host: 'localhost' },
      core: { authMode: 'open' },
    });
  });

  it('stop the start under an old name, with the new one', () => {
    expect(faultsOf({ SEARCH_GATHER: '100', VERSION_MEMORY_MB: '1', SEARCH_MEMORY_MB: '' })).toEqual([
      'SEARCH_GATHER is now SEARCH_SORT_LIMIT; rename it',
      'VERSION_MEMORY_MB is now VERSION_CACHE_MB; rename it',
    ]);
  });

  it('read lists, addresses and booleans', () => {
    const settings = loadSettings({
      PUBLIC_URL: 'https://fhir.example.org/base/, http://localhost:3000',
      CORS_ORIGINS: 'https://app.example.org,http://localhost:5173',
      FHIR_DATABASE_SSL: 'TRUE',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      METRICS_ADDRESS: '[::1]:9000',
      OUTBOUND_ALLOWED_HOSTS: 'IDP.internal, 10.0.0.0/8, [::1], Hooks:8443, [::1]:9000, ::2, 10.1.0.0/16:*',
    });
    expect(settings.core.outboundAllowedHosts).toEqual([
      ...['idp.internal', '10.0.0.0/8', '::1', 'hooks:8443', '[::1]:9000', '::2', '10.1.0.0/16:*'],
    ]);
    expect(settings.http.publicUrls).toEqual(['https://fhir.example.org/base', 'http://localhost:3000']);
    expect(settings.http.corsOrigins).toEqual(['https://app.example.org', 'http://localhost:5173']);
    expect(settings.database.ssl).toBe(true);
    expect(settings.http.trustProxy).toEqual(['10.0.0.0/8', '::1']);
    expect(settings.metrics.address).toEqual({ host: '::1', port: 9000 });
  });

  it.each(['', 'off'])('switch metrics off with METRICS_ADDRESS=%p', (METRICS_ADDRESS) => {
    expect(loadSettings({ METRICS_ADDRESS }).metrics.address).toBeUndefined();
  });

  it('keep blanks in a password', () => {
    expect(loadSettings({ FHIR_DATABASE_PASSWORD: ' a b ' }).database.password).toBe(' a b ');
  });

  it('report every fault at once, one line each', () => {
    const faults = faultsOf({
      PORT: '70000',
      REDIS_PORT: '6379x',
      FHIR_DATABASE_SSL: 'yes',
      PUBLIC_URL: 'fhir.example.org',
    });
    expect(faults).toEqual([
      "FHIR_DATABASE_SSL must be true or false; it is 'yes'",
      "REDIS_PORT must be a whole number from 1 to 65535; it is '6379x'",
      "PORT must be a whole number from 0 to 65535; it is '70000'",
      "PUBLIC_URL must be an http or https address without query and fragment; it is 'fhir.example.org'",
    ]);
  });

  it.each([
    ['CORS_ORIGINS', 'https://app.example.org/path'],
    ['METRICS_ADDRESS', 'localhost'],
    ['METRICS_ADDRESS', 'localhost:99999'],
    ['TRUST_PROXY', 'my-proxy'],
    ['MAX_DEPTH', '-1'],
    ['MAX_DEPTH', '1e2'],
    ['REQUEST_TIMEOUT_MS', '0'],
    ['LOG_LEVEL', 'loud'],
    ['PUBLIC_URL', 'https://fhir.example.org/?a=b'],
    ['OUTBOUND_ALLOWED_HOSTS', 'https://idp.example'],
    ['OUTBOUND_ALLOWED_HOSTS', '10.0.0.0/33'],
    ['OUTBOUND_ALLOWED_HOSTS', 'idp.example/8'],
    ['OUTBOUND_ALLOWED_HOSTS', 'idp.example:0'],
    ['OUTBOUND_ALLOWED_HOSTS', 'idp.example:65536'],
    ['OUTBOUND_ALLOWED_HOSTS', 'idp.example:https'],
    ['OUTBOUND_ALLOWED_HOSTS', 'idp.example:'],
    ['OUTBOUND_ALLOWED_HOSTS', '[idp.example]:443'],
    ['OUTBOUND_ALLOWED_HOSTS', '[10.0.0.1]:443'],
    ['FHIR_EXTENSION_BASE', 'StructureDefinition'],
    ['REDIS_CLUSTER', 'redis://redis-1:7001'],
    ['REDIS_CLUSTER', 'redis-1;redis-2'],
    ['REDIS_CLUSTER', 'redis-1:70000'],
    ['REDIS_SENTINELS', 'user@sentinel:26379'],
    ['REDIS_SENTINELS', 'sentinel:0'],
    ['SMTP_URL', 'https://mail.example'],
    ['SMTP_URL', 'mail.example:25'],
    ['SMTP_FROM', 'Andiron <andiron@hospital.example>'],
  ])('refuse %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(`${name} must be`)]);
  });

  it('refuse contradictions', () => {
    expect(faultsOf({ REDIS_USERNAME: 'andiron' })).toEqual([
      expect.stringContaining('REDIS_PASSWORD is not'),
    ]);
    const cluster = { REDIS_CLUSTER: 'redis-1:7001, redis-2' };
    const sentinels = { REDIS_SENTINELS: '[::1],sentinel-2:26380' };
    expect(faultsOf({ ...cluster, ...sentinels, REDIS_HOST: 'redis' })).toEqual([
      'REDIS_HOST and REDIS_CLUSTER and REDIS_SENTINELS are set, but only one of REDIS_HOST, REDIS_CLUSTER and REDIS_SENTINELS may be',
    ]);
    expect(faultsOf({ ...cluster, REDIS_PORT: '6380', REDIS_HOST: '' })).toEqual([
      'REDIS_PORT is set, but it belongs to REDIS_HOST: write ports in REDIS_CLUSTER',
    ]);
    expect(faultsOf({ ...cluster, REDIS_SENTINEL_NAME: 'records' })).toEqual([
      'REDIS_SENTINEL_NAME is set, but REDIS_SENTINELS is not',
    ]);
    expect(faultsOf({ ...sentinels, REDIS_SENTINEL_USERNAME: 'andiron' })).toEqual([
      'REDIS_SENTINEL_USERNAME is set, but REDIS_SENTINEL_PASSWORD is not',
    ]);
    expect([loadSettings(cluster).redis.cluster, loadSettings(sentinels).redis.sentinels]).toEqual([
      [
        { host: 'redis-1', port: 7001 },
        { host: 'redis-2', port: 6379 },
      ],
      [
        { host: '::1', port: 26_379 },
        { host: 'sentinel-2', port: 26_380 },
      ],
    ]);
    for (const [name, value] of [
      ['SMTP_URL', 'smtp://mail.example'],
      ['SMTP_FROM', 'andiron@hospital.example'],
    ] as const)
      expect(faultsOf({ [name]: value })).toEqual(['SMTP_URL and SMTP_FROM must both be set, or neither']);
    expect(faultsOf({ MAX_BUNDLE_BYTES: '1024' })).toEqual([
      expect.stringContaining('must be at least MAX_BODY_BYTES'),
    ]);
    const retries = { SUBSCRIPTION_RETRY_MS: '60000' };
    expect(faultsOf({ ...retries, SUBSCRIPTION_EVENTS_MS: '60000' })).toEqual([
      expect.stringContaining('must be larger than SUBSCRIPTION_RETRY_MS'),
    ]);
    expect(faultsOf({ ...retries, SUBSCRIPTION_EVENTS_MS: '60001' })).toEqual([]);
  });

  it.each([
    ['FHIR_DATABASE_CA_FILE', 'FHIR_DATABASE_SSL'],
    ['REDIS_CA_FILE', 'REDIS_TLS'],
  ])('refuse a %s with which no certificate could be trusted', (name, encrypted) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'andiron-config-'));
    const file = path.join(folder, 'ca.pem');
    const faultsWith = (content: string): readonly string[] => {
      writeFileSync(file, content);
      return faultsOf({ [name]: file, [encrypted]: 'true' });
    };
    const [one = '', other = ''] = rootCertificates;
    expect(faultsWith(`Root One\n${one}\r\n\n${other}\n`)).toEqual([]);
    expect(faultsOf({ [name]: file })).toEqual([`${name} is set, but ${encrypted} is false`]);
    expect(faultsWith('')).toEqual([`${name} names a file without a certificate (PEM); it is '${file}'`]);
    expect(faultsWith(`${one}\n${other.replace('MII', 'MIJ')}`)).toEqual([
      `${name} names a file with an invalid certificate; it is '${file}'`,
    ]);
    expect(faultsOf({ [name]: folder, [encrypted]: 'true' })).toEqual([
      `${name} names a file that cannot be read; it is '${folder}'`,
    ]);
    rmSync(folder, { recursive: true });
    expect(faultsOf({ [name]: file, [encrypted]: 'true' })).toEqual([
      `${name} names a file that cannot be read; it is '${file}'`,
    ]);
  });

  it.each([
    ...['localhost', '127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'].map((HOST) => ({
      HOST,
    })),
    ...['http://localhost:3000', 'http://127.0.0.1', 'http://[::1]:3000'].map((url) => ({ PUBLIC_URL: url })),
    { PUBLIC_URL: 'http://localhost:3000, http://127.0.0.1:3000', TRUST_PROXY: 'false' },
  ])(
    'answer without credentials, and record nothing, where only this machine can connect: %j',
    (environment) => {
      expect(loadSettings(environment)).toMatchObject({
        core: { authMode: 'open' },
        audit: { records: 'off' },
      });
    },
  );

  it.each([
    ...['0.0.0.0', '::', '192.168.1.2', 'fhir.example.org', '127.0.0.1.example.org'].map((HOST) => ({
      HOST,
    })),
    ...['true', '127.0.0.1', '10.0.0.0/8'].map((proxies) => ({ TRUST_PROXY: proxies })),
    { PUBLIC_URL: 'https://fhir.example.org' },
    { PUBLIC_URL: 'http://localhost:3000, http://192.168.1.2:3000' },
    { PUBLIC_URL: 'https://localhost.example.org' },
  ])('must name open mode and no audit where other machines can connect: %j', (environment) => {
    expect(loadSettings(environment)).toMatchObject({
      core: { authMode: 'enforced' },
      audit: { records: 'on' },
    });
    expect(loadSettings({ ...environment, AUTH_MODE: 'open' })).toMatchObject({
      core: { authMode: 'open' },
      audit: { records: 'on' },
    });
    expect(loadSettings({ ...environment, AUTH_MODE: 'open', AUDIT: 'off' }).audit.records).toBe('off');
  });

  it('warn at every start of open mode, with the machines that can connect', () => {
    const warningsOf = (environment: Record<string, string>): string =>
      describeStart(loadSettings(environment), environment).join('\n');
    expect(warningsOf({})).toContain('AUTH_MODE=open: every program on this machine');
    expect(warningsOf({ HOST: '0.0.0.0', AUTH_MODE: 'open' })).toContain(
      'AUTH_MODE=open: everyone who reaches this server can read and write everything (HOST is 0.0.0.0)',
    );
    expect(warningsOf({ AUTH_MODE: 'enforced' })).toBe('');
  });

  it('warn at the start of defaults that differ from earlier versions, with the settings that cause them', () => {
    const warningsOf = (environment: Record<string, string>): string =>
      describeStart(loadSettings(environment), environment).join('\n');
    const url = { PUBLIC_URL: 'https://fhir.example.org' };
    expect(warningsOf(url)).toMatch(
      /^AUTH_MODE is enforced and AUDIT is on, because PUBLIC_URL is https:\/\/fhir\.example\.org\. Earlier/,
    );
    expect(warningsOf({ ...url, AUTH_MODE: 'enforced' })).toMatch(/^AUDIT is on, because PUBLIC_URL is/);
    expect(warningsOf({ ...url, AUTH_MODE: 'enforced', AUDIT: 'on' })).toBe('');
    expect(warningsOf({ TRUST_PROXY: 'true' })).toMatch(/because TRUST_PROXY is set/);
  });

  it('warn at the start that private_key_jwt needs PUBLIC_URL where other machines can connect', () => {
    const warningsOf = (environment: Record<string, string>): string =>
      describeStart(loadSettings(environment), environment).join('\n');
    expect(warningsOf({ HOST: '0.0.0.0' })).toMatch(
      /^PUBLIC_URL is not set and HOST is 0\.0\.0\.0: .*private_key_jwt/,
    );
    expect(warningsOf({ HOST: '0.0.0.0', PUBLIC_URL: 'https://fhir.example.org' })).toBe('');
  });

  it('never print a secret, not even a malformed one', () => {
    const secret = 'swordfish';
    expect(faultsOf({ SECRET_KEYS: secret }).join()).not.toContain(secret);
    const settings = loadSettings({ FHIR_DATABASE_PASSWORD: secret, REDIS_PASSWORD: secret });
    const printed = settingNames().map((name) => printSetting(settings, name));
    expect(printed.join()).not.toContain(secret);
    expect(printSetting(settings, 'FHIR_DATABASE_PASSWORD')).toBe('********');
    expect(printSetting(settings, 'SECRET_KEYS')).toBe('');
  });

  it('print values that can be read again', () => {
    const settings = loadSettings({
      METRICS_ADDRESS: 'off',
      PUBLIC_URL: 'https://a.example,https://b.example',
    });
    const names = settingNames().filter((name) => !describeSetting(name).secret);
    const printed = Object.fromEntries(names.map((name) => [name, printSetting(settings, name)]));
    expect(loadSettings(printed)).toEqual(settings);
  });
});

describe('the memory of a process', () => {
  const MEGABYTE = 1024 * 1024;

  it('gives bodies and answers the memory that caches and the program leave', () => {
    const plan = planMemory(unset, 4096 * MEGABYTE);
    expect([plan.versionCacheBytes, plan.searchCacheBytes, plan.parsedBytes]).toEqual([
      128 * MEGABYTE,
      64 * MEGABYTE,
      48 * MEGABYTE,
    ]);
    expect(plan.bytesUnderWay).toBeGreaterThan(3072 * MEGABYTE);
  });

  it('has memory for a batch of 29 MB in a heap of 256 MB, and caches that shrink with the heap', () => {
    const { versionCacheBytes, searchCacheBytes, bytesUnderWay } = planMemory(unset, 304 * MEGABYTE);
    expect(bytesUnderWay).toBeGreaterThan(4 * 29 * MEGABYTE);
    expect(versionCacheBytes + searchCacheBytes).toBeLessThan(32 * MEGABYTE);
  });

  it('is divided by the settings', () => {
    const settings = { versionCacheMb: 0, searchCacheMb: 1, maxBytesUnderWay: 5 * MEGABYTE };
    expect(planMemory(settings, 256 * MEGABYTE)).toMatchObject({
      versionCacheBytes: 0,
      searchCacheBytes: MEGABYTE,
      bytesUnderWay: 5 * MEGABYTE,
    });
  });

  const unset = { versionCacheMb: undefined, searchCacheMb: undefined, maxBytesUnderWay: undefined };
});

describe('the limit of open files', () => {
  const limitsOf = (soft: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             127929               127929               processes \nMax open files            ${soft.padEnd(20)} 1048576              files     \n`;
  const environment = { MAX_CONNECTIONS: '1000', DATABASE_CONNECTIONS: '20', AUTH_MODE: 'enforced' };
  const warningsAt = (limits: string | undefined): readonly string[] =>
    describeStart(loadSettings(environment), environment, limits);

  it('causes a warning when it is lower than the connections that settings allow', () => {
    expect(warningsAt(limitsOf('1024'))).toEqual([
      'MAX_CONNECTIONS is 1000, but the process may open 1024 files: it needs 1084 (MAX_CONNECTIONS, DATABASE_CONNECTIONS and 64 for Redis, logs and files). Raise the limit (ulimit -n) or lower MAX_CONNECTIONS',
    ]);
  });

  it.each([
    ['is high enough', limitsOf('1084')],
    ['is unlimited', limitsOf('unlimited')],
    ['is not told by the system', undefined],
  ])('causes no warning when it %s', (_title, limits) => {
    expect(warningsAt(limits)).toEqual([]);
  });
});
