/** The identities of the entries of a transaction, and their references: https://hl7.org/fhir/R4/http.html#trules. */
import { entryOf, post, put, transaction, uuid } from '../support/bundles';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';
import { PUBLIC_ADDRESS } from '../support/shared-servers';

const ELSEWHERE = 'http://elsewhere.example/fhir';

let server: SharedServer;
const root = (): string => PUBLIC_ADDRESS + server.path('system', 'r4');
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const send = (method: string, rest: string, body?: unknown): Promise<Answer> =>
  server.request(method, `${server.path('system', 'r4')}${rest}`, body);
const MRN = 'http://example.org/mrn';
const byMrn = (value: string): string => `identifier=${MRN}|${value}`;
const patient = (value: string, more: object = {}) => ({
  resourceType: 'Patient',
  identifier: [{ system: MRN, value }],
  ...more,
});
const observation = (reference: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '3141-9' }] },
  subject: { reference },
  ...more,
});
const run = async (...entries: readonly object[]): Promise<Answer['json'][]> => {
  const { status, json, text } = await send('POST', '', transaction(...entries));
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return json.entry;
};

describe('A transaction that deletes a match of the criteria of another entry is refused with 422', () => {
  const remove = (url: string): object => entryOf('DELETE', url);
  it.each<[string, (mrn: string) => object, string]>([
    ['a create', (mrn) => post(patient(mrn), undefined, { ifNoneExist: byMrn(mrn) }), 'ifNoneExist'],
    ['an update', (mrn) => entryOf('PUT', `Patient?${byMrn(mrn)}`, {}, { resource: patient(mrn) }), 'url'],
    [
      'a patch',
      (mrn) =>
        entryOf(
          'PATCH',
          `Patient?${byMrn(mrn)}`,
          {},
          {
            resource: {
              resourceType: 'Binary',
              contentType: 'application/json-patch+json',
              data: Buffer.from('[{"op":"add","path":"/active","value":true}]').toString('base64'),
            },
          },
        ),
      'url',
    ],
  ])('%s', async (title, conditional, member) => {
    const mrn = title.replaceAll(' ', '-');
    const [{ resource }] = await run(post(patient(mrn)));
    for (const url of [`Patient/${resource.id}`, `Patient?${byMrn(mrn)}`]) {
      for (const entries of [
        [conditional(mrn), remove(url)],
        [remove(url), conditional(mrn)],
      ]) {
        const { status, json } = await send('POST', '', transaction(...entries));
        expect([status, json.issue[0].code]).toEqual([422, 'business-rule']);
        expect(json.issue[0].expression[0]).toMatch(
          new RegExp(`^Bundle.entry\\[\\d\\].request.(url|${member})$`),
        );
      }
    }
    const { json } = await send('GET', `/Patient?${byMrn(mrn)}&_total=accurate`);
    expect([json.total, json.entry[0].resource.meta.versionId]).toEqual([1, '1']);
  });

  it('and criteria without a match create a resource, although a deletion by the same criteria finds nothing', async () => {
    const [first, second] = await run(
      remove(`Patient?${byMrn('nobody')}`),
      post(patient('nobody'), undefined, { ifNoneExist: byMrn('nobody') }),
    );
    expect([first.response.status, second.response.status]).toEqual(['200 OK', '201 Created']);
  });
});

describe('References to entries of the same transaction become references to the stored resources', () => {
  const references = async (entry: object, ...texts: readonly string[]) => {
    const found: string[] = [];
    for (const text of texts) {
      const [first, second] = await run(entry, post(observation(text)));
      const id = first.resource.id as string;
      const stored = second.resource.subject.reference as string;
      found.push(stored.replace(`/${id}`, '/ID'));
    }
    return found;
  };

  it('with the version that the transaction creates', async () => {
    const absolute = `${ELSEWHERE}/Patient/7`;
    expect(
      await references(
        post(patient('v'), absolute),
        absolute,
        `${absolute}/_history/1`,
        `${absolute}/_history/12`,
      ),
    ).toEqual(['Patient/ID', 'Patient/ID/_history/1', 'Patient/ID/_history/1']);
  });

  it('relative to the fullUrl of the resource that has them, with a version too', async () => {
    const [first, second] = await run(
      post(patient('relative'), `${ELSEWHERE}/Patient/8`),
      post(observation('Patient/8/_history/3'), `${ELSEWHERE}/Observation/1`),
    );
    expect(second.resource.subject.reference).toBe(`Patient/${first.resource.id}/_history/1`);
  });

  it("under the server's own address in any of its forms, for any fullUrl", async () => {
    const own = `${root()}/Patient/own-9`;
    const forms = [own, 'Patient/own-9', `${own}/_history/2`, 'Patient/own-9/_history/2'];
    const expected = ['Patient/ID', 'Patient/ID', 'Patient/ID/_history/1', 'Patient/ID/_history/1'];
    expect(await references(post(patient('own'), own), ...forms)).toEqual(expected);
    expect(await references(post(patient('own'), 'Patient/own-9'), ...forms)).toEqual(expected);
  });

  it('with the next version of an update if the fullUrl is of another server; a version of this server stays', async () => {
    await send('PUT', '/Patient/kept', { resourceType: 'Patient', id: 'kept' });
    const entry = (fullUrl: string): object => ({ ...put({ resourceType: 'Patient', id: 'kept' }), fullUrl });
    expect(
      await references(entry(`${ELSEWHERE}/Patient/kept`), `${ELSEWHERE}/Patient/kept/_history/40`),
    ).toEqual(['Patient/ID/_history/2']);
    expect(await references(entry(`${root()}/Patient/kept`), 'Patient/kept/_history/1')).toEqual([
      'Patient/ID/_history/1',
    ]);
  });

  it('with the current version of the match of a conditional create', async () => {
    await run(post(patient('found')));
    const [first, second] = await run(
      post(patient('found'), uuid(1), { ifNoneExist: byMrn('found') }),
      post(observation(`${uuid(1)}/_history/1`)),
    );
    expect(first.response.status).toBe('200 OK');
    expect(second.resource.subject.reference).toMatch(/^Patient\/.+\/_history\/1$/);
  });
});

describe('Criteria that name another entry by its fullUrl', () => {
  const chart = (mrn: string, criteria: string, fullUrl = uuid(1)): object[] => [
    post(patient(mrn), fullUrl, { ifNoneExist: byMrn(mrn) }),
    post(observation(fullUrl), undefined, { ifNoneExist: criteria.replaceAll('NAME', fullUrl) }),
  ];
  const countOf = async (mrn: string): Promise<number> =>
    (await send('GET', `/Observation?subject:Patient.${byMrn(mrn)}&_summary=count`)).json.total as number;

  it.each([
    ['urn', 'subject=NAME&code=http://loinc.org|3141-9', uuid(1)],
    ['modifier', 'subject:Patient=NAME', uuid(1)],
    ['address', 'subject=NAME&status=final', `${ELSEWHERE}/Patient/1`],
    ['alternatives', 'patient=Patient/nobody,NAME', uuid(1)],
  ])('find the match of that entry, and create no duplicate (%s)', async (mrn, criteria, name) => {
    const first = await run(...chart(mrn, criteria, name));
    expect(first.map(({ response }) => response.status)).toEqual(['201 Created', '201 Created']);
    for (let round = 0; round < 2; round++) {
      const again = await run(...chart(mrn, criteria, name));
      expect(again.map(({ response }) => response.status)).toEqual(['200 OK', '200 OK']);
      expect(again[1].resource.id).toBe(first[1].resource.id);
    }
    expect(await countOf(mrn)).toBe(1);
  });

  it('create one resource if many clients send the same transaction at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send('POST', '', transaction(...chart('many', 'subject=NAME')))),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await countOf('many')).toBe(1);
  });

  it('in the url of an update, in references, and over several entries', async () => {
    const entries = [
      entryOf(
        'PUT',
        `Observation?subject=${uuid(1)}`,
        {},
        { resource: observation(uuid(1)), fullUrl: uuid(2) },
      ),
      post(patient('update'), uuid(1), { ifNoneExist: byMrn('update') }),
      post(
        {
          resourceType: 'DiagnosticReport',
          status: 'final',
          code: { text: 'x' },
          result: [{ reference: uuid(2) }],
          subject: { reference: `Patient?_id=${uuid(1)}` },
        },
        undefined,
        { ifNoneExist: `result=${uuid(2)}` },
      ),
    ].map((entry) => JSON.parse(JSON.stringify(entry).replace(`Patient?_id=${uuid(1)}`, uuid(1))));
    const first = await run(...entries);
    const again = await run(...entries);
    expect(again.map(({ response }) => response.status)).toEqual(['200 OK', '200 OK', '200 OK']);
    expect(again.map(({ resource }) => resource.id)).toEqual(first.map(({ resource }) => resource.id));
    const [, referring] = await run(
      entries[1],
      post({
        ...observation(uuid(1)),
        hasMember: [{ reference: `Observation?subject=${uuid(1)}&status=final&_id=${first[0].resource.id}` }],
      }),
    );
    expect(referring.resource.hasMember[0].reference).toBe(`Observation/${first[0].resource.id}`);
  });

  it('that name each other are refused, and an identifier in the form of a name is none', async () => {
    const { status, json } = await send(
      'POST',
      '',
      transaction(
        post(observation('Patient/x'), uuid(1), { ifNoneExist: `has-member=${uuid(2)}` }),
        post(observation('Patient/x'), uuid(2), { ifNoneExist: `has-member=${uuid(1)}` }),
      ),
    );
    expect([status, json.issue[0].expression]).toEqual([400, ['Bundle.entry[0].request.ifNoneExist']]);
    const named = { resourceType: 'Patient', identifier: [{ value: uuid(7) }] };
    const twice = post(named, undefined, { ifNoneExist: `identifier=${uuid(7)}` });
    await run(post({ resourceType: 'Basic', code: { text: 'x' } }, uuid(7)), twice);
    const [, again] = await run(post({ resourceType: 'Basic', code: { text: 'x' } }, uuid(7)), twice);
    expect(again.response.status).toBe('200 OK');
  });
});
