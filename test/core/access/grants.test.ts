/** Random grants on random data: what a client is answered is what one is who has only the resources that it may see. */
import {
  type Access,
  FhirError,
  type RequestContext,
  type SearchCondition,
  type SearchPage,
  toResourceInput,
} from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { mayAsk, mayReach, patientsOf, type Stored } from './naive-grants';
import { TESTED_RELEASES } from '../../support/releases';

/** The same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const TYPES = ['Patient', 'Practitioner', 'Encounter', 'Observation', 'Condition', 'List'] as const;
type Type = (typeof TYPES)[number];
const PATIENTS = ['p0', 'p1', 'p2', 'p3'];
const SCOPES = [
  'system/*.read',
  'system/*.cruds',
  'system/Patient.rs',
  'system/Patient.rs?gender=female',
  'system/Patient.rs?gender:not=female',
  'system/Patient.s',
  'system/Patient.r',
  'system/Observation.rs?category=laboratory',
  'system/Observation.rs?status=final',
  'system/Observation.read',
  'system/Encounter.rs?status=finished,planned',
  'system/Encounter.s',
  'system/Practitioner.rs?gender=female',
  'system/List.rs',
  'system/*.rs?status=final',
  'patient/*.read',
  'patient/*.*',
  'patient/Observation.rs',
  'patient/Observation.rs?category=laboratory',
  'patient/Condition.read',
  'patient/Patient.rs',
  'patient/Encounter.rs',
  'user/Observation.write',
  'user/*.read',
  'user/*.cruds',
  'user/Observation.rs?status=final',
  'launch/patient',
];

const USERS: readonly Pick<Access, 'user' | 'userPatients'>[] = [
  {},
  { user: 'Device/d0' },
  { user: 'Practitioner/d0' },
  { user: 'PractitionerRole/x' },
  { user: 'Patient/p1' },
  { user: 'RelatedPerson/x', userPatients: ['p2'] },
  { user: 'RelatedPerson/gone', userPatients: [] },
  { user: 'Person/x', userPatients: ['p0', 'p3'] },
  { user: 'Person/y', userPatients: ['p0', 'p1', 'p2', 'elsewhere'] },
  { user: 'Person/unassured' },
];

describe.each(TESTED_RELEASES)('grants on random data in %s', (release) => {
  let opened: OpenedCore;
  let open: RequestContext;
  const random = createRandom(release === 'r4' ? 7 : 11);
  const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T;
  /** Every version, the first first; undefined: a deletion. */
  const versions = new Map<string, (Stored | undefined)[]>();

  const made: Readonly<Record<Type, () => Record<string, unknown>>> = {
    Patient: () => ({
      gender: pick(['male', 'female']),
      birthDate: `19${10 + random(80)}`,
      name: [{ family: pick(['Abel', 'Cain', 'Dora']) }],
    }),
    Practitioner: () => ({ gender: pick(['male', 'female']), name: [{ family: pick(['Abel', 'Cain']) }] }),
    Encounter: () => ({
      status: pick(['planned', 'finished', 'in-progress']),
      class: { code: 'AMB' },
      ...(random(5) === 0 ? {} : { subject: { reference: `Patient/${pick(PATIENTS)}` } }),
      participant: [{ individual: { reference: `Practitioner/d${random(3)}` } }],
    }),
    Observation: () => ({
      status: pick(['final', 'preliminary']),
      code: { coding: [{ system: 'http://codes.example', code: pick(['x', 'y']) }] },
      ...(random(2) === 0 ? {} : { category: [{ coding: [{ code: pick(['laboratory', 'vital-signs']) }] }] }),
      ...(random(6) === 0 ? {} : { subject: { reference: `Patient/${pick(PATIENTS)}` } }),
      ...(random(3) === 0 ? {} : { encounter: { reference: `Encounter/e${random(5)}` } }),
      ...(random(4) === 0 ? { performer: [{ reference: `Patient/${pick(PATIENTS)}` }] } : {}),
      effectiveDateTime: `20${10 + random(12)}-01-01`,
    }),
    Condition: () => ({
      subject: { reference: `Patient/${pick(PATIENTS)}` },
      encounter: { reference: `Encounter/e${random(5)}` },
      code: { coding: [{ code: pick(['x', 'y']) }] },
    }),
    List: () => ({
      status: 'current',
      mode: 'working',
      subject: { reference: `Patient/${pick(PATIENTS)}` },
      entry: [{ item: { reference: `Observation/o${random(14)}` } }],
    }),
  };

  const put = async (type: Type, id: string): Promise<void> => {
    const resource: Stored = { resourceType: type, id, ...made[type]() };
    const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
    await opened.core.interactions.update(open, { type, id, input });
    versions.set(`${type}/${id}`, [...(versions.get(`${type}/${id}`) ?? []), resource]);
  };

  beforeAll(async () => {
    opened = await openCore({ environment: { VALIDATION: 'structure' } });
    open = await opened.context('system', release);
    const all: (readonly [Type, string])[] = [
      ...PATIENTS.map((id) => ['Patient', id] as const),
      ...['d0', 'd1', 'd2'].map((id) => ['Practitioner', id] as const),
      ...Array.from({ length: 5 }, (_each, index) => ['Encounter', `e${index}`] as const),
      ...Array.from({ length: 14 }, (_each, index) => ['Observation', `o${index}`] as const),
      ...Array.from({ length: 6 }, (_each, index) => ['Condition', `c${index}`] as const),
      ...['l0', 'l1'].map((id) => ['List', id] as const),
    ];
    for (const [type, id] of all) await put(type, id);
    for (let change = 0; change < 14; change++) await put(...pick(all.slice(PATIENTS.length + 3)));
    for (const id of ['o1', 'o5', 'c2']) {
      const type = id.startsWith('o') ? 'Observation' : 'Condition';
      await opened.core.interactions.delete(open, type, id);
      versions.get(`${type}/${id}`)?.push(undefined);
    }
  });
  afterAll(() => opened.close());

  const currentOf = (type?: string): Stored[] =>
    [...versions.values()].flatMap((of) => {
      const last = of.at(-1);
      return last !== undefined && (type === undefined || last.resourceType === type) ? [last] : [];
    });
  const randomAccess = (): Access => {
    const scopes = Array.from({ length: 1 + random(4) }, () => pick(SCOPES));
    const patient = random(6) === 0 ? {} : { patient: pick(PATIENTS) };
    return {
      client: 'app',
      ...pick(USERS),
      ...patient,
      scopes,
      policies: [],
      isAdministrator: false,
      isAuditor: false,
    };
  };

  type Found = readonly string[] | 'forbidden';
  const asked = async (work: Promise<Found>): Promise<Found> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof FhirError && error.key === 'forbidden') return 'forbidden';
      throw error;
    }
  };
  const names = (some: readonly { readonly type: string; readonly id: string }[]): string[] =>
    some.map(({ type, id }) => `${type}/${id}`).sort();
  const nameOf = ({ resourceType, id }: Stored): string => `${resourceType}/${id}`;
  const refersTo = (from: Stored, member: string, to: Stored): boolean =>
    (from[member] as { reference?: string } | undefined)?.reference === nameOf(to);

  /** All pages, two at a time. */
  const searchAll = async (
    context: RequestContext,
    type: string | undefined,
    parameters: readonly (readonly [string, string])[],
    more: {
      readonly where?: readonly SearchCondition[];
      readonly compartment?: { type: string; id: string };
    } = {},
  ): Promise<{ matches: string[]; included: string[]; total: number | undefined }> => {
    const matches: string[] = [];
    const included = new Set<string>();
    let total: number | undefined;
    let cursor: string | undefined;
    do {
      const page: SearchPage = await opened.core.interactions.search(context, {
        ...(type === undefined ? {} : { type }),
        ...more,
        parameters: [
          ...parameters,
          ['_count', type === undefined ? '1000' : '5'],
          ['_total', 'accurate'],
          ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
        ],
      });
      matches.push(...names(page.matches));
      for (const name of names(page.included)) included.add(name);
      total ??= page.total;
      cursor = page.next;
    } while (cursor !== undefined);
    return { matches: matches.sort(), included: [...included].sort(), total };
  };

  /** A search: its type and parameters, the expected matches among the resources that the client may search, and the other types. */
  type Case = readonly [
    type: Type,
    parameters: readonly (readonly [string, string])[],
    meets: (resource: Stored, others: (type: Type) => readonly Stored[]) => boolean,
    through: readonly Type[],
    where?: readonly SearchCondition[],
  ];
  const codeOf = ({ code }: Stored): string => JSON.stringify(code ?? '');
  const isMale = ({ gender }: Stored): boolean => gender === 'male';
  const cases: readonly Case[] = [
    ...TYPES.map((type): Case => [type, [], () => true, []]),
    ['Observation', [['code', 'x']], (one) => codeOf(one).includes('"x"'), []],
    ['Observation', [['_sort', '-date']], () => true, []],
    ['Observation', [['_sort', 'status,-_lastUpdated']], () => true, []],
    [
      'Observation',
      [['subject', 'Patient/p1']],
      (one) => refersTo(one, 'subject', { resourceType: 'Patient', id: 'p1' }),
      [],
    ],
    [
      'Observation',
      [['subject:Patient.gender', 'male']],
      (one, others) =>
        others('Patient').some((patient) => isMale(patient) && refersTo(one, 'subject', patient)),
      ['Patient'],
    ],
    [
      'Observation',
      [['_filter', 'not (subject:Patient.gender eq male)']],
      (one, others) =>
        !others('Patient').some((patient) => isMale(patient) && refersTo(one, 'subject', patient)),
      ['Patient'],
    ],
    [
      'Patient',
      [['_has:Observation:subject:code', 'x']],
      (one, others) =>
        others('Observation').some(
          (other) => codeOf(other).includes('"x"') && refersTo(other, 'subject', one),
        ),
      ['Observation'],
    ],
    [
      'Observation',
      [['encounter:Encounter.subject:Patient.family', 'Abel']],
      (one, others) =>
        others('Encounter').some(
          (encounter) =>
            refersTo(one, 'encounter', encounter) &&
            others('Patient').some(
              (patient) =>
                JSON.stringify(patient['name']).includes('Abel') && refersTo(encounter, 'subject', patient),
            ),
        ),
      ['Encounter', 'Patient'],
    ],
    [
      'Patient',
      [['_has:Encounter:subject:_has:Condition:encounter:code', 'y']],
      (one, others) =>
        others('Encounter').some(
          (encounter) =>
            refersTo(encounter, 'subject', one) &&
            others('Condition').some(
              (condition) => codeOf(condition).includes('"y"') && refersTo(condition, 'encounter', encounter),
            ),
        ),
      ['Encounter', 'Condition'],
    ],
    [
      'Observation',
      [['_list', 'l0']],
      (one, others) =>
        others('List').some(
          (list) => list.id === 'l0' && JSON.stringify(list['entry']).includes(`"${nameOf(one)}"`),
        ),
      ['List'],
    ],
    [
      'Condition',
      [],
      (one, others) =>
        !others('Encounter').some(
          (encounter) => encounter['status'] === 'finished' && refersTo(one, 'encounter', encounter),
        ),
      ['Encounter'],
      [
        {
          kind: 'not',
          of: [
            {
              kind: 'chain',
              parameter: 'encounter',
              target: 'Encounter',
              of: [{ kind: 'parameter', name: 'status', value: 'finished' }],
            },
          ],
        },
      ],
    ],
  ];

  it('a search finds what it would find if there was nothing else, its total and its pages too', async () => {
    let forbidden = 0;
    let found = 0;
    for (let round = 0; round < 16; round++) {
      const access = randomAccess();
      const context = { ...open, access };
      for (const [type, parameters, meets, through, where] of cases) {
        const others = (of: Type): readonly Stored[] =>
          currentOf(of).filter((resource) => mayReach(access, resource, 's', currentOf()));
        const isAllowed = [type, ...through].every((each) => mayAsk(access, each, 's'));
        const expected: Found = isAllowed
          ? others(type)
              .filter((resource) => meets(resource, others))
              .map(nameOf)
              .sort()
          : 'forbidden';
        const more = where === undefined ? {} : { where };
        const work = searchAll(context, type, parameters, more);
        const told = { access, type, parameters };
        const answer = await asked(work.then(({ matches }) => matches));
        expect({ ...told, found: answer }).toEqual({ ...told, found: expected });
        if (expected === 'forbidden') forbidden++;
        else {
          expect((await work).total).toBe(expected.length);
          found += expected.length;
        }
      }
    }
    expect(forbidden).toBeGreaterThan(20);
    expect(found).toBeGreaterThan(100);
  });

  it('includes, compartments and searches of all types bring what may be read, and all of it', async () => {
    for (let round = 0; round < 10; round++) {
      const access = randomAccess();
      const context = { ...open, access };
      const may = (right: string): readonly Stored[] =>
        currentOf().filter((resource) => mayReach(access, resource, right, currentOf()));
      const told = { access };
      if (mayAsk(access, 'Observation', 's')) {
        const matches = may('s').filter(({ resourceType }) => resourceType === 'Observation');
        const includes = [
          ['_include', 'Observation:subject'],
          ['_include', 'Observation:encounter'],
          ['_include:iterate', 'Encounter:participant'],
          ['_revinclude', 'List:item'],
        ] as const;
        const first = may('r').filter(
          (one) =>
            matches.some((match) => refersTo(match, 'subject', one) || refersTo(match, 'encounter', one)) ||
            (one.resourceType === 'List' &&
              matches.some((match) => JSON.stringify(one['entry']).includes(`"${nameOf(match)}"`))),
        );
        const second = may('r').filter((one) =>
          first.some((encounter) =>
            JSON.stringify(encounter['participant'] ?? '').includes(`"${nameOf(one)}"`),
          ),
        );
        const { included } = await searchAll(context, 'Observation', includes);
        const expected = [...new Set([...first, ...second].map(nameOf))].sort();
        expect({ ...told, included }).toEqual({ ...told, included: expected });
      }
      const all = asked(searchAll(context, undefined, []).then(({ matches }) => matches));
      const anything = may('s').map(nameOf).sort();
      const isAnything = access.scopes.some((scope) => mayAskAny({ ...access, scopes: [scope] }));
      expect({ ...told, all: await all }).toEqual({ ...told, all: isAnything ? anything : 'forbidden' });
      const [compartment] = ['p2'].map((id) => ({ type: 'Patient', id }));
      if (compartment !== undefined && mayAsk(access, 'Condition', 's')) {
        const { matches } = await searchAll(context, 'Condition', [], { compartment });
        const expected = may('s')
          .filter((one) => one.resourceType === 'Condition' && JSON.stringify(one).includes('"Patient/p2"'))
          .map(nameOf)
          .sort();
        expect({ ...told, matches }).toEqual({ ...told, matches: expected });
      }
    }
  });

  /** Some scope for searching that is understood of some type. */
  function mayAskAny(access: Access): boolean {
    const [scope = ''] = access.scopes;
    if (scope === 'launch/patient' || scope.endsWith('.write') || scope.endsWith('.r')) return false;
    return patientsOf(access, scope.split('/')[0] ?? '')?.length !== 0;
  }

  /** A version is seen where it may be and so may be what is current, or was before the deletion. */
  const seesVersion = (
    access: Access,
    of: readonly (Stored | undefined)[],
    index: number,
    right: string,
  ): boolean => {
    const live = of.filter((version) => version !== undefined);
    const last = live.at(-1);
    const version = of[index] ?? of[index - 1];
    return (
      last !== undefined &&
      mayReach(access, last, right, currentOf()) &&
      version !== undefined &&
      mayReach(access, version, right, currentOf())
    );
  };

  it('reads and histories tell of the versions that may be seen, and of all of them', async () => {
    for (let round = 0; round < 8; round++) {
      const access = randomAccess();
      const context = { ...open, access };
      const told = { access };
      for (const [name, of] of [...versions].filter((_entry, index) => (index + round) % 4 === 0)) {
        const [type = '', id = ''] = name.split('/');
        const last = of.length - 1;
        const statusOf = async (work: Promise<unknown>): Promise<number> =>
          work.then(
            () => 200,
            (error: unknown) => (error instanceof FhirError ? error.status : Promise.reject(error as Error)),
          );
        const mayRead = mayAsk(access, type, 'r');
        const isSeen = seesVersion(access, of, last, 'r');
        const expected = !mayRead ? 403 : !isSeen ? 404 : of[last] === undefined ? 410 : 200;
        expect({
          ...told,
          name,
          read: await statusOf(opened.core.interactions.read(context, type, id)),
        }).toEqual({
          ...told,
          name,
          read: expected,
        });
        for (const index of of.keys()) {
          const vread = await statusOf(opened.core.interactions.vread(context, type, id, String(index + 1)));
          const seen = seesVersion(access, of, index, 'r');
          const status = !mayRead ? 403 : !seen ? 404 : of[index] === undefined ? 410 : 200;
          expect({ ...told, name, index, vread }).toEqual({ ...told, name, index, vread: status });
        }
        const history = asked(
          opened.core.interactions
            .history(context, { type, id })
            .then(({ versions: found }) => found.map(({ versionId }) => String(versionId)))
            .catch((error: unknown) => {
              if (error instanceof FhirError && error.key === 'notFound') return [];
              throw error;
            }),
        );
        const numbers = [...of.keys()].reverse().filter((index) => seesVersion(access, of, index, 'r'));
        expect({ ...told, name, history: await history }).toEqual({
          ...told,
          name,
          history: mayRead ? numbers.map((index) => String(index + 1)) : 'forbidden',
        });
      }
      const ofType = await asked(
        opened.core.interactions
          .history(context, { type: 'Observation', count: 1000 })
          .then(({ versions: found }) => found.map(({ id, versionId }) => `${id} ${versionId}`).sort()),
      );
      const expected = [...versions]
        .filter(([name]) => name.startsWith('Observation/'))
        .flatMap(([name, of]) =>
          [...of.keys()]
            .filter((index) => seesVersion(access, of, index, 's'))
            .map((index) => `${name.split('/')[1]} ${index + 1}`),
        )
        .sort();
      const found = mayAsk(access, 'Observation', 's') ? expected : 'forbidden';
      expect({ ...told, ofType }).toEqual({ ...told, ofType: found });
      if (found !== 'forbidden')
        expect(
          (await opened.core.interactions.history(context, { type: 'Observation', count: 0 })).total,
        ).toBe(found.length);
    }
  });
});
