/** Search ranges against stored ranges of dates: https://hl7.org/fhir/R4/search.html#date. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Range {
  readonly from: number;
  readonly over: number;
}

const OPEN = Number.POSITIVE_INFINITY;
/** The start and the end of a value. */
const range = (from: string, over: string): Range => ({ from: Date.parse(from), over: Date.parse(over) });
const VALUES: Readonly<Record<string, { readonly is: object; readonly of: Range }>> = {
  year: { is: { effectiveDateTime: '2020' }, of: range('2020-01-01', '2021-01-01') },
  month: { is: { effectiveDateTime: '2020-03' }, of: range('2020-03-01', '2020-04-01') },
  day: { is: { effectiveDateTime: '2020-03-04' }, of: range('2020-03-04', '2020-03-05') },
  next: { is: { effectiveDateTime: '2020-03-05' }, of: range('2020-03-05', '2020-03-06') },
  second: {
    is: { effectiveDateTime: '2020-03-04T10:00:00Z' },
    of: range('2020-03-04T10:00:00Z', '2020-03-04T10:00:01Z'),
  },
  before: { is: { effectiveDateTime: '2019-12-31' }, of: range('2019-12-31', '2020-01-01') },
  after: { is: { effectiveDateTime: '2021-01-01' }, of: range('2021-01-01', '2021-01-02') },
  closed: {
    is: { effectivePeriod: { start: '2020-03-01', end: '2020-03-10' } },
    of: range('2020-03-01', '2020-03-11'),
  },
  // Open at its end, and at its beginning.
  begun: {
    is: { effectivePeriod: { start: '2020-03-04' } },
    of: { ...range('2020-03-04', '9999'), over: OPEN },
  },
  ended: {
    is: { effectivePeriod: { end: '2020-03-04' } },
    of: { ...range('0001', '2020-03-05'), from: -OPEN },
  },
};
const SEARCHED: Readonly<Record<string, Range>> = {
  '2020': range('2020-01-01', '2021-01-01'),
  '2020-03': range('2020-03-01', '2020-04-01'),
  '2020-03-04': range('2020-03-04', '2020-03-05'),
  '2020-03-05': range('2020-03-05', '2020-03-06'),
  '2020-03-04T10:00:00Z': range('2020-03-04T10:00:00Z', '2020-03-04T10:00:01Z'),
  '2019': range('2019-01-01', '2020-01-01'),
  '2021': range('2021-01-01', '2022-01-01'),
};
const isWithin = (value: Range, searched: Range): boolean =>
  value.from >= searched.from && value.over <= searched.over;
/** Widened by a tenth of its distance to now: this test does not use the border. */
const isAbout = (value: Range, { from, over }: Range): boolean => {
  const now = Date.now();
  const away = Math.max(0, from - now, now - over) / 10;
  return value.from < over + away && value.over > from - away;
};
const MEETS: Readonly<Record<string, (value: Range, searched: Range) => boolean>> = {
  '': isWithin,
  eq: isWithin,
  ge: (value, searched) => isWithin(value, searched) || value.over > searched.over,
  le: (value, searched) => isWithin(value, searched) || value.from < searched.from,
  ap: isAbout,
  ne: (value, searched) => !isWithin(value, searched),
  gt: (value, searched) => value.over > searched.over,
  lt: (value, searched) => value.from < searched.from,
  sa: (value, searched) => value.from >= searched.over,
  eb: (value, searched) => value.over <= searched.from,
};

describe.each(TESTED_RELEASES)('a date under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}${rest}`, body);

  beforeAll(async () => {
    for (const [id, { is }] of Object.entries(VALUES)) {
      const report = { resourceType: 'DiagnosticReport', id, status: 'final', code: { text: 'x' }, ...is };
      expect((await send('PUT', `/DiagnosticReport/${id}`, report)).status).toBe(201);
    }
  });

  it.each(Object.keys(MEETS))(
    'the prefix "%s" compares both ranges, whatever their precision',
    async (prefix) => {
      for (const [text, searched] of Object.entries(SEARCHED)) {
        const met = Object.keys(VALUES).filter((id) => {
          const value = VALUES[id]?.of;
          return value !== undefined && MEETS[prefix]?.(value, searched) === true;
        });
        const query = `date=${prefix}${text}`;
        const { status, json } = await send('GET', `/DiagnosticReport?${query}`);
        const entries = (json.entry ?? []) as readonly { readonly resource: { readonly id: string } }[];
        expect([query, status, entries.map(({ resource }) => resource.id).sort()]).toEqual([
          query,
          200,
          met.sort(),
        ]);
      }
    },
  );
});
