/** Searches that could keep the server busy are answered or refused in under a second, over a thousand resources. */
import type { Release } from '../../src/core';
import { startServer, type TestServer } from '../support/server';
import { slowness } from '../support/machine-speed';
import { TESTED_RELEASES } from '../support/releases';

const RESOURCES = 1_000;
const LEVELS = 11;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const observation = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  subject: { reference: 'Patient/one' },
  effectiveDateTime: '2020-02-02',
  valueQuantity: { value: 70, system: 'http://unitsofmeasure.org', code: '/min' },
  note: [{ text: 'the same' }],
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  for (const release of TESTED_RELEASES) {
    const observations = Array.from({ length: RESOURCES }, () => ({
      resource: observation,
      request: { method: 'POST', url: 'Observation' },
    }));
    const patients = Array.from({ length: RESOURCES }, (_, index) => ({
      resource: { resourceType: 'Patient', id: `p${index}`, name: [{ family: `Xavier ${index}` }] },
      request: { method: 'PUT', url: `Patient/p${index}` },
    }));
    const organizations = Array.from({ length: LEVELS }, (_, index) => ({
      resource: {
        ...{ resourceType: 'Organization', id: `level-${index}`, name: 'Level' },
        ...(index === 0 ? {} : { partOf: { reference: `Organization/level-${index - 1}` } }),
      },
      request: { method: 'PUT', url: `Organization/level-${index}` },
    }));
    const entry = [...observations, ...patients, ...organizations];
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    expect((await server.request('POST', server.path('system', release), bundle)).status).toBe(200);
  }
});
afterAll(() => server.close());

/** Parameters of every kind, with and without their modifiers: the part before the value. */
const CRITERIA: readonly string[] = [
  ...['Patient?name=', 'Patient?name:contains=', 'Patient?name:exact=', 'Patient?name:text='],
  ...['Observation?code=', 'Observation?code:not=', 'Observation?code:text=', 'Observation?code:in='],
  ...['Observation?code:below=', 'Patient?identifier:of-type=', 'Observation?status='],
  ...['ValueSet?url=', 'ValueSet?url:below=', 'ValueSet?url:above=', 'ValueSet?url:contains='],
  ...['Observation?subject=', 'Observation?subject:Patient=', 'Observation?subject:identifier='],
  ...['Observation?date=', 'RiskAssessment?probability=', 'Observation?value-quantity='],
  ...['Observation?code-value-quantity=', 'Location?near=', 'Patient?birthdate:missing='],
  ...['Patient?_id=', 'Patient?_lastUpdated=', 'Patient?_tag=', 'Patient?_profile=', 'Patient?_source='],
  ...['Patient?_text=', 'Patient?_content=', 'Patient?_filter=', 'Patient?_list=', 'Patient?_query='],
  ...['Observation?subject:Patient.name=', 'Patient?_has:Observation:patient:code=', '?_type=', '?_id='],
  ...[
    'Patient?_sort=',
    'Patient?_include=',
    'Patient?_revinclude=',
    'Patient?_elements=',
    'Patient?_summary=',
  ],
  ...['Patient?_count=', 'Patient?_offset=', 'Patient?_total=', 'Patient?_cursor=', 'Patient?_contained='],
];

const INJECTIONS: readonly string[] = [
  "'",
  "'; drop table andiron.resource; --",
  '" or ""="',
  '\u0000',
  '%',
  '_',
  '$1',
  '\\',
  '{}',
  '[[',
  'a|b|c|d',
  "1' or '1'='1",
  '*/ union select id from resource /*',
  '\u{1F600}\u202E',
  '.*(a+)+$',
];

const listOf = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',');
const repeated = (count: number, item: string): string => Array.from({ length: count }, () => item).join('&');
const differing = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join('&');
const chain = (link: string, depth: number): string => link.repeat(depth);

/** A search, and the statuses that may answer it. */
const LARGE: readonly (readonly [title: string, query: string, statuses: readonly number[]])[] = [
  ...CRITERIA.flatMap((criterion): [string, string, number[]][] => [
    [`a value of 10 kB: ${criterion}`, criterion + 'x'.repeat(10_000), [200, 400, 422]],
    [`words of 10 kB: ${criterion}`, criterion + 'xa (b '.repeat(1_700), [200, 400, 422]],
  ]),
  ...CRITERIA.map((criterion): [string, string, number[]] => [
    `1,000 values: ${criterion}`,
    criterion + listOf(1_000, (index) => `${index + 1}`),
    [200, 400, 422],
  ]),
  ['1,000 codes', `Observation?code=${listOf(1_000, (index) => `http://loinc.org|${index}-1`)}`, [200]],
  [
    '1,000 codes and an order',
    `Observation?_sort=-date&code=${listOf(1_000, (index) => `${index}-1`)}`,
    [200],
  ],
  ['1,000 names', `Patient?name=${listOf(1_000, (index) => `xavier ${index}`)}`, [200]],
  [
    '1,000 names along a chain',
    `Observation?subject:Patient.name=${listOf(1_000, (i) => `xavier ${i}`)}`,
    [200],
  ],
  ['1,000 ids', `Patient?_id=${listOf(1_000, (index) => `p${index}`)}`, [200]],
  ['1,000 references', `Observation?subject=${listOf(1_000, (index) => `Patient/p${index}`)}`, [200]],
  ['1,000 dates', `Observation?date=${listOf(1_000, (index) => `ge${1900 + (index % 200)}`)}`, [200]],
  [
    '1,000 quantities',
    `Observation?value-quantity=${listOf(1_000, (i) => `${i}|http://unitsofmeasure.org|/min`)}`,
    [200],
  ],
  ['1,000 composites', `Observation?code-value-quantity=${listOf(1_000, (i) => `8867-4$gt${i}`)}`, [200]],
  ['1,001 values', `Observation?code=${listOf(1_001, (index) => `${index}`)}`, [422]],
  ['50 parameters', `Observation?${repeated(50, 'code=8867-4')}`, [200]],
  [
    '50 parameters of ten kinds',
    `Observation?${repeated(5, 'code=8867-4&status=final&date=ge2000&value-quantity=gt1&subject=Patient/one&code:not=x&date:missing=false&_lastUpdated=gt2000&_tag:missing=true&code-value-quantity=8867-4$gt1')}`,
    [200],
  ],
  ['50 parts of names', `Patient?${repeated(50, 'name:contains=av')}`, [200]],
  ['50 chains', `Observation?${repeated(50, 'subject:Patient.name=xavier')}`, [200]],
  ['50 _has', `Patient?${repeated(50, '_has:Observation:patient:code=8867-4')}`, [200]],
  ['50 chains of ten', `Organization?${repeated(50, `${chain('partof.', 10)}name=level`)}`, [422]],
  [
    '10 chains of ten',
    `Organization?${differing(10, (index) => `${chain('partof.', 10)}name=level,${index}`)}`,
    [200],
  ],
  ['50 different chains', `Observation?${differing(50, (i) => `subject:Patient.name=xavier,${i}`)}`, [200]],
  ['50 different parameters', `Observation?${differing(50, (index) => `date=ge${1950 + index}`)}`, [200]],
  ['51 parameters', `Observation?${repeated(51, 'code=8867-4')}`, [422]],
  ['50 includes', `Observation?_count=1000&${repeated(50, '_include=Observation:subject')}`, [200]],
  ['51 includes', `Observation?${repeated(51, '_include=Observation:subject')}`, [422]],
  ['a chain of ten', `Organization?${chain('partof.', 10)}name=level`, [200]],
  ['a chain of ten with types', `Organization?${chain('partof:Organization.', 10)}name=level`, [200]],
  ['a chain of eleven', `Organization?${chain('partof.', 11)}name=level`, [422]],
  ['a chain of ten without types', `Observation?${chain('focus.', 9)}code=x`, [200, 422]],
  ['_has of ten', `Organization?${chain('_has:Organization:partof:', 10)}name=level`, [200]],
  ['_has of eleven', `Organization?${chain('_has:Organization:partof:', 11)}name=level`, [422]],
  ['_has and chains of ten', `Organization?${chain('_has:Organization:partof:partof.', 5)}name=level`, [200]],
];

describe.each(TESTED_RELEASES)('a search that is too much under %s', (release: Release) => {
  /** By GET as far as an address may go, and by POST. */
  async function expectAnswer(query: string, statuses: readonly number[], echo = ''): Promise<void> {
    const [type = '', ...rest] = query.split('?');
    const form = rest
      .join('?')
      .split('&')
      .map((pair) => {
        const [name = '', ...value] = pair.split('=');
        return `${encodeURIComponent(name)}=${encodeURIComponent(value.join('='))}`;
      })
      .join('&');
    const root = `${server.path('system', release)}${type === '' ? '' : `/${type}`}`;
    for (const isPosted of form.length > 40_000 ? [true] : [false, true]) {
      const begun = performance.now();
      const { status, json, text } = await (isPosted
        ? server.request('POST', `${root}/_search`, form, FORM)
        : server.request('GET', `${root}?${form}`));
      const took = performance.now() - begun;
      expect([
        isPosted,
        statuses.includes(status) ? 'as expected' : `${status} ${text.slice(0, 300)}`,
      ]).toEqual([isPosted, 'as expected']);
      expect(json.resourceType).toBe(status === 200 ? 'Bundle' : 'OperationOutcome');
      // Nothing of SQL, of the database or of the program.
      const withoutEcho = echo === '' ? text : text.replaceAll(JSON.stringify(echo).slice(1, -1), '');
      if (status !== 200)
        expect(withoutEcho).not.toMatch(/select |andiron\.|syntax error at or near|\.js:|stack/i);
      if (took > 1_000) expect(took / slowness()).toBeLessThan(1_000);
    }
  }

  it.each(INJECTIONS)(
    '%j as a value of every kind is answered or refused in under a second',
    async (text) => {
      // An `&` or `=` in it would be another parameter.
      const name = text.replace(/[&=]/g, '');
      for (const criterion of CRITERIA) await expectAnswer(criterion + name, [200, 400], name);
      for (const type of ['Patient', 'Observation']) {
        for (const query of [
          `${name}=1`,
          `name${name}=1`,
          `code:${name}=1`,
          `subject:${name}.name=1`,
          `_has:${name}=1`,
        ])
          await expectAnswer(`${type}?${query}`, [200, 400], name);
      }
    },
  );

  it.each(LARGE)('%s is answered or refused in under a second', async (_title, query, statuses) => {
    await expectAnswer(query, statuses);
  });

  it('afterwards everything is found', async () => {
    for (const [type, count] of [
      ['Observation', RESOURCES],
      ['Patient', RESOURCES],
      ['Organization', LEVELS],
    ] as const) {
      const { json } = await server.request('GET', `${server.path('system', release)}/${type}?_count=0`);
      expect([type, json.total]).toEqual([type, count]);
    }
  });
});
