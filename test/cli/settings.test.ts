import { loadSettings, misspelledSettings } from '../../src/config';
import { closestName } from '../../packages/fhir-values/closest-name';

it.each([
  ['FHIR_DATABSE_HOST', 'FHIR_DATABASE_HOST'],
  ['FHIR_DATABASE_USER', 'FHIR_DATABASE_USERNAME'],
  ['FHIR_DATABASE_PASS', 'FHIR_DATABASE_PASSWORD'],
  ['fhir_database_port', 'FHIR_DATABASE_PORT'],
  ['REDIS_HOTS', 'REDIS_HOST'],
  ['PUBLIC_URLS', 'PUBLIC_URL'],
  ['MAX_BODY_BYTE', 'MAX_BODY_BYTES'],
])('the variable %s is taken for a misspelled %s', (written, meant) => {
  expect(misspelledSettings({ [written]: 'x' })).toEqual([
    `${written} is not a setting; did you mean ${meant}?`,
  ]);
});

it('variables of other programs are not taken for settings', () => {
  const others = [
    ...['PATH', 'HOME', 'HOSTNAME', 'HOSTS', 'PORTS', 'AUDITOR', 'LOGNAME', 'NODE_ENV', 'npm_config_host'],
    // Kubernetes sets these for a service with the name redis.
    ...['REDIS_SERVICE_HOST', 'REDIS_SERVICE_PORT', 'REDIS_PORT_6379_TCP', 'REDIS_PORT_6379_TCP_ADDR'],
    ...['REDIS_URL', 'FHIR_HOME', 'PORT', 'FHIR_DATABASE_HOST'],
  ];
  expect(misspelledSettings(Object.fromEntries(others.map((name) => [name, '1'])))).toEqual([]);
});

it('a misspelled name is reported with the fault that it causes', () => {
  expect(() => loadSettings({ REDIS_USERNAME: 'andiron', REDIS_PASWORD: 'secret' })).toThrow(
    'REDIS_USERNAME is set, but REDIS_PASSWORD is not\nREDIS_PASWORD is not a setting; did you mean REDIS_PASSWORD?',
  );
});

it('the closest name is the one with the fewest changes, or none', () => {
  expect(closestName('shwo', ['show', 'set'])).toBe('show');
  expect(closestName('remve', ['rename', 'remove'])).toBe('remove');
  expect(closestName('sing', ['show', 'set', 'list'])).toBeUndefined();
  expect(closestName('', ['show'])).toBeUndefined();
});
