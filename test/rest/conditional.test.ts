/**
 * Conditional writes by search criteria: https://hl7.org/fhir/R4/http.html#ccreate, #cond-update, #cdelete, #patch;
 * docs/use/conditional.md.
 */
import type { Release } from '../../src/core';
import type { Answer } from '../support/http';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const [name, settings] of [
    ['north', {}],
    ['south', {}],
    ['lenient', { 'search-unknown': 'lenient' }],
  ] as const)
    await server.createTenant(name, settings);
});
afterAll(() => server.close());

const SYSTEM = 'http://hospital.example/mrn';
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };

interface Patient {
  readonly resourceType: 'Patient';
  readonly identifier: readonly { readonly system: string; readonly value: string }[];
  readonly [member: string]: unknown;
}

function patient(value: string, more: object = {}): Patient {
  return { resourceType: 'Patient', identifier: [{ system: SYSTEM, value }], ...more };
}

let last = 0;
/** A unique identifier. */
const anew = (): string => `m-${++last}`;

describe.each<[tenant: string, release: Release]>([
  ['north', 'r4'],
  ['south', 'r4b'],
])('in the tenant %s under %s', (tenant, release) => {
  const path = (rest: string): string => `${server.path(tenant, release)}${rest}`;
  const send = (
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string | string[]> = {},
  ): Promise<Answer> => server.request(method, path(rest), body, headers);
  const by = (value: string): string => `/Patient?identifier=${SYSTEM}|${value}`;
  const count = async (query: string): Promise<number> =>
    (await send('GET', `/Patient?${query}&_summary=count`)).json.total;
  const total = (value: string): Promise<number> => count(`identifier=${SYSTEM}|${value}`);
  async function store(...patients: Patient[]): Promise<string[]> {
    const ids: string[] = [];
    for (const each of patients) ids.push((await send('POST', '/Patient', each)).json.id);
    return ids;
  }

  it('a create with If-None-Exist makes one, gives the one, and is refused by two', async () => {
    const value = anew();
    const headers = { 'if-none-exist': `identifier=${SYSTEM}|${value}` };
    const made = await send('POST', '/Patient', patient(value), headers);
    expect(made.status).toBe(201);
    const { id } = made.json;
    const found = await send('POST', '/Patient', patient(value, { active: true }), headers);
    expect(found.status).toBe(200);
    expect(found.json).toEqual(made.json);
    expect(found.headers).toMatchObject({
      etag: 'W/"1"',
      location: `${server.root(tenant, release)}/Patient/${id}/_history/1`,
      'last-modified': made.headers['last-modified'],
    });
    await store(patient(value));
    const several = await send('POST', '/Patient', patient(value), headers);
    expect(several.status).toBe(412);
    expect(several.json.issue[0].code).toBe('multiple-matches');
    expect(await total(value)).toBe(2);
  });

  it('a match of If-None-Exist answers as Prefer requests', async () => {
    const value = anew();
    const [id] = await store(patient(value));
    const hit = (prefer: string): Promise<Answer> =>
      send('POST', '/Patient', patient(value), { 'if-none-exist': `identifier=${value}`, prefer });
    expect(await hit('return=minimal')).toMatchObject({ status: 200, text: '' });
    const reported = await hit('return=OperationOutcome');
    expect(reported.json.issue[0].diagnostics).toContain(`Patient/${id} already meets the criteria`);
  });

  it('a deleted resource, and one that was changed since, meet no criteria any more', async () => {
    const [value, other] = [anew(), anew()];
    const headers = { 'if-none-exist': `identifier=${value}` };
    const [deleted] = await store(patient(value));
    await send('DELETE', `/Patient/${deleted}`);
    const second = await send('POST', '/Patient', patient(value), headers);
    expect(second.status).toBe(201);
    await send('PUT', `/Patient/${second.json.id}`, { ...patient(other), id: second.json.id });
    expect((await send('POST', '/Patient', patient(value), headers)).status).toBe(201);
  });

  it.each([
    ['fifty', (value: string) => [`identifier=${SYSTEM}|${value}`]],
    [
      'fifty differently spelt',
      (value: string) => [
        `identifier=${SYSTEM}|${value}`,
        `identifier=${encodeURIComponent(`${SYSTEM}|${value}`)}`,
        `identifier=${value}`,
        `identifier=nobody,${SYSTEM}|${value.toUpperCase()}`,
        `active=true&identifier=${value}`,
        `identifier=${value}&active=true`,
      ],
    ],
  ])('%s creates with If-None-Exist at once make one resource', async (_title, spell) => {
    const value = anew();
    const spellings = spell(value);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        send('POST', '/Patient', patient(value, { active: true }), {
          'if-none-exist': spellings[number % spellings.length] ?? '',
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(49).fill(200), 201]);
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
    expect(await total(value)).toBe(1);
  });

  it.each([
    ['a name', 'family=Concurrent-{}'],
    ['a chain', 'organization.name=Org-{}'],
    ['a date and a name', 'birthdate=1970-01-02&family=concurrent {}'],
  ])('creates on condition of %s, which names no value, make one too', async (_title, criteria) => {
    const value = anew();
    const organization = { resourceType: 'Organization', name: `Org-${value}` };
    const { json } = await send('POST', '/Organization', organization);
    const body = patient(value, {
      name: [{ family: `Concurrent-${value}` }],
      birthDate: '1970-01-02',
      managingOrganization: { reference: `Organization/${json.id}` },
    });
    const headers = { 'if-none-exist': criteria.replaceAll('{}', value) };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send('POST', '/Patient', body, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(await total(value)).toBe(1);
  });

  it('two that each store a match of the other make one', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [anew(), anew()];
      const both = {
        identifier: [
          { system: SYSTEM, value: one },
          { system: SYSTEM, value: other },
        ],
      };
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          send('POST', '/Patient', patient(one, both), {
            'if-none-exist': `identifier=${number % 2 === 0 ? one : other}`,
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(await total(one)).toBe(1);
    }
  });

  it('an update by criteria makes one, changes the one, and is refused by two', async () => {
    const value = anew();
    const made = await send('PUT', by(value), patient(value));
    expect(made.status).toBe(201);
    expect(made.headers.location).toContain(`/Patient/${made.json.id}/_history/1`);
    const changed = await send('PUT', by(value), patient(value, { active: false }));
    expect(changed.status).toBe(200);
    expect(changed.json).toMatchObject({ id: made.json.id, active: false, meta: { versionId: '2' } });
    const same = await send('PUT', by(value), patient(value, { id: made.json.id }));
    expect([same.status, same.headers.etag]).toEqual([200, 'W/"3"']);
    await store(patient(value));
    expect((await send('PUT', by(value), patient(value))).status).toBe(412);
    expect((await send('GET', `/Patient/${made.json.id}`)).json.meta.versionId).toBe('3');
  });

  it('an update by criteria refuses the id of another resource: 400', async () => {
    const value = anew();
    const [id] = await store(patient(value));
    const { status, json } = await send('PUT', by(value), patient(value, { id: 'somebody-else' }));
    expect(status).toBe(400);
    expect(json.issue[0]).toMatchObject({ code: 'value', expression: ['Patient.id'] });
    expect((await send('GET', `/Patient/${id}`)).json.meta.versionId).toBe('1');
  });

  it('an update by criteria without a match creates a resource under the id of its body, but uses no id of others', async () => {
    const [value, other] = [anew(), anew()];
    const id = `chosen-${value}`;
    const made = await send('PUT', by(value), patient(value, { id }));
    expect([made.status, made.json.id]).toEqual([201, id]);
    const refused = await send('PUT', by(other), patient(other, { id }));
    expect(refused.status).toBe(409);
    expect(refused.json.issue[0].code).toBe('duplicate');
    await send('DELETE', `/Patient/${id}`);
    const revived = await send('PUT', by(other), patient(other, { id }));
    expect([revived.status, revived.headers.etag]).toEqual([201, 'W/"3"']);
    expect((await send('PUT', by(anew()), patient(value, { id: 'no id!' }))).status).toBe(400);
  });

  it('a long body is updated by criteria like a short one', async () => {
    const value = anew();
    const note = {
      text: {
        status: 'generated',
        div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(300_000)}</div>`,
      },
    };
    const made = await send('PUT', by(value), patient(value, { id: `long-${value}`, ...note }));
    expect([made.status, made.json.id]).toEqual([201, `long-${value}`]);
    expect((await send('PUT', by(value), patient(value, note))).headers.etag).toBe('W/"2"');
  });

  it('updates by criteria at once each make a version of one resource', async () => {
    const value = anew();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) =>
        send('PUT', by(value), patient(value, { name: [{ family: `n${number}` }] })),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(19).fill(200), 201]);
    const versions = answers.map(({ json }) => Number(json.meta.versionId)).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  it('a patch by criteria is 404 for none, changes the one, and is refused by two', async () => {
    const value = anew();
    const operations = [{ op: 'add', path: '/active', value: true }];
    const none = await send('PATCH', by(value), operations, JSON_PATCH);
    expect(none.status).toBe(404);
    expect(none.json.resourceType).toBe('OperationOutcome');
    const [id] = await store(patient(value));
    const patched = await send('PATCH', by(value), operations, JSON_PATCH);
    expect(patched.status).toBe(200);
    expect(patched.json).toMatchObject({ id, active: true, meta: { versionId: '2' } });
    await store(patient(value));
    expect((await send('PATCH', by(value), operations, JSON_PATCH)).status).toBe(412);
  });

  it('a delete by criteria is 200 for none and one, and refused by several', async () => {
    const value = anew();
    const none = await send('DELETE', by(value));
    expect([none.status, none.json.resourceType]).toEqual([200, 'OperationOutcome']);
    expect((await send('DELETE', by(value), undefined, { prefer: 'return=minimal' })).status).toBe(204);
    const [id] = await store(patient(value));
    const done = await send('DELETE', by(value));
    expect([done.status, done.headers.etag]).toEqual([200, 'W/"2"']);
    expect((await send('GET', `/Patient/${id}`)).status).toBe(410);
    await store(patient(value), patient(value));
    expect((await send('DELETE', by(value))).status).toBe(412);
    expect(await total(value)).toBe(2);
  });

  it.each([
    ['nothing', ''],
    ['an empty value', 'identifier='],
    ['an empty value among others', 'identifier={},'],
    ['only commas', 'identifier=,'],
    ['a bar alone', 'identifier=|'],
    ['a name of punctuation', 'family=--'],
    ['a uri of nothing', '_profile='],
    ['no possible id', '_id=!!!'],
    ['all but no possible id', '_id:not=!!!'],
    ['an unknown parameter', 'identifer={}'],
    ['an unknown parameter beside a known one', 'identifier={}&nonsense=1'],
    ['an unknown modifier', 'identifier:sounds-like={}'],
    ['an order', 'identifier={}&_sort=family'],
    ['a count', 'identifier={}&_count=1'],
    ['an inclusion', 'identifier={}&_include=Patient:organization'],
    ['a total', 'identifier={}&_total=accurate'],
    ['a cache-buster', '_=1'],
    ['a layout', '_pretty=true'],
    ['a malformed date', 'birthdate=yesterday'],
  ])('criteria of %s are 400 and change nothing', async (_title, template) => {
    const value = anew();
    await store(patient(value));
    const before = await count('_id:missing=false');
    const criteria = template.replaceAll('{}', value);
    const answers = [
      await send('PUT', `/Patient?${criteria}`, patient(value)),
      await send('PATCH', `/Patient?${criteria}`, [{ op: 'add', path: '/active', value: true }], JSON_PATCH),
      await send('DELETE', `/Patient?${criteria}`),
      await send('POST', '/Patient', patient(value), {
        'if-none-exist': criteria,
        prefer: 'handling=lenient',
      }),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(400);
      expect(json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error' }] });
    }
    expect(await count('_id:missing=false')).toBe(before);
  });

  it('If-Match applies to the match of the criteria, weak or strong', async () => {
    const value = anew();
    const guard = (tag: string) => ({ 'if-match': tag });
    for (const tag of ['W/"1"', '"1"', '*']) {
      expect((await send('PUT', by(value), patient(value), guard(tag))).status).toBe(412);
      expect((await send('DELETE', by(value), undefined, guard(tag))).status).toBe(412);
    }
    await store(patient(value));
    const operations = [{ op: 'add', path: '/active', value: true }];
    expect((await send('PUT', by(value), patient(value), guard('W/"2"'))).status).toBe(412);
    expect((await send('PUT', by(value), patient(value), guard('W/"1"'))).status).toBe(200);
    expect((await send('PATCH', by(value), operations, { ...JSON_PATCH, ...guard('"1"') })).status).toBe(412);
    expect((await send('PATCH', by(value), operations, { ...JSON_PATCH, ...guard('"2"') })).status).toBe(200);
    expect((await send('PUT', by(value), patient(value), guard('*'))).status).toBe(200);
    expect((await send('DELETE', by(value), undefined, guard('W/"3"'))).status).toBe(412);
    expect((await send('DELETE', by(value), undefined, guard('"2", W/"4"'))).status).toBe(200);
  });

  it('If-None-Match: * on an update by criteria lets it make one only', async () => {
    const value = anew();
    const headers = { 'if-none-match': '*' };
    expect((await send('PUT', by(value), patient(value), headers)).status).toBe(201);
    expect((await send('PUT', by(value), patient(value), headers)).status).toBe(412);
  });

  it('criteria may follow references, test absence and codes of a value set', async () => {
    const value = anew();
    const organization = { resourceType: 'Organization', identifier: [{ system: SYSTEM, value }] };
    const { json } = await send('POST', '/Organization', organization);
    const body = patient(value, {
      gender: 'female',
      managingOrganization: { reference: `Organization/${json.id}` },
    });
    const criteria = [
      `organization.identifier=${value}`,
      `organization=${json.id}&birthdate:missing=true`,
      `identifier=${value}&gender:in=http://hl7.org/fhir/ValueSet/administrative-gender`,
      `identifier=${value}&_filter=gender eq female`.replaceAll(' ', '%20'),
    ];
    const answers = [];
    for (const each of criteria)
      answers.push(await send('POST', '/Patient', body, { 'if-none-exist': each }));
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
    const has = await send('PUT', `/Organization?_has:Patient:organization:identifier=${value}`, {
      ...organization,
      name: 'Found by its patient',
    });
    expect([has.status, has.json.id]).toEqual([200, json.id]);
  });

  it('bytes of a header that are not encoded are UTF-8; two headers are refused', async () => {
    const value = anew();
    const name = `Müller-${value}`;
    const [id] = await store(patient(value, { name: [{ family: name }] }));
    const raw = Buffer.from(`family=${name}`, 'utf8').toString('latin1');
    const found = await send('POST', '/Patient', patient(value), { 'if-none-exist': raw });
    expect([found.status, found.json.id]).toEqual([200, id]);
    const twice = await send('POST', '/Patient', patient(value), {
      'if-none-exist': [`identifier=${value}`, `identifier=${value}`],
    });
    expect(twice.status).toBe(400);
    expect(
      (await send('POST', '/Patient', patient(value), { 'if-none-exist': 'family=M\xfcller' })).status,
    ).toBe(400);
  });

  it('a conformance resource of the specification is found, replaced by one of the tenant, and never deleted', async () => {
    const url = 'http://hl7.org/fhir/ValueSet/administrative-gender';
    const base = (await send('GET', `/ValueSet?url=${url}`)).json.entry[0].resource;
    const own = { resourceType: 'ValueSet', url, status: 'active', name: `Own${last}` };
    const found = await send('POST', '/ValueSet', own, { 'if-none-exist': `url=${url}` });
    expect([found.status, found.json.id]).toEqual([200, base.id]);
    expect((await send('DELETE', `/ValueSet?url=${url}`)).status).toBe(405);
    const operations = [{ op: 'add', path: '/experimental', value: true }];
    expect((await send('PATCH', `/ValueSet?url=${url}`, operations, JSON_PATCH)).status).toBe(405);
    const replaced = await send('PUT', `/ValueSet?url=${url}`, own);
    expect([replaced.status, replaced.json.id]).toEqual([201, base.id]);
    expect((await send('DELETE', `/ValueSet?url=${url}`)).status).toBe(200);
    expect((await send('GET', `/ValueSet?url=${url}`)).json.entry[0].resource).toEqual(base);
  });

  it('metadata lists the supported interactions', async () => {
    const { json } = await send('GET', '/metadata');
    expect(json.rest[0].resource[0]).toMatchObject({
      conditionalCreate: true,
      conditionalRead: 'full-support',
      conditionalUpdate: true,
      conditionalDelete: 'single',
    });
  });
});

describe.each(TESTED_RELEASES)('across tenants under %s', (release) => {
  const send = (
    tenant: string,
    method: string,
    rest: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => server.request(method, `${server.path(tenant, release)}${rest}`, body, headers);

  it('fifty creates with If-None-Exist at once make one resource in each of two tenants', async () => {
    const value = anew();
    const tenants = ['north', 'south'];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        send(tenants[number % 2] ?? '', 'POST', '/Patient', patient(value), {
          'if-none-exist': `identifier=${value}`,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(48);
    for (const tenant of tenants) {
      expect((await send(tenant, 'GET', `/Patient?identifier=${value}`)).json.total).toBe(1);
      expect((await send(tenant, 'DELETE', `/Patient?identifier=${value}`)).status).toBe(200);
    }
  });

  it('a tenant that is lenient in searches is strict in criteria', async () => {
    const value = anew();
    await send('lenient', 'POST', '/Patient', patient(value));
    const { status } = await send('lenient', 'DELETE', `/Patient?identifier=${value}&nonsense=1`, undefined, {
      prefer: 'handling=lenient',
    });
    expect(status).toBe(400);
    expect((await send('lenient', 'GET', `/Patient?identifier=${value}`)).json.total).toBe(1);
  });
});
