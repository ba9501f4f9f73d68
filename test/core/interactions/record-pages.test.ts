/** The pages of `$everything` with limits that a small record reaches: each resource comes once, and all of them. */
import type { Invocation, RequestContext, SearchPage } from '../../../src/core';
import { RECORD_LIMITS } from '../../../src/core/interactions/compartment/record-limits';
import { openCore, type OpenedCore } from '../../support/core';
import {
  ANN,
  ANNS,
  BOB,
  BROUGHT,
  SHARED,
  namesOf,
  observation,
  type Resource,
} from '../../support/patient-record';

let opened: OpenedCore;
let context: RequestContext;

const put = async (resource: Resource): Promise<void> => {
  const { resourceType: type, id } = resource;
  await opened.core.interactions.update(context, { type, id, input: { text: JSON.stringify(resource) } });
};
const entity = (to: string) => ({ entity: { reference: to } });
const group = (id: string, ...members: object[]): Resource => ({
  ...{ resourceType: 'Group', id, type: 'person', actual: true },
  ...(members.length === 0 ? {} : { member: members }),
});

/** Three with a resource of their own and one between them; the ward has them with Ann and Bob. */
const OTHERS = ['c', 'd', 'e'].map((id): Resource => ({ resourceType: 'Patient', id }));
const APPOINTMENT: Resource = {
  ...{ resourceType: 'Appointment', id: 'together', status: 'proposed' },
  participant: ['c', 'e', 'ann'].map((id) => ({
    ...{ actor: { reference: `Patient/${id}` }, status: 'accepted' },
  })),
};
const INNER = group('inner', entity('Patient/d'), entity('Patient/e'));
const WARD = group(
  'ward',
  entity('Patient/ann'),
  entity('Patient/bob'),
  entity('Patient/c'),
  entity('Group/inner'),
);
const OF_WARD = [
  ...[...ANN, ...BOB, ...OTHERS, APPOINTMENT, INNER, WARD],
  ...['c', 'd', 'e'].map((id) => observation(`of-${id}`, `Patient/${id}`)),
];
const BROUGHT_BY_WARD = [...BROUGHT, 'Practitioner/stranger'].sort();

beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
  for (const resource of [...SHARED, ...BOB, ...ANN, ...OF_WARD]) await put(resource);
});
afterAll(() => opened.close());
afterEach(() => jest.restoreAllMocks());

const limit = (limits: Partial<typeof RECORD_LIMITS>): void => {
  for (const [name, value] of Object.entries(limits))
    jest.replaceProperty(RECORD_LIMITS, name as keyof typeof RECORD_LIMITS, value);
};

async function pagesOf(
  address: Pick<Invocation, 'type' | 'id'>,
  query: Readonly<Record<string, string>> = {},
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<readonly SearchPage[]> {
  const pages: SearchPage[] = [];
  for (let cursor: string | undefined; pages.length === 0 || cursor !== undefined;) {
    const result = await opened.core.interactions.invoke(context, {
      ...{
        ...address,
        level: address.id === undefined ? 'type' : 'instance',
        code: 'everything',
        safe: true,
      },
      query: [...Object.entries(query), ...(cursor === undefined ? [] : [['_cursor', cursor] as const])],
    });
    if (!('page' in result)) throw new Error('a record has pages');
    pages.push(result.page);
    if (pages.length > 2_000) throw new Error('the pages have no end');
    cursor = result.page.next;
    if (cursor !== undefined) await between(pages.length);
  }
  return pages;
}

const namesIn = (pages: readonly SearchPage[], mode: 'matches' | 'included'): readonly string[] =>
  pages.flatMap((page) => page[mode].map(({ type, id }) => `${type}/${id}`)).sort();

const LIMITS: readonly Partial<typeof RECORD_LIMITS>[] = [
  {},
  { names: 2 },
  { names: 1, included: 3, carried: 2, scanned: 3 },
  { names: 0, included: 2, carried: 1, scanned: 6, scannedCharacters: 1, followed: 2, read: 2 },
];

it.each(LIMITS)(
  'the record of a patient, of an encounter and of all patients is whole with %j',
  async (limits) => {
    limit(limits);
    const ann = await pagesOf({ type: 'Patient', id: 'ann' }, { _count: '7' });
    expect(namesIn(ann, 'matches')).toEqual([...ANNS, 'Appointment/together', 'Group/ward'].sort());
    expect(namesIn(ann, 'included')).toEqual([...BROUGHT].sort());
    const practitioners = await pagesOf({ type: 'Patient', id: 'ann' }, { _type: 'Practitioner' });
    expect(namesIn(practitioners, 'matches')).toEqual([]);
    expect(namesIn(practitioners, 'included')).toEqual(['Practitioner/doctor', 'Practitioner/nurse']);
    const visit = await pagesOf({ type: 'Encounter', id: 'visit-2019' }, { _count: '1' });
    expect(namesIn(visit, 'matches')).toEqual(['Encounter/visit-2019', 'Observation/pulse-2019']);
    expect(namesIn(visit, 'included')).toEqual([
      ...['Location/ward', 'Patient/ann', 'Practitioner/doctor', 'Practitioner/nurse'],
    ]);
    const everybody = await pagesOf({ type: 'Patient' }, { _count: '3' });
    expect(namesIn(everybody, 'matches')).toEqual(namesOf(OF_WARD));
    expect(namesIn(everybody, 'included')).toEqual(BROUGHT_BY_WARD);
  },
);

it.each(
  [...LIMITS, { members: 2, parts: 1 }, { members: 1, parts: 2 }, { members: 1, parts: 1, read: 3 }].flatMap(
    (limits) => ['2', '100'].map((count) => ({ members: 1, parts: 3, ...limits, count })),
  ),
)('the record of a group is whole with %j', async ({ count, ...limits }) => {
  limit(limits);
  const pages = await pagesOf({ type: 'Group', id: 'ward' }, { _count: count });
  expect(namesIn(pages, 'matches')).toEqual(namesOf(OF_WARD));
  expect(namesIn(pages, 'included')).toEqual(BROUGHT_BY_WARD);
  for (const { matches } of pages) expect(matches.length).toBeLessThanOrEqual(Number(count));
  const typed = await pagesOf({ type: 'Group', id: 'ward' }, { _count: count, _type: 'Group,Practitioner' });
  expect(namesIn(typed, 'matches')).toEqual(['Group/inner', 'Group/ward']);
  expect(namesIn(typed, 'included')).toEqual(
    BROUGHT_BY_WARD.filter((name) => name.startsWith('Practitioner/')),
  );
});

it.each([500, 2])(
  'concurrent writes neither hide nor repeat unchanged resources of later pages; %d names',
  async (names) => {
    limit({ names, members: 2, parts: 1 });
    for (const address of [
      { type: 'Patient', id: 'ann' },
      { type: 'Group', id: 'ward' },
    ]) {
      let last = 0;
      const pages = await pagesOf(address, { _count: '2' }, async (page) => {
        last = page;
        await put(observation(`new-${page}`, 'Patient/ann', { effectiveDateTime: `20${10 + page}` }));
        await put({ ...(ANN[3] as Resource), note: [{ text: `page ${page}` }] });
        if (page > 1) await opened.core.interactions.delete(context, 'Observation', `new-${page - 1}`);
      });
      await opened.core.interactions.delete(context, 'Observation', `new-${last}`);
      const found = namesIn(pages, 'matches');
      expect(new Set(found).size).toBe(found.length);
      const wanted =
        address.type === 'Group' ? namesOf(OF_WARD) : [...ANNS, 'Appointment/together', 'Group/ward'].sort();
      expect(found.filter((name) => !name.startsWith('Observation/new-'))).toEqual(wanted);
      expect(namesIn(pages, 'included')).toEqual(
        address.type === 'Group' ? BROUGHT_BY_WARD : [...BROUGHT].sort(),
      );
    }
  },
);

it('a member who comes or goes between two pages repeats and hides nothing of the others', async () => {
  limit({ members: 2, parts: 1 });
  await put({ resourceType: 'Patient', id: 'aaa' });
  await put(observation('of-aaa', 'Patient/aaa'));
  const pages = await pagesOf({ type: 'Group', id: 'ward' }, { _count: '2' }, async (page) => {
    const some =
      page % 2 === 0 ? WARD : group('ward', ...(WARD['member'] as object[]).slice(1), entity('Patient/aaa'));
    await put(some);
  });
  await put(WARD);
  const found = namesIn(pages, 'matches');
  // The appointment is that of several members: without the first one it is in the record of another.
  const ofOne = found.filter((name) => name !== 'Appointment/together');
  expect(new Set(ofOne).size).toBe(ofOne.length);
  const ofOthers = [
    'Observation/bobs',
    'Observation/of-c',
    'Observation/of-d',
    'Observation/of-e',
    'Patient/c',
  ];
  expect(found).toEqual(expect.arrayContaining(ofOthers));
});

const practitioners = (count: number): object[] =>
  Array.from({ length: count }, (_none, number) => entity(`Practitioner/p${number}`));

it('a group has a limit of members of all types, in all groups inside of it', async () => {
  const address = { level: 'group', group: 'staff', url: 'http://server/x', root: 'http://server' } as const;
  const parameter = [{ name: 'patient', valueReference: { reference: 'Patient/ann' } }];
  const kickOff = {
    ...{ ...address, query: [], isLenient: false, hasSeparateStatus: false },
    input: { text: JSON.stringify({ resourceType: 'Parameters', parameter }) },
  };
  const inner = ['night', 'day'].map((id) => group(id, ...practitioners(3)));
  const devices = { ...group('devices', ...practitioners(3)), type: 'device' };
  const long = { ...group('long'), name: 'x'.repeat(2_000) };
  for (const within of [inner, [inner[0], devices], [group('few'), long]] as Resource[][]) {
    for (const one of within) await put(one);
    await put(group('staff', entity('Patient/ann'), ...within.map(({ id }) => entity(`Group/${id}`))));
    for (const limits of [{ membersOfGroup: 8 }, { membersOfExport: 8 }]) {
      // Groups without members are limited by their length: to 1,600 characters.
      limit({ ...limits, charactersOfMember: within.includes(long) ? 200 : 640 });
      const isExport = 'membersOfExport' in limits;
      const refused = isExport
        ? opened.core.interactions.exportData(context, kickOff)
        : pagesOf({ type: 'Group', id: 'staff' });
      await expect(refused).rejects.toMatchObject({ key: 'tooCostly' });
      jest.restoreAllMocks();
      if (!isExport) await pagesOf({ type: 'Group', id: 'staff' });
    }
  }
  limit({ membersOfGroup: 9, membersOfExport: 9 });
  for (const one of inner) await put(one);
  await put(group('staff', entity('Patient/ann'), ...inner.map(({ id }) => entity(`Group/${id}`))));
  expect(namesIn(await pagesOf({ type: 'Group', id: 'staff' }), 'matches')).toContain('Patient/ann');
  await expect(opened.core.interactions.exportData(context, kickOff)).resolves.toEqual(expect.any(String));
});

it('a group without members has itself alone, and one of more members or groups than the limit is too costly', async () => {
  await put(group('empty'));
  expect(namesIn(await pagesOf({ type: 'Group', id: 'empty' }), 'matches')).toEqual(['Group/empty']);
  for (const limits of [{ membersOfGroup: 4 }, { groups: 0 }]) {
    limit(limits);
    await expect(pagesOf({ type: 'Group', id: 'ward' })).rejects.toMatchObject({ status: 422 });
    jest.restoreAllMocks();
  }
});
