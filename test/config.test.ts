import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { ConfigurationError, describeSetting, loadSettings, printSetting, settingNames } from '../src/config';

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
  it('have the names and defaults of the specification', () => {
    expect(loadSettings({})).toMatchObject({
      FHIR_DATABASE_NAME: 'andiron',
      FHIR_DATABASE_HOST: 'localhost',
      FHIR_DATABASE_PORT: 5432,
      FHIR_DATABASE_PASSWORD: '',
      FHIR_DATABASE_USERNAME: 'postgres',
      FHIR_DATABASE_SSL: false,
      REDIS_HOST: '127.0.0.1',
      REDIS_PORT: 6379,
    });
  });

  it('take the default for an empty value', () => {
    expect(loadSettings({ FHIR_DATABASE_PORT: '', FHIR_DATABASE_HOST: ' ', AUTH_MODE: '' })).toMatchObject({
      FHIR_DATABASE_PORT: 5432,
      FHIR_DATABASE_HOST: 'localhost',
      AUTH_MODE: 'open',
    });
  });

  it('read lists, addresses and booleans', () => {
    const settings = loadSettings({
      PUBLIC_URL: 'https://fhir.example.org/base/, http://localhost:3000',
      CORS_ORIGINS: 'https://app.example.org,http://localhost:5173',
      FHIR_DATABASE_SSL: 'TRUE',
      TRUST_PROXY: '10.0.0.0/8, ::1',
      METRICS_ADDRESS: '[::1]:9000',
    });
    expect(settings.PUBLIC_URL).toEqual(['https://fhir.example.org/base', 'http://localhost:3000']);
    expect(settings.CORS_ORIGINS).toEqual(['https://app.example.org', 'http://localhost:5173']);
    expect(settings.FHIR_DATABASE_SSL).toBe(true);
    expect(settings.TRUST_PROXY).toEqual(['10.0.0.0/8', '::1']);
    expect(settings.METRICS_ADDRESS).toEqual({ host: '::1', port: 9000 });
  });

  it.each(['', 'off'])('switch metrics off with METRICS_ADDRESS=%p', (METRICS_ADDRESS) => {
    expect(loadSettings({ METRICS_ADDRESS }).METRICS_ADDRESS).toBeUndefined();
  });

  it('keep blanks in a password', () => {
    expect(loadSettings({ FHIR_DATABASE_PASSWORD: ' a b ' }).FHIR_DATABASE_PASSWORD).toBe(' a b ');
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
    ['FHIR_EXTENSION_BASE', 'StructureDefinition'],
  ])('refuse %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(`${name} must be`)]);
  });

  it('refuse contradictions', () => {
    expect(faultsOf({ REDIS_USERNAME: 'andiron' })).toEqual([
      expect.stringContaining('REDIS_PASSWORD is not'),
    ]);
    expect(faultsOf({ MAX_BUNDLE_BYTES: '1024' })).toEqual([
      expect.stringContaining('smaller than MAX_BODY_BYTES'),
    ]);
  });

  it.each([
    ['FHIR_DATABASE_CA_FILE', 'FHIR_DATABASE_SSL'],
    ['REDIS_CA_FILE', 'REDIS_TLS'],
  ])('refuse a %s that could make nobody trusted', (name, encrypted) => {
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
      `${name} names a file with a certificate that cannot be understood; it is '${file}'`,
    ]);
    expect(faultsOf({ [name]: folder, [encrypted]: 'true' })).toEqual([
      `${name} names a file that cannot be read; it is '${folder}'`,
    ]);
    rmSync(folder, { recursive: true });
    expect(faultsOf({ [name]: file, [encrypted]: 'true' })).toEqual([
      `${name} names a file that cannot be read; it is '${file}'`,
    ]);
  });

  it.each(['localhost', '127.0.0.1', '127.1.2.3', '::1'])(
    'answer without credentials by default on %s',
    (HOST) => {
      expect(loadSettings({ HOST }).AUTH_MODE).toBe('open');
    },
  );

  it.each(['0.0.0.0', '::', '192.168.1.2', 'fhir.example.org'])(
    'must ask for open mode by name on %s',
    (HOST) => {
      expect(loadSettings({ HOST }).AUTH_MODE).toBe('enforced');
      expect(loadSettings({ HOST, AUTH_MODE: 'open' }).AUTH_MODE).toBe('open');
    },
  );

  it('never print a secret, not even a malformed one', () => {
    const secret = 'swordfish';
    expect(faultsOf({ SECRET_KEYS: secret }).join()).not.toContain(secret);
    const settings = loadSettings({ FHIR_DATABASE_PASSWORD: secret, REDIS_PASSWORD: secret });
    const printed = settingNames().map((name) => printSetting(settings, name));
    expect(printed.join()).not.toContain(secret);
    expect(printSetting(settings, 'FHIR_DATABASE_PASSWORD')).toBe('********');
    expect(printSetting(settings, 'SECRET_KEYS')).toBe('');
  });

  it('print what can be read again', () => {
    const settings = loadSettings({
      METRICS_ADDRESS: 'off',
      PUBLIC_URL: 'https://a.example,https://b.example',
    });
    const names = settingNames().filter((name) => !describeSetting(name).secret);
    const printed = Object.fromEntries(names.map((name) => [name, printSetting(settings, name)]));
    expect(loadSettings(printed)).toEqual(settings);
  });
});
