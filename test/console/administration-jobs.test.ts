import { pollAfter, progressOf, titleOf } from '../../console/src/screens/administration/jobs/job-words';
import { formatBytes } from '../../console/src/screens/administration/tenants/amounts';
import {
  changedSettings,
  clientRates,
  kindOfSetting,
  toSentence,
} from '../../console/src/screens/administration/tenants/setting-changes';
import { EXAMPLES, whyNotJson } from '../../console/src/screens/administration/policies/examples';

describe('A job', () => {
  it('is named by what it works on', () => {
    expect(titleOf({ kind: 'reindex', request: {} })).toBe('Reindex of R4 and R4B');
    expect(titleOf({ kind: 'reindex', request: { release: 'r4b' } })).toBe('Reindex of R4B');
    const request = { package: 'hl7.fhir.uv.ips@2.0.0', examples: true, dependencies: false, release: 'r4' };
    expect(titleOf({ kind: 'import-package', request })).toBe('hl7.fhir.uv.ips@2.0.0, R4, with examples');
    expect(titleOf({ kind: 'import-package', request: { bytes: 2_500 } })).toMatch(/^File of 2\.5/);
  });

  it('shows how far it is', () => {
    const progress = { package: 'a@1', resources: 200, stored: 40, unchanged: 9, refused: 1, packages: 0 };
    expect(progressOf({ kind: 'import-package', progress })).toEqual({
      text: 'a@1: 50 of 200 resources',
      percent: 25,
    });
    expect(
      progressOf({ kind: 'reindex', progress: { release: 'r4', resources: 0, compared: 0, repaired: 0 } }),
    ).toEqual({ text: 'R4: 0 of 0 compared', percent: 0 });
  });

  it('is asked the more seldom the longer it runs', () => {
    const created = '2026-11-28T00:00:00Z';
    const at = (seconds: number): number => Date.parse(created) + seconds * 1000;
    expect(pollAfter(created, at(0))).toBe(500);
    expect(pollAfter(created, at(30))).toBe(3_000);
    expect(pollAfter(created, at(3_600))).toBe(10_000);
  });
});

describe('The settings of a tenant', () => {
  const tenant = {
    settings: { validation: 'full', 'rate-limit': 'off', 'rate-limit-client.a1': '50/s' },
    own: ['rate-limit-client.a1'],
  };

  it('are sent where they differ', () => {
    expect(changedSettings({ validation: 'full', 'rate-limit': ' 50/s ' }, tenant)).toEqual({
      'rate-limit': '50/s',
    });
  });

  it('have inputs by their kind', () => {
    const setting = { name: 'a', default: 'off', meaning: '', fixed: false, operator: false };
    expect(kindOfSetting({ ...setting, values: ['full', 'lenient'] })).toBe('choice');
    expect(kindOfSetting({ ...setting, expects: 'off, or a rate such as 50/s' })).toBe('text');
  });

  it('limit single clients by name', () => {
    expect(clientRates(tenant)).toEqual([{ client: 'a1', rate: '50/s' }]);
  });

  it('are described in sentences without marks', () => {
    expect(toSentence('Requests of each client; `x.ID` applies')).toBe(
      'Requests of each client; x.ID applies.',
    );
  });
});

describe('Amounts and policies', () => {
  it('have the largest unit that fits', () => {
    expect(formatBytes(0, 'en')).toBe('0 bytes');
    expect(formatBytes(999, 'en')).toBe('999 bytes');
    expect(formatBytes(22_361_000, 'en')).toBe('22.4 MB');
  });

  it('say where a text is no JSON', () => {
    expect(whyNotJson('{"rules": [}')).toMatch(/JSON/);
    expect(whyNotJson(JSON.stringify(EXAMPLES.ward))).toBeUndefined();
  });
});
