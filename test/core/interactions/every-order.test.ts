/** `_sort` by every kind of key, alone and before every other: many matches stand as few of them do, page by page. */
import { toResourceInput, type Release, type RequestContext } from '../../../src/core';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { OPEN } from '../../support/server';
import { TESTED_RELEASES } from '../../support/releases';

let database: TestDatabase;
/** Gathers the matches and sorts what their texts say. */
let few: OpenedCore;
/** Gathers none: PostgreSQL sorts them by index rows. */
let many: OpenedCore;
beforeAll(async () => {
  database = await createTestDatabase();
  const environment = {
    SECRET_KEYS: 'one-secret-key-of-thirty-two-characters',
    ...OPEN,
    PUBLIC_URL: 'https://here.example',
  };
  few = await openCore({ database, environment });
  many = await openCore({ database, environment: { ...environment, SEARCH_SORT_LIMIT: '0' } });
});
afterAll(async () => {
  await few.close();
  await many.close();
  await database.drop();
});

const OWN_ID = '0dxk3t9w8n5v7';
const SUBJECTS: readonly (object | undefined)[] = [
  { reference: 'Patient/there' },
  { reference: 'https://here.example/w/system/api/fhir/r4/Patient/there' },
  { reference: 'Patient/there/_history/1' },
  { reference: 'Patient/gone' },
  { reference: 'Group/gone' },
  { reference: '#inside' },
  { identifier: { value: 'alone' } },
  { reference: 'https://elsewhere.example/Patient/7' },
  undefined,
];
const PERFORMERS: readonly object[] = [
  { reference: 'https://elsewhere.example/Practitioner/7' },
  { reference: 'urn:uuid:0b5f1d1e-9f6e-4f6c-8c75-6a2f1b1c0a11' },
  { reference: 'Practitioner/a' },
  { reference: 'Organization/a' },
];
const CODES: readonly object[] = [
  { coding: [{ code: 'm' }, { code: 'z' }] },
  { coding: [{ system: 'urn:a', code: 'B' }] },
  { coding: [{ system: 'urn:b', code: 'b' }] },
  { text: 'words alone' },
  { coding: [{ code: '𐐀' }, { code: 'ﬀ' }] },
];
const VALUES: readonly object[] = [
  { valueQuantity: { value: 5 } },
  { valueQuantity: { value: 5, comparator: '>' } },
  { valueQuantity: { value: 5, comparator: '<' } },
  { valueQuantity: { value: -5, comparator: '>' } },
  { valueQuantity: { value: 0, comparator: '>' } },
  { valueQuantity: { value: 1e-8 } },
  { valueString: 'Ångström' },
  { valueString: 'ﬀ' },
  { valueDateTime: '2019-05' },
  { valuePeriod: { end: '2018' } },
  {},
];
const DATES: readonly object[] = [
  { effectiveDateTime: '2020-02' },
  { effectiveDateTime: '2020-02-01T10:00:00.5Z' },
  { effectivePeriod: { start: '2019' } },
  {},
  {},
];

function observation(number: number): object {
  return {
    resourceType: 'Observation',
    status: number % 3 === 0 ? 'final' : 'amended',
    code: CODES[number % CODES.length],
    identifier:
      number % 4 === 3
        ? []
        : [{ value: `I-${(number * 7) % 12}` }, { system: 'urn:i', value: `i-${number}` }],
    contained: number % SUBJECTS.length === 5 ? [{ resourceType: 'Patient', id: 'inside' }] : [],
    subject: SUBJECTS[number % SUBJECTS.length],
    performer: PERFORMERS.slice(number % PERFORMERS.length, (number % PERFORMERS.length) + (number % 3)),
    component: number % 5 === 0 ? [{ code: CODES[1], ...VALUES[(number / 5) % 6] }] : [],
    ...VALUES[number % VALUES.length],
    ...DATES[number % DATES.length],
  };
}

async function fill(context: RequestContext): Promise<void> {
  const put = async (resource: object, type: string, id?: string): Promise<string> => {
    const text = JSON.stringify(
      { ...resource, ...(id === undefined ? {} : { id }) },
      (_name, value: unknown) => (Array.isArray(value) && value.length === 0 ? undefined : value),
    );
    const input = toResourceInput(text, { maxDepth: 64 });
    if (id !== undefined) await few.core.interactions.update(context, { type, id, input });
    else return (await few.core.interactions.create(context, type, input)).version.id;
    return id;
  };
  await put({ resourceType: 'Patient' }, 'Patient', 'there');
  const made = await put(observation(0), 'Observation');
  for (let number = 1; number < 34; number++) {
    const id = number % 3 === 0 ? undefined : `${number % 3 === 1 ? OWN_ID : 'o'}-${number}`;
    await put(observation(number), 'Observation', id);
  }
  // Around an id of ours: what begins as it does, and as its first digits.
  await put(observation(34), 'Observation', `${made}-copy`);
  await put(observation(35), 'Observation', `${made.slice(0, 13)}-2`);
  await put(observation(36), 'Observation', `${made.slice(0, 15)}`);
  await put({ ...observation(40), subject: { reference: `Patient/${made}` } }, 'Observation', 'p-1');
  await put({ ...observation(38), subject: { reference: `Patient/${made}-1` } }, 'Observation', 'p-2');
}

describe.each(TESTED_RELEASES)('a sorted search in %s', (release: Release) => {
  let context: RequestContext;
  beforeAll(async () => {
    context = await few.context('system', release);
    await fill(context);
  });

  async function follow(
    cores: readonly OpenedCore[],
    sort: string,
    count: number,
    backward = false,
  ): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; ; page++) {
      const { core } = cores[page % cores.length] as OpenedCore;
      const found = await core.interactions.search(context, {
        type: 'Observation',
        bothWays: true,
        parameters: [
          ['status', 'final,amended'],
          ['_sort', sort],
          ['_count', String(count)],
          ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
        ],
      });
      const shown = found.matches.map(({ id }) => id);
      if (!backward) ids.push(...shown);
      else if (page > 0) ids.unshift(...shown);
      cursor = !backward ? found.next : page === 0 ? found.last : found.previous;
      if (cursor === undefined) return ids;
    }
  }

  // The same code for both releases; each of them shows a half.
  const isFirst = release === 'r4';

  it(`sorts by each key alone, ${isFirst ? 'ascending' : 'descending'}`, async () => {
    const parameters = [...loadDefinitions(release).searchParameters('Observation').values()];
    // Parameters that the server computes (`_content`, `_text` …) have no expression, and no values to sort by.
    const codes = parameters.flatMap(({ code, kind, expression }) =>
      kind === 'composite' || kind === 'special' || expression === undefined ? [] : [code],
    );
    expect(codes.length).toBeGreaterThan(25);
    for (const code of ['_id', '_lastUpdated', ...codes]) {
      const sort = isFirst ? code : `-${code}`;
      const order = await follow([few], sort, 1000);
      expect(order.length).toBe(39);
      expect([sort, await follow([many], sort, 1000)]).toEqual([sort, order]);
    }
  });

  const KEYS = [
    '_id',
    'subject',
    'code',
    'performer',
    'value-quantity',
    'value-string',
    'date',
    '_lastUpdated',
  ];
  it.each(KEYS)(
    'sorts by %s and a second key in pages, forward and backward, with any access path',
    async (first) => {
      const at = KEYS.indexOf(first);
      for (const step of isFirst ? [1, 3] : [2, 5]) {
        const second = KEYS[(at + step) % KEYS.length] ?? '';
        const sort = `${at % 3 === 0 ? '-' : ''}${first},${step % 2 === 0 ? '' : '-'}${second},identifier`;
        const order = await follow([few], sort, 1000);
        expect([sort, await follow([many, few], sort, 16)]).toEqual([sort, order]);
        expect([sort, await follow([many], sort, 14, true)]).toEqual([sort, order]);
      }
    },
  );
});
