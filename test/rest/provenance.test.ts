import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

describe.each(TESTED_RELEASES)('X-Provenance of %s', (release) => {
  let server: HttpServer;
  let root: string;
  const basic = { resourceType: 'Basic', code: { text: 'a' } };
  const provenance = {
    resourceType: 'Provenance',
    recorded: '2024-05-01T10:00:00Z',
    reason: [{ text: 'für die Akte' }],
    agent: [{ who: { reference: 'Practitioner/one' } }],
  };
  /** The bytes of UTF-8, as clients send them. */
  const header = (value: unknown): { readonly 'x-provenance': string } => ({
    'x-provenance': Buffer.from(JSON.stringify(value)).toString('latin1'),
  });
  const targets = async (target: string): Promise<{ resource: Record<string, unknown> }[]> => {
    const { json } = await server.request('GET', `${root}/Provenance?target=${target}`);
    return json.entry ?? [];
  };
  const count = async (type: string): Promise<number> =>
    (await server.request('GET', `${root}/${type}?_summary=count`)).json.total;

  beforeAll(async () => {
    server = await openSharedServer();
    root = server.path('system', release);
  });
  afterAll(() => server.close());

  it('is stored with each change, and its target is the version written', async () => {
    const created = await server.request('POST', `${root}/Basic`, basic, header(provenance));
    expect(created.status).toBe(201);
    const { id } = created.json;
    const path = `${root}/Basic/${id}`;
    const patch = [{ op: 'replace', path: '/code/text', value: 'c' }];
    const patchType = { 'content-type': 'application/json-patch+json' };
    expect(
      (await server.request('PUT', path, { ...basic, id, code: { text: 'b' } }, header(provenance))).status,
    ).toBe(200);
    expect((await server.request('PATCH', path, patch, { ...patchType, ...header(provenance) })).status).toBe(
      200,
    );
    expect((await server.request('DELETE', path, undefined, header(provenance))).status).toBe(200);
    const found = await targets(`Basic/${id}`);
    const references = found.map(({ resource }) => resource['target']);
    const expected = [1, 2, 3, 4].map((version) => [{ reference: `Basic/${id}/_history/${version}` }]);
    expect(references).toHaveLength(4);
    expect(references).toEqual(expect.arrayContaining(expected));
    expect(found[0]?.resource).toMatchObject({ reason: provenance.reason, recorded: provenance.recorded });
  });

  it('is stored with an update that makes the resource, and none where nothing is deleted', async () => {
    await server.request(
      'PUT',
      `${root}/Basic/made-${release}`,
      { ...basic, id: `made-${release}` },
      header(provenance),
    );
    const [entry] = await targets(`Basic/made-${release}`);
    expect(entry?.resource['target']).toEqual([{ reference: `Basic/made-${release}/_history/1` }]);
    const before = await count('Provenance');
    await server.request('DELETE', `${root}/Basic/never-there`, undefined, header(provenance));
    expect(await count('Provenance')).toBe(before);
  });

  it('that names another target gets the version that was written', async () => {
    const { json } = await server.request(
      'POST',
      `${root}/Basic`,
      basic,
      header({ ...provenance, target: [{ reference: 'Basic/other' }] }),
    );
    const [entry] = await targets(`Basic/${json.id}`);
    expect(entry?.resource['target']).toEqual([{ reference: `Basic/${json.id}/_history/1` }]);
  });

  it.each<[string, unknown]>([
    ['without an agent', { ...provenance, agent: undefined }],
    ['of another type', basic],
    ['with a member that FHIR does not have', { ...provenance, colour: 'red' }],
    ['that is a list', [provenance]],
  ])('%s refuses the write', async (_what, value) => {
    const before = [await count('Basic'), await count('Provenance')];
    const answer = await server.request('POST', `${root}/Basic`, basic, header(value));
    expect(answer.status).toBe(400);
    expect(answer.json.issue[0].diagnostics).toContain('X-Provenance');
    expect([await count('Basic'), await count('Provenance')]).toEqual(before);
  });

  it('that is no JSON refuses the write', async () => {
    const before = await count('Basic');
    expect((await server.request('POST', `${root}/Basic`, basic, { 'x-provenance': '{' })).status).toBe(400);
    expect(await count('Basic')).toBe(before);
  });

  it('is not stored when the change is not', async () => {
    const before = await count('Provenance');
    const path = `${root}/Basic/made-${release}`;
    const stale = await server.request(
      'PUT',
      path,
      { ...basic, id: `made-${release}` },
      { 'if-match': 'W/"9"', ...header(provenance) },
    );
    expect(stale.status).toBe(412);
    expect(
      (await server.request('POST', `${root}/Basic`, { resourceType: 'Basic' }, header(provenance))).status,
    ).toBe(400);
    expect(await count('Provenance')).toBe(before);
  });

  it('is refused where a change could not store it, and ignored by a read', async () => {
    const operation = await server.request('POST', `${root}/Basic/$validate`, basic, header(provenance));
    expect(operation.status).toBe(422);
    expect(
      (await server.request('GET', `${root}/Basic/made-${release}`, undefined, header(provenance))).status,
    ).toBe(200);
  });

  it('is stored with conditional writes, and not when they find an existing resource', async () => {
    const identifier = [{ system: 'http://example.org/ids', value: `conditional-${release}` }];
    const criteria = `identifier=http://example.org/ids|conditional-${release}`;
    const create = { 'if-none-exist': criteria, ...header(provenance) };
    const made = await server.request('POST', `${root}/Basic`, { ...basic, identifier }, create);
    const found = await server.request('POST', `${root}/Basic`, { ...basic, identifier }, create);
    expect([made.status, found.status]).toEqual([201, 200]);
    const { id } = made.json;
    const where = `${root}/Basic?${criteria}`;
    expect((await server.request('PUT', where, { ...basic, identifier }, header(provenance))).status).toBe(
      200,
    );
    expect((await server.request('DELETE', where, undefined, header(provenance))).status).toBe(200);
    const references = (await targets(`Basic/${id}`)).map(({ resource }) => resource['target']);
    const expected = [1, 2, 3].map((version) => [{ reference: `Basic/${id}/_history/${version}` }]);
    expect(references).toHaveLength(3);
    expect(references).toEqual(expect.arrayContaining(expected));
  });

  it('is stored with each of many changes at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        server.request(
          'PUT',
          `${root}/Basic/raced-${release}`,
          { ...basic, id: `raced-${release}`, code: { text: `${index}` } },
          header(provenance),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(11).fill(200), 201]);
    const found = await targets(`Basic/raced-${release}`);
    expect(new Set(found.map(({ resource }) => JSON.stringify(resource['target']))).size).toBe(12);
  });

  const bundleOf = (type: string, ...entry: object[]): object => ({ resourceType: 'Bundle', type, entry });
  const post = (more: object = {}): object => ({
    resource: { ...basic, ...more },
    request: { method: 'POST', url: 'Basic' },
  });

  it('with a transaction is stored once, for all versions that it writes', async () => {
    const [current, gone] = [`kept-${release}`, `gone-${release}`];
    for (const id of [current, gone]) await server.request('PUT', `${root}/Basic/${id}`, { ...basic, id });
    const before = await count('Provenance');
    const bundle = bundleOf(
      'transaction',
      post(),
      { resource: { ...basic, id: current }, request: { method: 'PUT', url: `Basic/${current}` } },
      { request: { method: 'DELETE', url: `Basic/${gone}` } },
      { request: { method: 'DELETE', url: 'Basic/never-there' } },
      { request: { method: 'GET', url: `Basic/${current}` } },
    );
    const { status, json } = await server.request('POST', root, bundle, header(provenance));
    expect([status, json.issue]).toEqual([200, undefined]);
    expect(await count('Provenance')).toBe(before + 1);
    const [entry] = await targets(`Basic/${current}`);
    const written = [
      `${json.entry[0].resource.id}/_history/1`,
      `${current}/_history/2`,
      `${gone}/_history/2`,
    ];
    const targetReferences = entry?.resource['target'] as { reference: string }[];
    expect(targetReferences.map(({ reference }) => reference).sort()).toEqual(
      written.map((each) => `Basic/${each}`).sort(),
    );
  });

  it('with a transaction refuses it where it is wrong, and is not stored where nothing is', async () => {
    const before = [await count('Basic'), await count('Provenance')];
    const wrong = { ...provenance, agent: undefined };
    const refused = await server.request('POST', root, bundleOf('transaction', post()), header(wrong));
    expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
      400,
      expect.stringContaining('X-Provenance'),
    ]);
    const failing = bundleOf('transaction', post(), post({ code: undefined }));
    expect((await server.request('POST', root, failing, header(provenance))).status).toBe(400);
    const nothing = bundleOf('transaction', { request: { method: 'DELETE', url: 'Basic/never-there' } });
    expect((await server.request('POST', root, nothing, header(provenance))).status).toBe(200);
    expect([await count('Basic'), await count('Provenance')]).toEqual(before);
  });

  it('with a batch is stored with each change that succeeds, later too', async () => {
    const before = await count('Provenance');
    const batch = bundleOf('batch', post(), post({ code: undefined }), post());
    const { json } = await server.request('POST', root, batch, header(provenance));
    const [first, second, third] = json.entry.map(({ response }: { response: { status: string } }) =>
      response.status.slice(0, 3),
    );
    expect([first, second, third]).toEqual(['201', '400', '201']);
    expect(await count('Provenance')).toBe(before + 2);
    const [entry] = await targets(`Basic/${json.entry[2].resource.id}`);
    expect(entry?.resource['target']).toEqual([
      { reference: `Basic/${json.entry[2].resource.id}/_history/1` },
    ]);
    const accepted = await server.request('POST', root, batch, {
      ...header(provenance),
      prefer: 'respond-async',
    });
    const address = new URL(accepted.headers['content-location'] ?? '').pathname;
    for (let status = 202; status === 202;) ({ status } = await server.request('GET', address));
    expect(await count('Provenance')).toBe(before + 4);
  });

  it('with a transaction may refer to resources of the transaction, where references must have targets', async () => {
    await server.createTenant(`strict-${release}`, {
      'referential-integrity': 'on-write-and-delete',
    });
    const strict = server.path(`strict-${release}`, release);
    const agent = {
      resource: { resourceType: 'Practitioner', id: 'one' },
      request: { method: 'PUT', url: 'Practitioner/one' },
    };
    const bundle = bundleOf('transaction', post(), agent);
    const stored = await server.request('POST', strict, bundle, header(provenance));
    expect([stored.status, stored.json.issue]).toEqual([200, undefined]);
    const other = { ...provenance, agent: [{ who: { reference: 'Practitioner/nobody' } }] };
    expect(
      (await server.request('POST', strict, bundleOf('transaction', post()), header(other))).status,
    ).toBe(422);
  });
});
