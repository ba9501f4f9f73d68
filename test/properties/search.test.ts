/**
 * Random searches over random resources, compared with an oracle that shares no code with the server: it applies
 * docs/use/search-reference.md to the parsed resources one by one.
 */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';
import { rounds } from '../support/rounds';

const ROUNDS = rounds(50, 150);
const COUNT = 160;

let seed = 20261121;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), seed | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
const chance = (share: number): boolean => random() < share;

// Stored resources ---------------------------------------------------------------------------------------------------
interface Observation {
  resourceType: 'Observation';
  id: string;
  status: string;
  code: { coding: { system?: string; code: string }[] };
  category?: { coding: { system?: string; code: string }[] }[];
  subject?: { reference: string };
  performer?: { reference: string }[];
  effectiveDateTime?: string;
  effectivePeriod?: { start?: string; end?: string };
}
interface Patient {
  resourceType: 'Patient';
  id: string;
  name?: { family?: string; given?: string[]; text?: string }[];
  gender?: string;
  birthDate?: string;
  identifier?: { system?: string; value: string }[];
}

const SYSTEMS = ['http://loinc.org', 'urn:local', undefined];
const CODES = ['8310-5', '85354-9', 'A', 'a', 'b'];
const FAMILIES = [
  'Smith',
  'Smithson',
  'Muñoz',
  'Carreno Quinones',
  'van Helsing',
  'O’Neil',
  'Ødegård',
  'smith',
];
const GIVEN = ['Ann', 'Anna', 'José', 'Jo', 'Mary-Jane'];
const DATES = [
  '2019',
  '2020',
  '2020-02',
  '2020-02-29',
  '2020-03-01',
  '2020-03-01T10:00:00Z',
  '2020-03-01T10:00:00.500Z',
  '2020-03-01T12:00:00+02:00',
  '2021-06-15',
  '2021',
];
const PATIENT_IDS = Array.from({ length: 30 }, (_, index) => `pat-${index}`);

function makeCoding(): { system?: string; code: string } {
  const system = pick(SYSTEMS);
  return { ...(system === undefined ? {} : { system }), code: pick(CODES) };
}

function makeObservation(index: number): Observation {
  const start = pick(DATES);
  return {
    resourceType: 'Observation',
    id: `obs-${index}`,
    status: pick(['final', 'amended', 'preliminary']),
    code: { coding: chance(0.3) ? [makeCoding(), makeCoding()] : [makeCoding()] },
    ...(chance(0.5) ? { category: [{ coding: [makeCoding()] }] } : {}),
    ...(chance(0.8)
      ? { subject: { reference: `${pick(['Patient', 'Patient', 'Group'])}/${pick(PATIENT_IDS)}` } }
      : {}),
    ...(chance(0.4)
      ? {
          performer: [
            { reference: `Practitioner/${pick(['x', 'y'])}` },
            { reference: 'https://elsewhere.example/Practitioner/x' },
          ],
        }
      : {}),
    ...(chance(0.5)
      ? { effectiveDateTime: start }
      : chance(0.6)
        ? {
            effectivePeriod: pick<{ start?: string; end?: string }>([
              { start },
              { end: '2020-03-01T11:00:00Z' },
              { start: '2019', end: '2021' },
            ]),
          }
        : {}),
  };
}

function makePatient(id: string): Patient {
  const names = Array.from({ length: Math.floor(random() * 3) }, () => ({
    ...(chance(0.8) ? { family: pick(FAMILIES) } : {}),
    ...(chance(0.8) ? { given: [pick(GIVEN), ...(chance(0.3) ? [pick(GIVEN)] : [])] } : {}),
    ...(chance(0.1) ? { text: 'Dr. Strange' } : {}),
  }));
  return {
    resourceType: 'Patient',
    id,
    ...(names.length > 0 ? { name: names } : {}),
    ...(chance(0.7) ? { gender: pick(['male', 'female', 'other']) } : {}),
    ...(chance(0.7) ? { birthDate: pick(['1970', '1970-05', '1970-05-07', '1985-01-01', '2001']) } : {}),
    ...(chance(0.6)
      ? {
          identifier: [
            {
              ...(chance(0.7) ? { system: pick(['urn:mrn', 'urn:ssn']) } : {}),
              value: pick(['123', '124', 'Ab1']),
            },
          ],
        }
      : {}),
  };
}

// The oracle ---------------------------------------------------------------------------------------------------------
/** Half open, milliseconds; ends by the precision that is written. */
function rangeOf(text: string): [number, number] {
  const match = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d))?)?)?$/.exec(
    text,
  );
  if (match === null) throw new Error(`the oracle cannot read ${text}`);
  const [, year, month, day, hour] = match;
  if (hour !== undefined) {
    const at = Date.parse(text);
    return [at, at + (match[7] === undefined ? 1000 : 1)];
  }
  const y = Number(year);
  if (month === undefined) return [Date.UTC(y, 0, 1), Date.UTC(y + 1, 0, 1)];
  const m = Number(month) - 1;
  if (day === undefined) return [Date.UTC(y, m, 1), Date.UTC(y, m + 1, 1)];
  return [Date.UTC(y, m, Number(day)), Date.UTC(y, m, Number(day) + 1)];
}

function effectiveOf({ effectiveDateTime, effectivePeriod }: Observation): [number, number][] {
  if (effectiveDateTime !== undefined) return [rangeOf(effectiveDateTime)];
  if (effectivePeriod === undefined) return [];
  const { start, end } = effectivePeriod;
  return [
    [start === undefined ? -Infinity : rangeOf(start)[0], end === undefined ? Infinity : rangeOf(end)[1]],
  ];
}

function meetsDate([low, high]: [number, number], text: string): boolean {
  const prefix = /^(eq|ne|gt|lt|ge|le|sa|eb)/.exec(text)?.[0] ?? '';
  const [from, to] = rangeOf(text.slice(prefix.length));
  const within = from <= low && high <= to;
  switch (prefix) {
    case 'ne':
      return !within;
    case 'gt':
      return high > to;
    case 'lt':
      return low < from;
    case 'ge':
      return within || high > to;
    case 'le':
      return within || low < from;
    case 'sa':
      return low >= to;
    case 'eb':
      return high <= from;
    default:
      return within;
  }
}

function foldPlainly(text: string): string {
  return text
    .toLowerCase()
    .replace(/ø/g, 'o')
    .replace(/å/g, 'a')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

function meetsToken(codings: { system?: string; code: string }[], text: string, fold: boolean): boolean {
  const bar = text.indexOf('|');
  const system = bar === -1 ? undefined : text.slice(0, bar);
  const code = text.slice(bar + 1);
  const same = (a: string, b: string): boolean => (fold ? a.toLowerCase() === b.toLowerCase() : a === b);
  return codings.some(
    (coding) =>
      (system === undefined || (system === '' ? coding.system === undefined : coding.system === system)) &&
      (code === '' || same(coding.code, code)),
  );
}

type Oracle<R> = Record<string, (resource: R, value: string) => boolean>;
const OBSERVATION: Oracle<Observation> = {
  status: (o, value) =>
    meetsToken([{ system: 'http://hl7.org/fhir/observation-status', code: o.status }], value, false),
  code: (o, value) => meetsToken(o.code.coding, value, true),
  'combo-code': (o, value) => meetsToken(o.code.coding, value, true),
  category: (o, value) =>
    meetsToken(
      (o.category ?? []).flatMap((concept) => concept.coding),
      value,
      true,
    ),
  subject: (o, value) => o.subject?.reference === value,
  'subject:Patient': (o, value) => o.subject?.reference === `Patient/${value}`,
  patient: (o, value) => o.subject?.reference === `Patient/${value.replace('Patient/', '')}`,
  performer: (o, value) => (o.performer ?? []).some(({ reference }) => reference === value),
  date: (o, value) => effectiveOf(o).some((range) => meetsDate(range, value)),
  _id: (o, value) => o.id === value,
};
const words = (p: Patient): string[] =>
  (p.name ?? []).flatMap((n) => [n.family, ...(n.given ?? []), n.text].flatMap((t) => t ?? []));
const familyForms = (family: string): string[] => {
  const folded = foldPlainly(family);
  const parts = folded.split(' ');
  return parts.map((_part, index) => parts.slice(index).join(' '));
};
const startsAny = (forms: string[], value: string): boolean =>
  forms.some((form) => form.startsWith(foldPlainly(value)));
const PATIENT: Oracle<Patient> = {
  name: (p, value) =>
    startsAny(words(p).map(foldPlainly), value) ||
    startsAny(
      (p.name ?? []).flatMap(({ family }) => (family === undefined ? [] : familyForms(family))),
      value,
    ),
  family: (p, value) =>
    startsAny(
      (p.name ?? []).flatMap(({ family }) => (family === undefined ? [] : familyForms(family))),
      value,
    ),
  given: (p, value) => startsAny((p.name ?? []).flatMap(({ given }) => given ?? []).map(foldPlainly), value),
  'given:exact': (p, value) => (p.name ?? []).some(({ given }) => given?.includes(value) === true),
  gender: (p, value) =>
    p.gender !== undefined &&
    meetsToken([{ system: 'http://hl7.org/fhir/administrative-gender', code: p.gender }], value, false),
  birthdate: (p, value) => p.birthDate !== undefined && meetsDate(rangeOf(p.birthDate), value),
  identifier: (p, value) =>
    meetsToken(
      (p.identifier ?? []).map(({ value: code, ...rest }) => ({ ...rest, code })),
      value,
      true,
    ),
  _id: (p, value) => p.id === value,
};

const VALUES: Record<string, () => string> = {
  status: () =>
    pick(['final', 'Final', 'amended', 'http://hl7.org/fhir/observation-status|final', 'urn:x|final']),
  code: () => pick(['8310-5', 'a', 'A', 'http://loinc.org|A', 'urn:local|8310-5', '|b', 'urn:local|', 'zzz']),
  'combo-code': () => pick(['8310-5', 'a', 'http://loinc.org|A', '|b']),
  category: () => pick(['a', 'http://loinc.org|8310-5', '|A']),
  subject: () => `${pick(['Patient', 'Group'])}/${pick(PATIENT_IDS)}`,
  'subject:Patient': () => pick(PATIENT_IDS),
  patient: () => pick(['', 'Patient/']) + pick(PATIENT_IDS),
  performer: () => pick(['Practitioner/x', 'Practitioner/y', 'https://elsewhere.example/Practitioner/x']),
  date: () => pick(['', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb']) + pick(DATES),
  birthdate: () =>
    pick(['', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb']) + pick(['1970', '1970-05', '1970-05-07', '1984']),
  name: () =>
    pick(['smi', 'SMITH', 'munoz', 'quin', 'oz', 'ann', 'van hel', 'hel', 'dr', 'jose', 'oneil', 'o']),
  family: () => pick(['smith', 'Quinones', 'carreno q', 'odegard', 'ñoz']),
  given: () => pick(['an', 'Anna', 'JO', 'jane', 'mary']),
  'given:exact': () => pick(['Ann', 'ann', 'José', 'Jose']),
  gender: () => pick(['male', 'female', 'MALE', 'http://hl7.org/fhir/administrative-gender|other']),
  identifier: () => pick(['123', 'urn:mrn|123', '|124', 'urn:ssn|', 'ab1', 'urn:mrn|AB1']),
  _id: () => pick([...PATIENT_IDS, 'obs-3', 'obs-77', 'none']),
};

// The comparison -----------------------------------------------------------------------------------------------------
let server: HttpServer;
const observations = Array.from({ length: COUNT }, (_, index) => makeObservation(index));
const patients = PATIENT_IDS.map(makePatient);

beforeAll(async () => {
  server = await openSharedServer();
  for (const release of TESTED_RELEASES) {
    await Promise.all(
      [...observations, ...patients].map(async (resource) => {
        const path = `${server.path('system', release)}/${resource.resourceType}/${resource.id}`;
        const { status, text } = await server.request('PUT', path, resource);
        if (status !== 201) throw new Error(text);
      }),
    );
  }
});
afterAll(() => server.close());

interface Search {
  readonly query: string;
  readonly expected: string[];
}

function makeSearch<R extends { id: string }>(resources: readonly R[], oracle: Oracle<R>): Search {
  const criteria = Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const name = pick(Object.keys(oracle));
    const values = Array.from({ length: chance(0.3) ? 2 : 1 }, () => (VALUES[name] ?? (() => ''))());
    return { name, values };
  });
  const expected = resources
    .filter((resource) =>
      criteria.every(({ name, values }) => values.some((value) => oracle[name]?.(resource, value) === true)),
    )
    .map(({ id }) => id);
  const query = criteria
    .map(({ name, values }) => `${name}=${encodeURIComponent(values.join(','))}`)
    .join('&');
  return { query, expected: expected.sort() };
}

async function follow(first: string): Promise<string[]> {
  const ids: string[] = [];
  let path: string | undefined = first;
  for (let pages = 0; path !== undefined; pages++) {
    if (pages > 500) throw new Error('the pages never end');
    const { status, json, text } = await server.request('GET', path);
    if (status !== 200) throw new Error(`${path}: ${text}`);
    for (const entry of json.entry ?? []) ids.push(entry.resource.id as string);
    const next = json.link.find((link: { relation: string }) => link.relation === 'next') as
      { url: string } | undefined;
    path = next === undefined ? undefined : next.url.slice(server.base.length);
  }
  return ids;
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const cases = [
    ...Array.from({ length: ROUNDS }, () => ({
      type: 'Observation',
      ...makeSearch(observations, OBSERVATION),
    })),
    ...Array.from({ length: ROUNDS }, () => ({ type: 'Patient', ...makeSearch(patients, PATIENT) })),
  ];

  it('finds exactly the matches of the rules, each once, for any page size', async () => {
    const wrong: unknown[] = [];
    for (const { type, query, expected } of cases) {
      const sort = pick([
        '',
        '',
        '&_sort=-_lastUpdated',
        '&_sort=_id',
        ...(type === 'Patient' ? ['&_sort=name'] : ['&_sort=-date', '&_sort=date', '&_sort=-status,date']),
      ]);
      const path = `${server.path('system', release)}/${type}?${query}${sort}&_count=${pick([3, 7, 50])}`;
      const found = (await follow(path)).sort();
      if (JSON.stringify(found) !== JSON.stringify(expected))
        wrong.push({ query: query + sort, found, expected });
    }
    expect(wrong).toEqual([]);
  });

  it('counts its matches, each resource once', async () => {
    for (const { type, query, expected } of cases.slice(0, 60)) {
      const path = `${server.path('system', release)}/${type}?${query}`;
      const { json } = await server.request('GET', `${path}&_count=2&_total=accurate`);
      expect([query, json.total]).toEqual([query, expected.length]);
      const counted = await server.request('GET', `${path}&_summary=count`);
      expect([query, counted.json.total, counted.json.entry]).toEqual([query, expected.length, undefined]);
    }
  });

  it.each([
    'date',
    '-date',
    '_lastUpdated',
    '-_lastUpdated',
    '_id',
    '-status,date',
    'code,-_id',
    'subject,_id',
  ])('pages through _sort=%s in order, those without a value last', async (sort) => {
    const path = `${server.path('system', release)}/Observation`;
    const whole = await follow(`${path}?_sort=${sort}&_count=1000`);
    const paged = await follow(`${path}?_sort=${sort}&_count=7`);
    expect(paged).toEqual(whole);
    expect([...whole].sort()).toEqual(observations.map(({ id }) => id).sort());
    const first = sort.split(',')[0] ?? '';
    const values = whole.map((id) => sortValue(observations.find((o) => o.id === id) as Observation, first));
    const defined = values.filter((value) => value !== undefined);
    expect(values.slice(defined.length).every((value) => value === undefined)).toBe(true);
    const ordered = [...defined].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    if (first.startsWith('-')) ordered.reverse();
    if (!first.includes('_lastUpdated')) expect(defined).toEqual(ordered);
  });
});

function sortValue(resource: Observation, key: string): string | number | undefined {
  const descending = key.startsWith('-');
  const extreme = (texts: string[]): string | undefined => texts.sort().at(descending ? -1 : 0);
  switch (key.replace('-', '')) {
    case 'date': {
      const low = effectiveOf(resource)[0]?.[0];
      return low === -Infinity ? undefined : low;
    }
    case 'status':
      return resource.status;
    case 'code':
      return extreme(resource.code.coding.map(({ code }) => code.toLowerCase()));
    case 'subject':
      return resource.subject?.reference;
    default:
      return resource.id;
  }
}
