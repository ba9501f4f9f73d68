/** Whatever two processes write, a cached answer equals that of a search without a cache at that moment. */
import { Client } from 'pg';
import {
  toResourceInput,
  type Core,
  type RequestContext,
  type SearchPage,
  type SearchRequest,
} from '../../src/core';
import {
  SearchResultCache,
  type CacheOutcome,
} from '../../src/core/search-execution/page/search-result-cache';
import { Connections } from '../../src/core/storage/connection/connections';
import { SpaceChanges } from '../../src/core/storage/read/space-changes';
import { openCore, type OpenedCore } from '../support/core';
import { closedAtEnd } from '../support/left-open';
import { silentLog } from '../support/log';
import { PATIENCE_MS } from '../support/patience';
import { TESTED_RELEASES } from '../support/releases';
import { rounds } from '../support/rounds';

const WITHOUT_CACHE = { SEARCH_CACHE_MB: '0' };
const STEPS = rounds(50, 150);
const FAMILIES = ['Ash', 'Birch', 'Cedar'];
const CODES = ['8302-2', '8310-5'];

let first: OpenedCore;
let second: OpenedCore;
let connections: { readonly database: Connections; close(): Promise<void> };
beforeAll(async () => {
  first = await openCore({ environment: WITHOUT_CACHE });
  second = await openCore({ database: first.database, environment: WITHOUT_CACHE });
  const database = new Connections(first.database.settings, silentLog, true);
  connections = { database, close: closedAtEnd(() => database.close()) };
});
afterAll(async () => {
  await connections.close();
  await second.close();
  await first.close();
});

/** The searches of one process, through a cache, and their outcomes. */
function withCache(core: Core, bytes = 8 * 1024 * 1024) {
  const outcomes: Record<CacheOutcome, number> = { current: 0, changed: 0, unknown: 0 };
  const cache = new SearchResultCache({
    changes: new SpaceChanges(connections.database),
    bytes,
    isConformanceType: (_release, type) => type === 'ValueSet',
    permissionsOf: () => undefined,
    observe: (outcome) => outcomes[outcome]++,
  });
  return {
    outcomes,
    search: (context: RequestContext, request: SearchRequest): Promise<SearchPage> =>
      cache.answer(context, request, connections.database, () => core.interactions.search(context, request)),
    memory: cache,
  };
}

/** A search in its text form, with its type before the question mark. */
function toRequest(text: string): SearchRequest {
  const [type, query = ''] = text.split('?');
  return {
    ...(type === undefined || type === '' ? {} : { type }),
    parameters: [...new URLSearchParams(query)],
  };
}

/** The visible part for a client; a cursor differs each time. */
const seen = ({ matches, included, total, issues, next }: SearchPage): unknown => ({
  matches: matches.map(({ text }) => text),
  included: included.map(({ text }) => text),
  total,
  issues,
  goesOn: next !== undefined,
});

const SEARCHES = [
  ...FAMILIES.map((family) => `Patient?name=${family}`),
  'Patient?name:contains=e&_sort=family',
  'Patient?_count=2&_total=accurate',
  'Patient?_summary=count',
  'Patient?_lastUpdated=gt2020&_elements=name',
  'Patient?gender:missing=true',
  'Patient?_id=p1,p2',
  `Patient?_has:Observation:subject:code=${CODES[0]}`,
  'Patient?_id=p1&_revinclude=Observation:subject',
  'Patient?_list=l1',
  'Observation?subject=Patient/p1',
  'Observation?patient=p2',
  `Observation?code=${CODES[1]}&_sort=-date&_count=1`,
  ...FAMILIES.map((family) => `Observation?subject:Patient.name=${family}`),
  'Observation?subject=Patient/p1&_include=Observation:subject',
  'Observation?date=ap2020-03-01',
  'Encounter?subject=Patient/p1',
  '?_type=Patient,Observation&_id=p1,o1',
];

function createChooser(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const input = (resource: object) => toResourceInput(JSON.stringify(resource), { maxDepth: 64 });

/** One random change of a few resources. */
async function change(core: Core, context: RequestContext, choose: (below: number) => number): Promise<void> {
  const patient = `p${choose(4)}`;
  const observation = `o${choose(5)}`;
  const makePatient = (): object => ({
    resourceType: 'Patient',
    id: patient,
    name: [{ family: FAMILIES[choose(FAMILIES.length)] }],
    ...(choose(2) === 0 ? { gender: 'female' } : {}),
  });
  const makeObservation = (): object => ({
    resourceType: 'Observation',
    id: observation,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: CODES[choose(CODES.length)] }] },
    subject: { reference: `Patient/${patient}` },
    effectiveDateTime: `2020-0${1 + choose(9)}-01`,
  });
  switch (choose(7)) {
    case 0:
    case 1:
      await core.interactions.update(context, { type: 'Patient', id: patient, input: input(makePatient()) });
      return;
    case 2:
    case 3:
      await core.interactions.update(context, {
        type: 'Observation',
        id: observation,
        input: input(makeObservation()),
      });
      return;
    case 4:
      await core.interactions.delete(
        context,
        choose(2) === 0 ? 'Patient' : 'Observation',
        choose(2) === 0 ? patient : observation,
      );
      return;
    case 5: {
      const item = { item: { reference: `Patient/${patient}` } };
      const list = { resourceType: 'List', id: 'l1', status: 'current', mode: 'working', entry: [item] };
      await core.interactions.update(context, { type: 'List', id: 'l1', input: input(list) });
      return;
    }
    default: {
      const entry = [
        { resource: makePatient(), request: { method: 'PUT', url: `Patient/${patient}` } },
        { resource: makeObservation(), request: { method: 'PUT', url: `Observation/${observation}` } },
      ];
      await core.interactions.bundle(context, {
        input: input({ resourceType: 'Bundle', type: 'transaction', entry }),
      });
    }
  }
}

it.each(TESTED_RELEASES)('at every step of random changes by two processes (%s)', async (release) => {
  const choose = createChooser(release === 'r4' ? 11 : 23);
  const contexts = [await first.context('system', release), await second.context('system', release)] as const;
  const processes = [withCache(first.core), withCache(second.core)] as const;
  for (let step = 0; step < STEPS; step++) {
    const writer = choose(2) === 0 ? first : second;
    if (choose(5) === 0) await change(writer.core, contexts[0], choose);
    // Several at once share one check; the same one twice, so that the second uses the cache.
    const chosenSearches = Array.from({ length: 3 }, () => SEARCHES[choose(SEARCHES.length)] ?? '');
    await Promise.all(
      chosenSearches.map(async (text) => {
        const at = choose(2);
        const [context, process] = at === 0 ? [contexts[0], processes[0]] : [contexts[1], processes[1]];
        const cached = await process.search(context, toRequest(text));
        const plain = await second.core.interactions.search(contexts[1], toRequest(text));
        expect({ text, ...Object(seen(cached)) }).toEqual({ text, ...Object(seen(plain)) });
      }),
    );
  }
  for (const { outcomes } of processes) {
    expect(outcomes.current).toBeGreaterThan(rounds(10, 30));
    expect(outcomes.changed).toBeGreaterThan(rounds(5, 15));
  }
});

it('a search that begins after a write has ended finds it, while all write and search at once', async () => {
  const context = await first.context('system', 'r4');
  const { search, outcomes } = withCache(second.core);
  const request = (client: number): SearchRequest => toRequest(`Practitioner?family=Racer${client}`);
  await Promise.all(
    Array.from({ length: 6 }, async (_, client) => {
      for (let step = 0; step < 25; step++) {
        const resource = {
          resourceType: 'Practitioner',
          id: `r${client}`,
          name: [{ family: `Racer${client}` }],
        };
        const { version } = await first.core.interactions.update(context, {
          type: 'Practitioner',
          id: `r${client}`,
          input: input(resource),
        });
        for (let again = 0; again < 2; again++) {
          const { matches } = await search(context, request(client));
          expect(matches.map(({ versionId }) => versionId)).toEqual([version.versionId]);
        }
      }
    }),
  );
  expect(outcomes.changed).toBeGreaterThan(0);
});

it('a snapshot shows its moment, independent of earlier and later cached searches', async () => {
  const third = await openCore({ database: first.database });
  try {
    await third.core.tenants.create('snapshots');
    const context = await third.context('snapshots', 'r4');
    const plain = await first.context('snapshots', 'r4');
    const choose = createChooser(5);
    const typed = SEARCHES.filter((text) => !text.startsWith('?')).map(toRequest);
    const chosenSearches = typed.flatMap((request) =>
      request.type === undefined ? [] : [{ ...request, type: request.type }],
    );
    const searchAll = (of: RequestContext): Promise<unknown[]> =>
      Promise.all(
        chosenSearches.map(async (request) => seen(await third.core.interactions.search(of, request))),
      );
    for (let round = 0; round < 12; round++) {
      for (let changes = 0; changes < 3; changes++) await change(first.core, plain, choose);
      if (choose(2) === 0) await searchAll(context);
      const expected = await Promise.all(
        chosenSearches.map(async (request) => seen(await first.core.interactions.search(plain, request))),
      );
      // A search that was never cached: its first execution does not check for changes.
      const fresh = { type: 'Patient', parameters: [['_count', String(100 + round)]] } as const;
      const before = seen(await first.core.interactions.search(plain, fresh));
      await third.core.interactions.inSnapshot(context, PATIENCE_MS, async (within) => {
        // The snapshot is of the moment of its first statement.
        await third.core.interactions.find(within, 'Patient', 'p0');
        for (let changes = choose(4); changes > 0; changes--) await change(first.core, plain, choose);
        if (choose(2) === 0) await third.core.interactions.search(context, fresh);
        expect(seen(await third.core.interactions.search(within, fresh))).toEqual(before);
        if (choose(2) === 0) await searchAll(context);
        expect(await searchAll(within)).toEqual(expected);
        const each = await third.core.interactions.searchBatch(within, chosenSearches);
        expect(each.map((page) => (page instanceof Error ? page : seen(page)))).toEqual(expected);
      });
      expect(await searchAll(context)).toEqual(
        await Promise.all(
          chosenSearches.map(async (request) => seen(await first.core.interactions.search(plain, request))),
        ),
      );
    }
  } finally {
    await third.close();
  }
});

it('an answer from the cache is of one moment, or is not given', async () => {
  const third = await openCore({ database: first.database });
  try {
    await third.core.tenants.create('moments');
    const context = await third.context('moments', 'r4');
    const plain = await first.context('moments', 'r4');
    const { core } = third;
    let written = 0;
    /** Both resources have the same number at every moment. */
    const writeBoth = async (): Promise<void> => {
      written++;
      const entry = ['Patient', 'Practitioner'].map((resourceType) => ({
        resource: { resourceType, id: 'p1', name: [{ family: `n${written}` }] },
        request: { method: 'PUT', url: `${resourceType}/p1` },
      }));
      await first.core.interactions.bundle(plain, {
        input: input({ resourceType: 'Bundle', type: 'transaction', entry }),
      });
    };
    const readNumber = async (of: RequestContext, type: string): Promise<string | undefined> =>
      /n\d+/.exec(
        (await core.interactions.search(of, toRequest(`${type}?_id=p1`))).matches[0]?.text ?? '',
      )?.[0];
    const fillCache = async (...types: string[]): Promise<void> => {
      for (let again = 0; again < 100; again++) {
        for (const type of types) await readNumber(context, type);
        const fromCache = await core.interactions.fromCache(context, (within) =>
          Promise.all(types.map((type) => readNumber(within, type))),
        );
        if (typeof fromCache === 'object') return;
      }
    };
    const attempt = (between: () => Promise<unknown>) =>
      core.interactions.fromCache(context, async (within) => {
        const patient = await readNumber(within, 'Patient');
        await between();
        return [patient, await readNumber(within, 'Practitioner')];
      });

    await writeBoth();
    expect(await attempt(async () => undefined)).toBe('unknown');
    let answer = await attempt(async () => undefined);
    // The first checks of a space run concurrently, and the last of them defines its state.
    for (let again = 0; again < 100 && typeof answer === 'string'; again++) {
      await fillCache('Patient', 'Practitioner');
      answer = await attempt(async () => undefined);
    }
    expect(answer).toEqual({ answer: ['n1', 'n1'] });
    await writeBoth();
    expect(await attempt(async () => undefined)).toBe('unknown');
    await fillCache('Patient', 'Practitioner');
    // Changes after its moment are not seen, even where others have seen them since.
    expect(await attempt(writeBoth)).toEqual({ answer: ['n2', 'n2'] });
    await fillCache('Patient', 'Practitioner');
    expect(await attempt(() => writeBoth().then(() => fillCache('Practitioner')))).toBe('unknown');
    await fillCache('Patient', 'Practitioner');
    expect(await attempt(() => core.interactions.find(context, 'Patient', 'p1'))).toEqual({
      answer: ['n4', 'n4'],
    });
    expect(
      await core.interactions.fromCache(context, (within) => core.interactions.find(within, 'Patient', 'p1')),
    ).toBe('unfit');
    const searches = ['Patient', 'Practitioner'].map((type) => ({ ...toRequest(`${type}?_id=p1`), type }));
    expect(
      await core.interactions.fromCache(context, (within) => core.interactions.searchBatch(within, searches)),
    ).toEqual({
      answer: [expect.objectContaining({ issues: [] }), expect.objectContaining({ issues: [] })],
    });

    // While others write and search all the time, each answer is of one moment, and not of one before its request.
    let answered = 0;
    let isWriting = true;
    const reading = Array.from({ length: 4 }, async () => {
      while (isWriting) {
        const chosenSearches = written;
        const cached = await attempt(async () => undefined);
        if (typeof cached === 'string')
          for (const type of ['Patient', 'Practitioner']) await readNumber(context, type);
        else {
          answered++;
          const [patient, practitioner] = cached.answer;
          expect(practitioner).toBe(patient);
          expect(Number(patient?.slice(1))).toBeGreaterThanOrEqual(chosenSearches - 1);
        }
      }
    });
    for (let round = 0; round < 300 && (round < 60 || answered < 20); round++) {
      await writeBoth();
      await fillCache('Patient', 'Practitioner');
    }
    isWriting = false;
    await Promise.all(reading);
    expect(answered).toBeGreaterThanOrEqual(20);
  } finally {
    await third.close();
  }
});

it('rows that a reindex repairs are a change, though no version was written', async () => {
  await first.core.tenants.create('repaired');
  const context = await first.context('repaired', 'r4');
  const { search } = withCache(first.core);
  const lost = { resourceType: 'Organization', id: 'lost', name: 'Lost and found' };
  await first.core.interactions.update(context, { type: 'Organization', id: 'lost', input: input(lost) });
  const request = toRequest('Organization?name=lost');
  const owner = new Client(first.database.settings);
  await owner.connect();
  try {
    await owner.query('delete from andiron.string_index where value like $1', ['lost%']);
    await search(context, request);
    // The first one made the process check the space: this one is cached.
    expect((await search(context, request)).matches).toHaveLength(0);
    expect((await search(context, request)).matches).toHaveLength(0);
    await first.reindex({ tenant: 'repaired' });
    expect((await search(context, request)).matches).toHaveLength(1);
  } finally {
    await owner.end();
  }
});

it('nothing that a restore of the database undid is cached', async () => {
  const tenant = 'restored';
  await first.core.tenants.create(tenant);
  const context = await first.context(tenant, 'r4');
  const { search } = withCache(first.core);
  const put = (name: string) =>
    first.core.interactions.update(context, {
      type: 'Organization',
      id: 'one',
      input: input({ resourceType: 'Organization', id: 'one', name }),
    });
  const names = async (): Promise<unknown[]> => {
    const { matches } = await search(context, toRequest('Organization?_count=5'));
    return matches.map(({ text }) => (JSON.parse(text) as { name?: unknown }).name);
  };
  await put('before');
  await names();
  await put('undone');
  await names();
  expect(await names()).toEqual(['undone']);
  const owner = new Client(first.database.settings);
  await owner.connect();
  try {
    const { number } = context.space;
    await owner.query('delete from andiron.resource_version where space = $1 and version = 2', [number]);
    await owner.query('update andiron.resource set version = 1 where space = $1', [number]);
    await owner.query('update andiron.change_counter set last_sequence = 1 where tenant = $1', [
      context.space.tenantNumber,
    ]);
  } finally {
    await owner.end();
  }
  expect(await names()).toEqual(['before']);
  await put('after');
  expect(await names()).toEqual(['after']);
});

it('tenants and clients with equal searches share nothing, and a small cache evicts entries', async () => {
  await first.core.tenants.create('stranger');
  const [own, strange] = [await first.context('system', 'r4'), await first.context('stranger', 'r4')];
  const { search, outcomes } = withCache(first.core, 100_000);
  for (let number = 0; number < 60; number++) {
    const text = `{"resourceType":"Location","id":"l${number}","name":"Somewhere ${'x'.repeat(400)}"}`;
    await first.core.interactions.update(own, {
      type: 'Location',
      id: `l${number}`,
      input: toResourceInput(text, { maxDepth: 64 }),
    });
  }
  const all = toRequest('Location?_count=100');
  // A process reads the state of a space together with the first searches.
  for (let round = 0; round < 3 || (outcomes.current === 0 && round < 100); round++) {
    expect((await search(own, all)).matches).toHaveLength(60);
    expect((await search(strange, all)).matches).toHaveLength(0);
  }
  // An eighth of the memory is the most that one answer may take.
  expect(outcomes.current).toBe(1);
  for (let round = 0; round < 200; round++)
    await search(own, toRequest(`Location?_count=${6 + round}&_id=l${round % 60}`));
  const before = outcomes.current;
  await search(own, toRequest('Location?_count=6&_id=l0'));
  await search(own, toRequest('Location?_count=205&_id=l19'));
  expect(outcomes.current - before).toBe(1);
});
