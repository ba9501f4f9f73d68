/** Rules of writes, elements that policies hide, and a rule for every function of core. */
import { Readable } from 'node:stream';
import {
  type Access,
  type Core,
  FhirError,
  type RequestContext,
  type ResourceInput,
  toResourceInput,
} from '../../../src/core';
import { CORE_RULES } from '../../../src/core/authorization/core-rules';
import { INTERACTIONS } from '../../../src/core/composition/interaction-table';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

const NOBODY: Access = {
  client: 'app',
  scopes: [],
  policies: [],
  isAdministrator: false,
  isAuditor: false,
};

const inputOf = (resource: unknown): ResourceInput =>
  toResourceInput(JSON.stringify(resource), { maxDepth: 64 });

const ann = { resourceType: 'Patient', id: 'ann', gender: 'female', name: [{ family: 'Abel' }] };
const bob = { resourceType: 'Patient', id: 'bob', gender: 'male' };
const observation = (id: string, patient: string): object => ({
  resourceType: 'Observation',
  ...(id === '' ? {} : { id }),
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: `Patient/${patient}` },
  note: [{ text: `secret of ${patient}` }],
  effectiveDateTime: '2020-01-01',
});

describe.each(TESTED_RELEASES)('access in %s', (release) => {
  let opened: OpenedCore;
  let core: Core;
  let open: RequestContext;

  beforeAll(async () => {
    opened = await openCore({ environment: { VALIDATION: 'structure' } });
    ({ core } = opened);
    open = await opened.context('system', release);
    for (const patient of [ann, bob])
      await core.interactions.update(open, { type: 'Patient', id: patient.id, input: inputOf(patient) });
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'a1',
      input: inputOf(observation('a1', 'ann')),
    });
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'b1',
      input: inputOf(observation('b1', 'bob')),
    });
  });
  afterAll(() => opened.close());

  const as = (scopes: readonly string[], more: Partial<Access> = {}): RequestContext => ({
    ...open,
    access: { ...NOBODY, patient: 'ann', scopes, ...more },
  });
  const outcome = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => (error instanceof FhirError ? error.key : Promise.reject(error as Error)),
    );

  it('a client without scopes may do nothing, and is told what is missing', async () => {
    const nobody = { ...open, actor: 'app', access: NOBODY };
    const observed = observation('a1', 'ann');
    const input = inputOf(observed);
    const patch = inputOf([]);
    const everything = {
      level: 'system',
      url: 'http://localhost/$export',
      root: 'http://localhost',
      query: [],
      isLenient: false,
      hasSeparateStatus: false,
    } as const;
    const upload = {
      ...{ type: 'Binary', source: Readable.from([Buffer.from('x')]), limit: 1, least: 0 },
      signal: new AbortController().signal,
    };
    const binary = await core.interactions.create(
      open,
      'Binary',
      inputOf({ resourceType: 'Binary', contentType: 'text/plain', data: 'eA==' }),
    );
    const calls: Record<string, () => Promise<unknown>> = {
      read: () => core.interactions.read(nobody, 'Observation', 'a1'),
      find: () => core.interactions.find(nobody, 'Observation', 'a1'),
      vread: () => core.interactions.vread(nobody, 'Observation', 'a1', '1'),
      readAsOf: () => core.interactions.readAsOf(nobody, 'Observation', 'a1', Date.now()),
      difference: () =>
        core.interactions.difference(nobody, { type: 'Observation', id: 'a1', from: '1', to: '1' }),
      create: () => core.interactions.create(nobody, 'Observation', input),
      update: () => core.interactions.update(nobody, { type: 'Observation', id: 'a1', input }),
      patch: () => core.interactions.patch(nobody, { type: 'Observation', id: 'a1', patch }),
      delete: () => core.interactions.delete(nobody, 'Observation', 'a1'),
      createIfNoneExist: () =>
        core.interactions.createIfNoneExist(nobody, 'Observation', input, [['code', 'x']]),
      updateWhere: () =>
        core.interactions.updateWhere(nobody, { type: 'Observation', criteria: [['code', 'x']], input }),
      patchWhere: () =>
        core.interactions.patchWhere(nobody, { type: 'Observation', criteria: [['code', 'x']], patch }),
      deleteWhere: () => core.interactions.deleteWhere(nobody, 'Observation', [['code', 'x']]),
      bundle: () =>
        core.interactions.bundle(nobody, {
          input: inputOf({ resourceType: 'Bundle', type: 'transaction', entry: [] }),
        }),
      history: () => core.interactions.history(nobody, {}),
      changes: () => core.streams.changes(nobody, 0, 10),
      lastSequence: () => core.streams.lastSequence(nobody),
      follow: () => core.interactions.follow(nobody, { parameters: [] }),
      search: () => core.interactions.search(nobody, { type: 'Observation', parameters: [] }),
      aggregate: () => core.interactions.aggregate(nobody, { type: 'Observation', parameters: [] }),
      searchBatch: async () => {
        const [page] = await core.interactions.searchBatch(nobody, [{ type: 'Observation', parameters: [] }]);
        if (page instanceof Error) throw page;
      },
      invoke: () =>
        core.interactions.invoke(nobody, {
          level: 'instance',
          type: 'Patient',
          id: 'ann',
          code: 'everything',
          safe: true,
        }),
      subscriptionStatus: () => core.interactions.subscriptionStatus(nobody, 's1'),
      subscriptionEvents: () =>
        core.interactions.subscriptionEvents(nobody, {
          id: 's1',
          since: undefined,
          until: undefined,
          content: undefined,
        }),
      requests: () => core.jobs.requests.submit(nobody, { details: {}, isRepeatable: true }),
      exportData: () => core.interactions.exportData(nobody, everything),
      imports: () =>
        core.jobs.imports.submit(nobody, {
          files: [{ name: 'body', bytes: 2 }],
          content: Buffer.from('{}'),
          request: everything.url,
        }),
      storeContent: () => core.interactions.storeContent(nobody, upload),
      findDisplays: () =>
        core.interactions.findDisplays(nobody, [
          {
            system: 'http://hl7.org/fhir/administrative-gender',
            version: undefined,
            code: 'male',
            languages: 'de',
          },
        ]),
      openBinary: () => core.interactions.openBinary(nobody, binary.version),
    };
    // Whose job it is decides, and not a grant; a job of another client does not exist.
    const exported = await core.interactions.exportData(open, everything);
    const hidden: Record<string, () => Promise<unknown>> = {
      exportStatus: () => core.interactions.exportStatus(nobody, exported),
      exportedFile: () => core.interactions.exportedFile(nobody, exported, '1'),
      cancelExport: async () => (await core.interactions.cancelExport(nobody, exported)) || undefined,
    };
    const withRule = Object.values(CORE_RULES).flatMap((rules) =>
      Object.entries(rules).flatMap(([name, rule]) => (rule === 'data' ? [name] : [])),
    );
    expect(Object.keys({ ...calls, ...hidden }).sort()).toEqual(
      [...withRule, ...Object.keys(INTERACTIONS)].sort(),
    );
    // The functions of core are those that have a rule; one rule may stand for a whole part.
    const names = (part: object): string[] => Object.keys(part).sort();
    expect(names(core)).toEqual(names({ ...CORE_RULES, close: true }));
    expect(names(core.interactions)).toEqual(names({ ...CORE_RULES.interactions, ...INTERACTIONS }));
    for (const part of ['access', 'jobs', 'streams'] as const)
      expect([part, names(core[part])]).toEqual([part, names(CORE_RULES[part])]);
    for (const [name, call] of Object.entries(calls))
      expect([name, await outcome(call())]).toEqual([name, 'forbidden']);
    for (const [name, call] of Object.entries(hidden))
      expect([name, await call()]).toEqual([name, undefined]);
    expect(await core.interactions.cancelExport(open, exported)).toBe(true);
    await expect(core.interactions.read(nobody, 'Observation', 'a1')).rejects.toThrow(
      'This client has no scopes: the scope system/Observation.r is missing',
    );
  });

  it('writes are within the grants before and after, alone and in transactions', async () => {
    const own = as(['patient/*.cruds']);
    const mine = inputOf(observation('a2', 'ann'));
    const others = inputOf(observation('b2', 'bob'));
    const moved = inputOf([{ op: 'replace', path: '/subject/reference', value: 'Patient/bob' }]);
    const transaction = (method: string, url: string, resource?: object): Promise<unknown> => {
      const entry = [{ request: { method, url }, ...(resource === undefined ? {} : { resource }) }];
      return core.interactions.bundle(own, {
        input: inputOf({ resourceType: 'Bundle', type: 'transaction', entry }),
      });
    };
    const before = await core.streams.lastSequence(open);
    const told = {
      createOfOthers: await outcome(core.interactions.create(own, 'Observation', others)),
      putOfOthers: await outcome(
        core.interactions.update(own, { type: 'Observation', id: 'b2', input: others }),
      ),
      overOthers: await outcome(
        core.interactions.update(own, {
          type: 'Observation',
          id: 'b1',
          input: inputOf(observation('b1', 'ann')),
        }),
      ),
      awayFromMe: await outcome(
        core.interactions.update(own, {
          type: 'Observation',
          id: 'a1',
          input: inputOf(observation('a1', 'bob')),
        }),
      ),
      patchOfOthers: await outcome(
        core.interactions.patch(own, { type: 'Observation', id: 'b1', patch: moved }),
      ),
      patchAway: await outcome(core.interactions.patch(own, { type: 'Observation', id: 'a1', patch: moved })),
      deleteOfOthers: (await core.interactions.delete(own, 'Observation', 'b1')).version,
      guarded: await outcome(core.interactions.delete(own, 'Observation', 'b1', { ifMatch: ['7'] })),
      otherType: await outcome(
        core.interactions.create(own, 'Practitioner', inputOf({ resourceType: 'Practitioner' })),
      ),
      entryOfOthers: await outcome(transaction('POST', 'Observation', observation('', 'bob'))),
      entryOverOthers: await outcome(transaction('PUT', 'Observation/b1', observation('b1', 'ann'))),
      entryDeletes: await outcome(transaction('DELETE', 'Observation/b1')),
      labels: await outcome(
        core.interactions.invoke(own, {
          level: 'instance',
          type: 'Observation',
          id: 'b1',
          code: 'meta-add',
          input: inputOf({
            resourceType: 'Parameters',
            parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 't' }] } }],
          }),
          safe: false,
        }),
      ),
    };
    expect(told).toEqual({
      createOfOthers: 'forbidden',
      putOfOthers: 'forbidden',
      overOthers: 'forbidden',
      awayFromMe: 'forbidden',
      patchOfOthers: 'notFound',
      patchAway: 'forbidden',
      deleteOfOthers: undefined,
      guarded: 'preconditionFailed',
      otherType: 'forbidden',
      entryOfOthers: 'forbidden',
      entryOverOthers: 'forbidden',
      entryDeletes: 'done',
      labels: 'notFound',
    });
    expect(await core.streams.lastSequence(open)).toBe(before);
    expect(
      (await core.interactions.update(own, { type: 'Observation', id: 'a2', input: mine })).created,
    ).toBe(true);
    expect((await core.interactions.deleteWhere(own, 'Observation', [['_id', 'a2']])).length).toBe(1);
    expect(await outcome(core.interactions.deleteWhere(own, 'Observation', [['_id', 'b1']]))).toBe('done');
    expect((await core.interactions.read(open, 'Observation', 'b1')).versionId).toBe(1);
  });

  it('a program moves nothing out of the conditions of its scope, and nothing into them', async () => {
    const program = as(['system/Observation.cruds?status=final'], { patient: undefined });
    const withStatus = (id: string, status: string): ResourceInput =>
      inputOf({ ...observation(id, 'bob'), status });
    const put = (id: string, status: string, context = program): Promise<string> =>
      outcome(core.interactions.update(context, { type: 'Observation', id, input: withStatus(id, status) }));
    await put('f1', 'registered', open);
    expect({
      create: await outcome(core.interactions.create(program, 'Observation', withStatus('', 'registered'))),
      away: await put('b1', 'registered'),
      into: await put('f1', 'final'),
      within: await put('b3', 'final'),
    }).toEqual({ create: 'forbidden', away: 'forbidden', into: 'forbidden', within: 'done' });
  });

  it('a record by $everything and a live query have nothing of others', async () => {
    const own = as(['patient/*.rs']);
    const record = await core.interactions.invoke(own, {
      level: 'type',
      type: 'Patient',
      code: 'everything',
      safe: true,
    });
    if (!('page' in record)) throw new Error('a record has pages');
    expect(record.page.matches.map(({ id }) => id).sort()).toEqual(['a1', 'ann']);
    expect(
      await outcome(
        core.interactions.invoke(own, {
          level: 'instance',
          type: 'Patient',
          id: 'bob',
          code: 'everything',
          safe: true,
        }),
      ),
    ).toBe('notFound');
    const stream = await core.interactions.follow(own, { type: 'Observation', parameters: [] });
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'b3',
      input: inputOf(observation('b3', 'bob')),
    });
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'a3',
      input: inputOf(observation('a3', 'ann')),
    });
    const first = await stream.next();
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'a3',
      input: inputOf(observation('a3', 'bob')),
    });
    await core.interactions.delete(open, 'Observation', 'b3');
    await core.interactions.update(open, {
      type: 'Observation',
      id: 'a4',
      input: inputOf(observation('a4', 'ann')),
    });
    const heard = [first, await stream.next(), await stream.next()];
    stream.close();
    expect(
      heard.map((change) => [change?.kind, change?.version.id, change?.version.text.includes('bob')]),
    ).toEqual([
      ['update', 'a3', false],
      ['delete', 'a3', false],
      ['update', 'a4', false],
    ]);
    expect(await outcome(core.interactions.follow(own, { parameters: [] }))).toBe('forbidden');
  });

  it('policies narrow scopes, hide elements in every answer and protect others', async () => {
    await core.tenants.policies.put('system', 'ward', {
      rules: [
        { types: ['Observation'], interactions: 'crus', criteria: ['status=final&subject={patient}'] },
        { types: ['Patient'], interactions: 'rus' },
      ],
      operations: ['$everything'],
      hidden: ['Observation.note', 'Observation.value', 'Patient.name'],
      readOnly: ['Patient.gender'],
    });
    const current = await opened.context('system', release);
    const ward = {
      ...current,
      access: { ...NOBODY, patient: 'ann', scopes: ['system/*.cruds'], policies: ['ward'] },
    };
    const found = await core.interactions.search(ward, {
      type: 'Observation',
      parameters: [['_sort', '_id']],
    });
    expect(found.matches.map(({ id }) => id)).toEqual(['a1', 'a4']);
    const texts = [
      ...found.matches.map(({ text }) => text),
      (await core.interactions.read(ward, 'Patient', 'ann')).text,
      (await core.interactions.vread(ward, 'Observation', 'a1', '1')).text,
      ...(await core.interactions.history(ward, { type: 'Observation', id: 'a1' })).versions.map(
        ({ text }) => text,
      ),
      ...(await core.streams.changes(ward, 0, 100)).map(({ text }) => text),
    ];
    for (const text of texts)
      expect([text, text.includes('secret'), text.includes('Abel')]).toEqual([text, false, false]);
    expect(texts[0]).toContain('SUBSETTED');
    const asks = (type: string, name: string, value: string): Promise<string> =>
      outcome(core.interactions.search(ward, { type, parameters: [[name, value]], handling: 'strict' }));
    expect({
      name: await asks('Patient', 'name', 'Abel'),
      sort: await asks('Patient', '_sort', 'family'),
      missing: await asks('Patient', 'name:missing', 'true'),
      filter: await asks('Patient', '_filter', 'name co Abel'),
      chain: await asks('Observation', 'subject:Patient.family', 'Abel'),
      has: await asks('Patient', '_has:Observation:subject:_content', 'secret'),
      words: await asks('Observation', '_content', 'secret'),
      visible: await asks('Patient', 'gender', 'female'),
    }).toEqual({
      name: 'unknownParameter',
      sort: 'invalidParameterValue',
      missing: 'unknownParameter',
      filter: 'unknownParameter',
      chain: 'unknownParameter',
      has: 'unknownParameter',
      words: 'unknownParameter',
      visible: 'done',
    });
    const grouped = core.interactions.aggregate(ward, {
      type: 'Patient',
      parameters: [],
      by: { parameter: 'name' },
    });
    expect(await outcome(grouped)).toBe('unknownParameter');
    const numbers = core.interactions.aggregate(ward, {
      ...{ type: 'Observation', parameters: [] },
      numbers: { parameter: 'value-quantity' },
    });
    expect(await outcome(numbers)).toBe('unknownParameter');
    const test = inputOf([{ op: 'test', path: '/name/0/family', value: 'Abel' }]);
    expect(await outcome(core.interactions.patch(ward, { type: 'Patient', id: 'ann', patch: test }))).toBe(
      'forbidden',
    );
    expect(
      await outcome(core.interactions.create(ward, 'Observation', inputOf(observation('', 'ann')))),
    ).toBe('forbidden');
    const { note: _hidden, ...rest } = { note: undefined, ...observation('', 'ann') };
    expect(await outcome(core.interactions.create(ward, 'Observation', inputOf(rest)))).toBe('done');
    expect(await outcome(core.interactions.delete(ward, 'Observation', 'a1'))).toBe('forbidden');
    const meta = { level: 'instance', type: 'Patient', id: 'ann', code: 'meta', safe: true } as const;
    expect(await outcome(core.interactions.invoke(ward, meta))).toBe('forbidden');
    const unknown = { ...ward, access: { ...ward.access, policies: ['none'] } };
    expect(await outcome(core.interactions.read(unknown, 'Patient', 'ann'))).toBe('forbidden');
    await core.tenants.policies.put('system', 'desk', {
      rules: [{ types: ['Patient'], interactions: 'crud' }],
      readOnly: ['Patient.gender', 'Patient.contact.name'],
    });
    const desk = {
      ...(await opened.context('system', release)),
      access: { ...NOBODY, scopes: ['system/Patient.*'], policies: ['desk'] },
    };
    const put = (change: object): Promise<string> =>
      outcome(
        core.interactions.update(desk, { type: 'Patient', id: 'ann', input: inputOf({ ...ann, ...change }) }),
      );
    expect({
      protected: await put({ gender: 'other' }),
      within: await put({ contact: [{ name: { text: 'Eve' } }] }),
      allowed: await put({ birthDate: '1970' }),
    }).toEqual({ protected: 'forbidden', within: 'forbidden', allowed: 'done' });
    expect(Object.keys(await core.tenants.policies.list('system')).sort()).toEqual(['desk', 'ward']);
    for (const name of ['desk', 'ward'])
      expect(await core.tenants.policies.delete('system', name)).toBe(true);
  });

  it.each([
    ['a rule without letters of interactions', { rules: [{ types: ['Patient'], interactions: 'sr' }] }],
    ['a type that there is not', { rules: [{ types: ['Patiant'], interactions: 'r' }] }],
    [
      'a criterion that the type has not',
      { rules: [{ types: ['Patient'], interactions: 'r', criteria: ['x=1'] }] },
    ],
    ['an element that there is not', { rules: [], hidden: ['Patient.nam'] }],
    ['the id', { rules: [], hidden: ['Patient.id'] }],
    ['a member that there is not', { rules: [], hide: [] }],
  ])('%s is no policy', async (_what, definition) => {
    expect(await outcome(core.tenants.policies.put('system', 'bad', definition))).toBe('invalidValue');
  });
});
