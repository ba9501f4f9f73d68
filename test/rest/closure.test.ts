/** Closure tables of clients (ConceptMap/$closure). */
import { createClient, administerWell } from '../support/access';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Table {
  readonly version: string;
  readonly group?: readonly {
    readonly source: string;
    readonly target: string;
    readonly element: readonly {
      readonly code: string;
      readonly target: readonly { readonly code: string; readonly equivalence: string }[];
    }[];
  }[];
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const system = `http://closure.example/${release}/animals`;
  const plain = `http://closure.example/${release}/sizes`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const closure = (name: string, ...parameter: readonly object[]) =>
    send('POST', '$closure', {
      resourceType: 'Parameters',
      parameter: [{ name: 'name', valueString: name }, ...parameter],
    });
  const concept = (code: string, more: object = {}): object => ({
    name: 'concept',
    valueCoding: { system, code, ...more },
  });
  const since = (valueString: string): object => ({ name: 'version', valueString });
  const pairsOf = ({ group = [] }: Table): readonly string[] =>
    group
      .flatMap(({ element }) => element)
      .flatMap(({ code, target }) => target.map((other) => `${code} ${other.equivalence} ${other.code}`))
      .sort();
  const begin = async (name: string): Promise<string> => {
    const { status, json } = await closure(name);
    expect(status).toBe(200);
    return (json as Table).version;
  };
  const pairs = async (name: string, ...parameter: readonly object[]): Promise<readonly string[]> => {
    const { status, json, text } = await closure(name, ...parameter);
    expect([status, text]).toEqual([200, expect.anything()]);
    return pairsOf(json);
  };
  const refusal = async (name: string, ...parameter: readonly object[]): Promise<readonly unknown[]> => {
    const { status, json } = await closure(name, ...parameter);
    return [status, json.issue?.[0]?.details?.text ?? json.issue?.[0]?.diagnostics];
  };
  const animals = (concepts: readonly object[], more: object = {}): object => ({
    ...{ resourceType: 'CodeSystem', id: 'animals', url: system, version: '1', status: 'active' },
    ...{ content: 'complete', caseSensitive: false, concept: concepts },
    ...more,
  });
  const ANIMALS = [
    {
      code: 'mammal',
      concept: [{ code: 'cat', concept: [{ code: 'lion' }, { code: 'tiger' }] }, { code: 'dog' }],
    },
    { code: 'plant' },
  ];

  beforeAll(async () => {
    expect((await send('PUT', 'CodeSystem/animals', animals(ANIMALS))).status).toBe(201);
    const sizes = { ...animals([{ code: 'small' }, { code: 'large' }]), id: 'sizes', url: plain };
    expect((await send('PUT', 'CodeSystem/sizes', sizes)).status).toBe(201);
  });

  it('begins empty, and each call adds the pairs of the new concepts with those of before', async () => {
    const { json } = await closure('patient-problems');
    expect(json).toEqual({
      ...{ resourceType: 'ConceptMap', id: 'patient-problems', version: '0' },
      ...{ name: 'Updates for Closure Table patient-problems', status: 'active', experimental: true },
      date: expect.any(String),
    });
    expect(await pairs('patient-problems', concept('lion'))).toEqual([]);
    const { json: added } = await closure('patient-problems', concept('mammal'), concept('plant'));
    expect(added).toMatchObject({
      version: '2',
      group: [
        {
          ...{ source: system, sourceVersion: '1', target: system, targetVersion: '1' },
          element: [{ code: 'lion', target: [{ code: 'mammal', equivalence: 'subsumes' }] }],
        },
      ],
    });
    expect(await pairs('patient-problems', concept('cat'), concept('lion'))).toEqual([
      'cat subsumes mammal',
      'lion subsumes cat',
    ]);
    const again = await closure('patient-problems', concept('cat'));
    expect([again.json.version, pairsOf(again.json)]).toEqual(['3', []]);
  });

  it('is told again from a version, and as a whole from 0', async () => {
    await begin('told again');
    await closure('told again', concept('mammal'));
    await closure('told again', concept('dog'), concept('cat'));
    await closure('told again', concept('tiger'));
    expect(await pairs('told again', since('2'))).toEqual(['tiger subsumes cat', 'tiger subsumes mammal']);
    expect(await pairs('told again', since('3'))).toEqual([]);
    expect(await pairs('told again', since('0'))).toEqual([
      ...['cat subsumes mammal', 'dog subsumes mammal', 'tiger subsumes cat', 'tiger subsumes mammal'],
    ]);
    const { json } = await closure('told again', since('1'));
    expect([json.id, json.version]).toEqual([undefined, '3']);
  });

  it('begins anew by its name alone, and versions of before are no longer answered', async () => {
    await begin('anew');
    await closure('anew', concept('mammal'));
    expect(await begin('anew')).toBe('2');
    expect(await pairs('anew', concept('cat'))).toEqual([]);
    expect(await refusal('anew', since('1'))).toEqual([422, 'closure "anew" must be reinitialized']);
    expect(await refusal('anew', since('9'))).toEqual([422, 'closure "anew" must be reinitialized']);
    expect(await pairs('anew', concept('mammal'))).toEqual(['cat subsumes mammal']);
    expect(await pairs('anew', since('0'))).toEqual(['cat subsumes mammal']);
  });

  it('must begin anew when the code system has changed', async () => {
    await begin('changed');
    await closure('changed', concept('mammal'), {
      name: 'concept',
      valueCoding: { system: plain, code: 'small' },
    });
    const changed = animals([...ANIMALS, { code: 'fungus' }]);
    expect((await send('PUT', 'CodeSystem/animals', changed)).status).toBe(200);
    const refused = [422, 'closure "changed" must be reinitialized'];
    expect(await refusal('changed', concept('fungus'))).toEqual(refused);
    expect(await refusal('changed', since('0'))).toEqual(refused);
    expect(
      await pairs('changed', { name: 'concept', valueCoding: { system: plain, code: 'large' } }),
    ).toEqual([]);
    await begin('changed');
    expect(await pairs('changed', concept('mammal'), concept('cat'))).toEqual(['cat subsumes mammal']);
  });

  it('codes that the code system does not tell apart are equal', async () => {
    await begin('equal');
    expect(await pairs('equal', concept('cat'), concept('CAT'), concept('mammal'))).toEqual([
      ...['CAT subsumes mammal', 'cat equal CAT', 'cat subsumes mammal'],
    ]);
    expect(await pairs('equal', concept('Cat'))).toEqual([
      ...['Cat equal CAT', 'Cat equal cat', 'Cat subsumes mammal'],
    ]);
  });

  it('concepts of several code systems have no pairs with each other', async () => {
    await begin('several');
    const small = { name: 'concept', valueCoding: { system: plain, code: 'small' } };
    expect(await pairs('several', small, concept('dog'))).toEqual([]);
    const { json } = await closure('several', concept('mammal'), {
      name: 'concept',
      valueCoding: { system: 'http://hl7.org/fhir/administrative-gender', code: 'male' },
    });
    expect(pairsOf(json)).toEqual(['dog subsumes mammal']);
  });

  it.each<[string, string, readonly object[], readonly unknown[]]>([
    ['a name that was never begun', 'never', [concept('cat')], [404, 'invalid closure name "never"']],
    ['its version', 'never', [since('0')], [404, 'invalid closure name "never"']],
    ['a long name', 'n'.repeat(65), [], [400, `invalid closure name "${'n'.repeat(64)}"`]],
    ['a concept and a version', 'begun', [concept('cat'), since('0')], [400, expect.stringContaining('not both')]],
    ['a code that does not exist', 'begun', [concept('cat'), concept('unicorn')], [404, expect.stringContaining("no code 'unicorn'")]],
    ['no system', 'begun', [concept('cat', { system: undefined })], [400, expect.stringContaining('needs the system')]],
    ['a long code', 'begun', [concept('c'.repeat(256))], [400, expect.stringContaining('at most 255')]],
    ['an unknown system', 'begun', [concept('cat', { system: 'http://snomed.info/sct' })], [422, expect.stringContaining('is not loaded here')]],
    ['another version', 'begun', [concept('cat', { version: '0' })], [404, expect.stringContaining('is not loaded here')]],
    ['two versions', 'begun', [concept('cat', { version: '1' }), concept('dog', { version: '2' })], [400, expect.stringContaining('name two')]],
    ['too many concepts', 'begun', Array.from({ length: 1001 }, () => concept('cat')), [422, expect.stringContaining('At most 1000 concepts')]],
    ['another text as a version', 'begun', [since('x')], [422, 'closure "begun" must be reinitialized']],
  ])('refuses %s', async (_what, name, parameter, expected) => {
    if (name === 'begun') await begin(name);
    expect(await refusal(name, ...parameter)).toEqual(expected);
    if (name === 'begun') expect(await pairs(name, since('0'))).toEqual([]);
  }); // prettier-ignore

  it('is answered by POST alone, by itself and not in a transaction', async () => {
    expect((await send('GET', '$closure?name=got')).status).toBe(405);
    const resource = { resourceType: 'Parameters', parameter: [{ name: 'name', valueString: 'sent' }] };
    const bundle = (type: string): object => ({
      ...{ resourceType: 'Bundle', type },
      entry: [{ request: { method: 'POST', url: '$closure' }, resource }],
    });
    expect((await send('POST', '', bundle('transaction'))).status).toBe(422);
    const { json } = await send('POST', '', bundle('batch'));
    expect(json.entry[0].response.status).toMatch(/^200/);
    const ofType = await send('POST', 'ConceptMap/$closure', resource);
    expect([ofType.status, ofType.json.version]).toEqual([200, '1']);
  });

  it('requests at the same moment lose no pair: what one adds, the next has', async () => {
    await begin('at once');
    const codes = Array.from({ length: 24 }, (_none, index) => `c${index}`);
    const chain = codes.map((code, index) => ({
      code,
      ...(index === 0 ? {} : { property: [{ code: 'parent', valueCode: `c${index - 1}` }] }),
    }));
    const deep = `${system}/deep`;
    expect((await send('PUT', 'CodeSystem/deep', animals(chain, { id: 'deep', url: deep }))).status).toBe(
      201,
    );
    const added = await Promise.all(codes.map((code) => closure('at once', concept(code, { system: deep }))));
    expect(added.map(({ status }) => status)).toEqual(codes.map(() => 200));
    expect(new Set(added.map(({ json }) => json.version)).size).toBe(codes.length);
    const all = codes.flatMap((code, index) =>
      codes.slice(0, index).map((above) => `${code} subsumes ${above}`),
    );
    expect(added.flatMap(({ json }) => pairsOf(json)).sort()).toEqual(all.toSorted());
    expect(await pairs('at once', since('0'))).toEqual(all.toSorted());
  });

  it('the capabilities of the terminology say so', async () => {
    const { json } = await send('GET', 'metadata?mode=terminology');
    expect(json.closure).toEqual({ translation: false });
    const { json: all } = await send('GET', 'metadata');
    const names = all.rest[0].operation.map(({ name }: { readonly name: string }) => name);
    expect(names).toContain('closure');
  });

  it('a tenant sees its own tables only', async () => {
    await begin('own');
    const other = `other-${release}`;
    await server.createTenant(other);
    const { json } = await server.request('POST', `${server.path(other, release)}/$closure`, {
      resourceType: 'Parameters',
      parameter: [{ name: 'name', valueString: 'own' }, since('0')],
    });
    expect(json.issue[0].details).toEqual({ text: 'invalid closure name "own"' });
  });
});

it('needs the right to update ConceptMaps, and a tenant that is not disabled', async () => {
  const enforced = await openSharedServer('enforced');
  try {
    await enforced.createTenant('closing');
    const ask = async (authorization: string): Promise<number> => {
      const { status } = await enforced.request(
        'POST',
        `${enforced.path('closing', 'r4')}/$closure`,
        { resourceType: 'Parameters', parameter: [{ name: 'name', valueString: 'mine' }] },
        { authorization, 'content-type': 'application/fhir+json' },
      );
      return status;
    };
    const reader = await createClient(enforced, 'closing', { scopes: ['system/*.rs'] });
    const writer = await createClient(enforced, 'closing', { scopes: ['system/ConceptMap.u'] });
    expect(await ask(reader.basic)).toBe(403);
    expect(await ask(writer.basic)).toBe(200);
    const tenant = `/tenants/${enforced.tenant('closing')}`;
    await administerWell(enforced, 'PATCH', tenant, { status: 'disabled' });
    // As one that does not exist.
    expect(await ask(writer.basic)).toBe(401);
  } finally {
    await enforced.close();
  }
});
