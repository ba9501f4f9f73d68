/** The reach of `user/` scopes: by the identity of the user, and by the current data of a RelatedPerson or Person. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Release } from '../../src/core';
import { WITH_LOCAL_KEYS } from '../support/access';
import { makeIssuer, type TestIssuer } from '../support/issuer';
import { startServer, type Answer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

const SCOPE = 'user/*.cruds';
const DAY_MS = 86_400_000;
const dateIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
const IDS = Array.from({ length: 12 }, (_each, index) => `p${index}`);

let server: TestServer;
/** Another process with caches of its own, without Redis. */
let other: TestServer;
let issuer: TestIssuer;

beforeAll(async () => {
  const environment = { ...WITH_LOCAL_KEYS, VALIDATION: 'structure' };
  server = await startServer({ because: 'a second process without Redis', environment });
  other = await startServer({ database: server.database, environment: { ...environment, REDIS_PORT: '1' } });
  await server.app.core.tenants.create('acme');
  await server.app.core.tenants.create('globex');
  issuer = await makeIssuer(server.app.core, 'acme', ['user/*.cruds', 'patient/*.cruds'], {
    release: 'both',
  });
});
afterAll(async () => {
  await issuer.close();
  await other.close();
  await server.close();
});

const related = (id: string, patient: string, more: object = {}) => ({
  ...{ resourceType: 'RelatedPerson', id, patient: { reference: `Patient/${patient}` } },
  ...more,
});
const linked = (id: string, links: readonly (readonly [string, string?])[], more: object = {}) => ({
  ...{ resourceType: 'Person', id },
  ...(links.length === 0
    ? {}
    : {
        link: links.map(([reference, assurance]) => ({
          target: { reference },
          ...(assurance === undefined ? {} : { assurance }),
        })),
      }),
  ...more,
});

describe.each(TESTED_RELEASES)('%s', (release) => {
  const root = `/w/acme/api/v1/fhir/${release}`;
  const issue = (fhirUser: unknown, more: object = {}): string =>
    issuer.issueToken({ scope: SCOPE, ...(fhirUser === undefined ? {} : { fhirUser }), ...more });
  const send = (
    method: string,
    path: string,
    authorization?: string,
    body?: unknown,
    at: TestServer = server,
  ): Promise<Answer> =>
    at.request(method, `${root}${path}`, body, authorization === undefined ? {} : { authorization });
  const put = async (resource: { resourceType: string; id: string }): Promise<void> => {
    const { status, text } = await send(
      'PUT',
      `/${resource.resourceType}/${resource.id}`,
      undefined,
      resource,
    );
    if (status >= 300) throw new Error(text);
  };
  const idsOf = ({ json }: Answer): string[] =>
    (json.entry ?? []).flatMap(({ resource }: { resource?: { id: string } }) => resource?.id ?? []).sort();

  beforeAll(async () => {
    const patient = (id: string) => ({ resourceType: 'Patient', id, gender: 'female' });
    const observation = (id: string) => ({
      ...{ resourceType: 'Observation', id: `of-${id}`, status: 'final', code: { text: 'weight' } },
      ...{ subject: { reference: `Patient/${id}` }, note: [{ text: 'private' }] },
    });
    const people = [
      related('mother', 'p1'),
      related('active', 'p1', { active: true, period: { start: dateIn(-2), end: dateIn(2) } }),
      related('inactive', 'p1', { active: false }),
      related('former', 'p1', { period: { end: dateIn(-1) } }),
      related('future', 'p1', { period: { start: dateIn(2) } }),
      linked('two', [
        ...[['Patient/p1', 'level3'] as const, ['Patient/p2', 'level4'] as const],
        ...[['Patient/p3', 'level2'] as const, ['Patient/p4'] as const],
        ...[['RelatedPerson/mother', 'level4'] as const, ['Patient/p1', 'level4'] as const],
      ]),
      linked(
        'twelve',
        IDS.map((id) => [`Patient/${id}`, 'level3']),
      ),
      linked('unassured', [['Patient/p1', 'level1'], ['Patient/p2']]),
      linked('inactive', [['Patient/p1', 'level4']], { active: false }),
    ];
    const entry = [...IDS.map(patient), ...IDS.map(observation), ...people].map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }));
    const body = { resourceType: 'Bundle', type: 'transaction', entry };
    const { status, text } = await send('POST', '', undefined, body);
    if (status !== 200) throw new Error(text);
  });

  const absolute = (path: string, tenant = 'acme', of: Release = release): string =>
    `${server.root(tenant, of)}/${path}`;

  it.each<[string, () => unknown]>([
    ['no fhirUser', () => undefined],
    ['a fhirUser that is no reference', () => 'dr.house'],
    ['one that is no text', () => ({ reference: 'Practitioner/doc' })],
    ['one without an id', () => 'Practitioner'],
    ['a Device', () => 'Device/d'],
    ['an Organization', () => absolute('Organization/o')],
    ['a Practitioner of another server', () => 'https://elsewhere.example/fhir/Practitioner/doc'],
    ['one of another tenant', () => absolute('Practitioner/doc', 'globex')],
    ['one of the other release', () => absolute('Practitioner/doc', 'acme', release === 'r4' ? 'r4b' : 'r4')],
    ['a RelatedPerson that is not active', () => 'RelatedPerson/inactive'],
    ['a RelatedPerson after its period', () => 'RelatedPerson/former'],
    ['a RelatedPerson before its period', () => 'RelatedPerson/future'],
    ['a RelatedPerson that is not there', () => 'RelatedPerson/nobody'],
    ['a Person without assured links', () => 'Person/unassured'],
    ['a Person that is not active', () => 'Person/inactive'],
  ])('with %s they grant nothing, and that is said', async (_what, fhirUser) => {
    const authorization = issue(fhirUser());
    const REASON = /user\/ scopes of this token grant nothing/;
    const batch = {
      ...{ resourceType: 'Bundle', type: 'batch' },
      entry: [{ request: { method: 'GET', url: 'Patient/p1' } }],
    };
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/Patient'],
      ['GET', '/Patient/p1'],
      ['GET', '/Patient/p1/_history'],
      ['GET', '/Observation?_summary=count'],
      ['GET', '/_history'],
      ['GET', '/Patient/p1/$everything'],
      ['PUT', '/Patient/p1', { resourceType: 'Patient', id: 'p1' }],
      ['POST', '/Patient', { resourceType: 'Patient' }],
      ['DELETE', '/Patient/p1'],
      ['POST', '', batch],
    ];
    for (const [method, path, body] of requests) {
      const { status, text } = await send(method, path, authorization, body);
      expect([method, path, status]).toEqual([method, path, 403]);
      expect(text).toMatch(REASON);
    }
    const query = { query: '{ PatientList { id } Patient(id: "p1") { id } }' };
    const { json } = await server.request('POST', `/w/acme/api/v1/graphql/${release}`, query, {
      ...{ authorization, 'content-type': 'application/json' },
    });
    expect(JSON.stringify(json.errors)).toMatch(REASON);
    expect(JSON.stringify(json.data ?? {})).not.toContain('p1');
  });

  it.each([
    ['relative', 'Practitioner/doc'],
    ['of a version', 'Practitioner/doc/_history/3'],
    ['absolute', 'absolute:Practitioner/doc'],
    ['absolute, of a version', 'absolute:PractitionerRole/role/_history/1'],
  ])('of users who work for the tenant they reach the tenant: a reference that is %s', async (_how, text) => {
    const path = text.replace('absolute:', '');
    const authorization = issue(path === text ? text : absolute(path));
    expect(idsOf(await send('GET', '/Patient?_count=100', authorization))).toEqual([...IDS].sort());
  });

  it.each<[string, readonly string[]]>([
    ['Patient/p1', ['p1']],
    ['RelatedPerson/mother', ['p1']],
    ['RelatedPerson/active', ['p1']],
    ['Person/two', ['p1', 'p2']],
    ['Person/twelve', IDS.slice(0, 10)],
  ])('of %s they reach these records, and no other', async (fhirUser, reached) => {
    const authorization = issue(fhirUser);
    const get = (path: string): Promise<Answer> => send('GET', path, authorization);
    const patients = [...reached].sort();
    const observations = reached.map((id) => `of-${id}`).sort();
    const found = await get('/Observation?_count=100&_total=accurate&_include=Observation:subject');
    expect([found.json.total, idsOf(found)]).toEqual([reached.length, [...observations, ...patients].sort()]);
    expect(idsOf(await get('/Patient?_count=100&_sort=-_id'))).toEqual(patients);
    expect(idsOf(await get('/Patient?_has:Observation:subject:status=final&_count=100'))).toEqual(patients);
    expect(idsOf(await get('/Observation?subject:Patient.gender=female&_count=100'))).toEqual(observations);
    expect(idsOf(await get('/Patient?_revinclude=Observation:subject&_count=100'))).toEqual(
      [...observations, ...patients].sort(),
    );
    for (const id of IDS) {
      const isMine = reached.includes(id);
      const statuses = await Promise.all(
        [`/Patient/${id}`, `/Observation/of-${id}`, `/Observation/of-${id}/_history/1`].map(
          async (path) => (await get(path)).status,
        ),
      );
      expect([id, ...statuses]).toEqual([id, ...statuses.map(() => (isMine ? 200 : 404))]);
      const within = await get(`/Patient/${id}/Observation`);
      expect(idsOf(within)).toEqual(isMine ? [`of-${id}`] : []);
    }
    const history = await get('/Observation/_history?_count=1000');
    const past = new Set(idsOf(history).filter((id) => id.startsWith('of-')));
    expect([...past]).toEqual(observations);
    const everything = await get(`/Patient/${reached.at(-1) ?? ''}/$everything?_type=Observation&_count=100`);
    expect(idsOf(everything)).toContain(`of-${reached.at(-1) ?? ''}`);
    const query = { query: '{ ObservationList(_count: 100) { id } count: ObservationConnection { count } }' };
    const { json } = await server.request('POST', `/w/acme/api/v1/graphql/${release}`, query, {
      ...{ authorization, 'content-type': 'application/json' },
    });
    expect(json.data.ObservationList.map(({ id }: { id: string }) => id).sort()).toEqual(observations);
    expect(json.data.count.count).toBe(reached.length);
    // A write within one of the records, and one without.
    const made = (id: string) => ({
      ...{ resourceType: 'Observation', status: 'final', code: { text: 'own' } },
      ...{ subject: { reference: `Patient/${id}` } },
    });
    const own = await send('POST', '/Observation', authorization, made(patients[0] ?? ''));
    expect(own.status).toBe(201);
    expect((await send('DELETE', `/Observation/${own.json.id}`, authorization)).status).toBe(200);
    expect((await send('POST', '/Observation', authorization, made('p11'))).status).toBe(403);
  });

  it('elements that a policy hides are hidden in all of the records', async () => {
    const { core } = server.app;
    await core.tenants.policies.put('acme', `notes-${release}`, {
      rules: [{ types: ['*'], interactions: 'rs' }],
      hidden: ['Observation.note'],
    });
    const hiding = await makeIssuer(core, 'acme', ['user/*.rs'], {
      ...{ issuer: `https://hiding.example/${release}`, release },
    });
    await core.tenants.clients.change('acme', hiding.client, { policies: [`notes-${release}`] });
    const authorization = hiding.issueToken({
      iss: `https://hiding.example/${release}`,
      ...{ scope: 'user/*.rs', fhirUser: 'Person/two' },
    });
    const found = await send('GET', '/Observation', authorization);
    expect(idsOf(found)).toEqual(['of-p1', 'of-p2']);
    expect(found.text).toContain('SUBSETTED');
    expect(found.text).not.toContain('private');
    await hiding.close();
  });

  it.each(['Patient/p1', 'RelatedPerson/mother', 'Person/two', undefined])(
    '%s writes no Person, RelatedPerson or Group, under any scopes',
    async (fhirUser) => {
      const authorization = issue(fhirUser, { scope: 'user/*.cruds patient/*.cruds', patient: 'p1' });
      const resources = [
        linked('two', [['Patient/p1', 'level4']]),
        linked('new', [['Patient/p1', 'level4']]),
        related('mother', 'p1'),
        related('new', 'p1'),
        {
          ...{ resourceType: 'Group', id: 'g', type: 'person', actual: true },
          member: [{ entity: { reference: 'Patient/p1' } }],
        },
      ];
      for (const resource of resources) {
        const { resourceType: type, id } = resource;
        const entry = (method: string) => ({ ...{ resource }, request: { method, url: `${type}/${id}` } });
        const patch = [{ op: 'replace', path: '/id', value: id }];
        const answers = [
          await send('PUT', `/${type}/${id}`, authorization, resource),
          await send('POST', `/${type}`, authorization, { ...resource, id: undefined }),
          await send('DELETE', `/${type}/${id}`, authorization),
          await server.request('PATCH', `${root}/${type}/${id}`, patch, {
            ...{ authorization, 'content-type': 'application/json-patch+json' },
          }),
          await send('POST', '', authorization, {
            ...{ resourceType: 'Bundle', type: 'transaction', entry: [entry('PUT')] },
          }),
        ];
        for (const { status, text } of answers) {
          expect([type, status]).toEqual([type, 403]);
          expect(text).toMatch(/Person, RelatedPerson, Group say whose records people reach/);
        }
      }
    },
  );

  it('a Practitioner writes them', async () => {
    const authorization = issue('Practitioner/doc');
    expect((await send('PUT', '/RelatedPerson/aunt', authorization, related('aunt', 'p1'))).status).toBe(201);
    expect((await send('DELETE', '/RelatedPerson/aunt', authorization)).status).toBe(200);
  });

  describe('ends, in every process,', () => {
    const statusOf = async (authorization: string, at: TestServer, path = '/Patient/p5'): Promise<number> =>
      (await send('GET', path, authorization, undefined, at)).status;
    const until = async (wanted: number, authorization: string, path?: string): Promise<void> => {
      for (const at of [server, other])
        while ((await statusOf(authorization, at, path)) !== wanted) await delay(20);
    };

    it.each<[string, string, { resourceType: string; id: string }, { resourceType: string; id: string }]>([
      [
        'when a RelatedPerson is not active any more',
        'RelatedPerson/changing',
        related('changing', 'p5'),
        related('changing', 'p5', { active: false }),
      ],
      [
        'when a period is closed',
        'RelatedPerson/leaving',
        related('leaving', 'p5'),
        related('leaving', 'p5', { period: { end: dateIn(-1) } }),
      ],
      [
        'when a link is removed',
        'Person/changing',
        linked('changing', [['Patient/p5', 'level4']]),
        linked('changing', []),
      ],
      [
        'when a link is less sure',
        'Person/doubted',
        linked('doubted', [['Patient/p5', 'level4']]),
        linked('doubted', [['Patient/p5', 'level2']]),
      ],
    ])('%s, and begins again', async (_when, fhirUser, before, after) => {
      await put(before);
      const tokens = [issue(fhirUser), issue(fhirUser, { scope: 'patient/*.rs', patient: 'p5' })];
      for (const token of tokens) await until(200, token);
      await put(after);
      for (const token of tokens) await until(403, token);
      await put(before);
      for (const token of tokens) await until(200, token);
      await send('DELETE', `/${fhirUser}`);
      for (const token of tokens) await until(403, token);
    });

    it('when a period ends by itself', async () => {
      let [token, end, status] = ['', 0, 0];
      // On a slow machine a short period is over before it is asked about: that of the next guest is longer.
      for (let lasts = 2_500; status !== 200 && end <= Date.now(); lasts *= 2) {
        token = issue(`RelatedPerson/guest-${lasts}`);
        end = Date.now() + lasts;
        await put(related(`guest-${lasts}`, 'p5', { period: { end: new Date(end).toISOString() } }));
        status = await statusOf(token, server);
      }
      expect(status).toBe(200);
      await until(403, token);
      expect(Date.now()).toBeGreaterThan(end);
    });

    it('and begin again with another Patient', async () => {
      await put(related('moving', 'p5'));
      const token = issue('RelatedPerson/moving');
      await until(200, token);
      await put(related('moving', 'p6'));
      await until(404, token);
      await until(200, token, '/Patient/p6');
    });

    it('for asynchronous requests and for live queries too', async () => {
      const { core } = server.app;
      await put(related('watching', 'p5'));
      const space = await core.access.findSpace('acme', release);
      const authorization = issue('RelatedPerson/watching');
      const caller = await core.access.identify({ tenant: 'acme', space, authorization, address: '::1' });
      if (space === undefined) throw new Error('acme is not there');
      expect((await core.access.renewCaller(space, caller)).access).toEqual(caller.access);
      const controller = new AbortController();
      const query = encodeURIComponent('subscription { changes(type: Observation) { id } }');
      const live = await fetch(`${server.base}/w/acme/api/v1/graphql/${release}/stream?query=${query}`, {
        ...{ headers: { authorization, accept: 'text/event-stream' }, signal: controller.signal },
      });
      expect(live.status).toBe(200);
      const ended = live.text();
      await put(related('watching', 'p5', { active: false }));
      while ((await core.access.renewCaller(space, caller)).access?.userPatients?.length !== 0)
        await delay(20);
      await put({
        ...{ resourceType: 'Observation', id: 'late', status: 'final', code: { text: 'late' } },
        ...{ subject: { reference: 'Patient/p5' } },
      });
      expect(await ended).not.toContain('"late"');
      controller.abort();
    });
  });
});
