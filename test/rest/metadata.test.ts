import { RELEASE_NAMES, RELEASES } from '../../src/core';
import { openSharedServer, type HttpServer } from '../support/shared-server';

interface Outcome {
  readonly issue: readonly { readonly severity: string; readonly diagnostics: string }[];
}

describe.each(RELEASE_NAMES)('metadata of %s', (release) => {
  let server: HttpServer;
  let root: string;
  let other: string;

  beforeAll(async () => {
    server = await openSharedServer();
    root = server.path('system', release);
    other = server.path('other', release);
    await server.createTenant('other');
  });
  afterAll(() => server.close());

  const errorsOf = async (resource: unknown): Promise<readonly string[]> => {
    const { json } = await server.request('POST', `${root}/$validate`, resource);
    return (json as Outcome).issue
      .filter(({ severity }) => severity === 'error')
      .map(({ diagnostics }) => diagnostics);
  };

  it('is a valid CapabilityStatement of the release, without a token too', async () => {
    const { status, headers, json } = await server.request('GET', `${root}/metadata`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/fhir+json; charset=utf-8');
    expect(json).toMatchObject({
      resourceType: 'CapabilityStatement',
      fhirVersion: RELEASES[release].fhirVersion,
      format: ['application/fhir+json', 'json'],
    });
    expect(await errorsOf(json)).toEqual([]);
  });

  it.each(['full', 'normative', 'terminology'])(
    'with mode=%s is 304 for a client that has it already',
    async (mode) => {
      const path = `${root}/metadata?mode=${mode}`;
      const { headers } = await server.request('GET', path);
      const again = await server.request('GET', path, undefined, {
        'if-none-match': String(headers['etag']),
      });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      expect((await server.request('GET', path, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(200);
      expect((await server.request('HEAD', path)).status).toBe(200);
    },
  );

  it('is refused in other formats, and with unknown modes', async () => {
    expect((await server.request('GET', `${root}/metadata`, undefined, { accept: 'text/csv' })).status).toBe(
      406,
    );
    expect((await server.request('GET', `${root}/metadata?_format=xml`)).status).toBe(406);
    const { status, json } = await server.request('GET', `${root}/metadata?mode=other`);
    expect([status, json.issue[0].diagnostics]).toEqual([
      400,
      expect.stringContaining('full, normative, terminology'),
    ]);
  });

  it('in its normative portion has nothing that is for trial use', async () => {
    const { json: full } = await server.request('GET', `${root}/metadata?mode=full`);
    const { json } = await server.request('GET', `${root}/metadata?mode=normative`);
    const [resource] = json.rest[0].resource;
    for (const trial of ['versioning', 'updateCreate', 'conditionalCreate', 'searchInclude']) {
      expect(full.rest[0].resource[0]).toHaveProperty(trial);
      expect(resource).not.toHaveProperty(trial);
    }
    expect(resource.searchParam).toEqual(full.rest[0].resource[0].searchParam);
    expect(await errorsOf(json)).toEqual([]);
  });

  it('with mode=terminology lists the code systems that operations can use, of the tenant too', async () => {
    const before = await server.request('GET', `${other}/metadata?mode=terminology`);
    expect(before.json).toMatchObject({ resourceType: 'TerminologyCapabilities', kind: 'instance' });
    expect(await errorsOf(before.json)).toEqual([]);
    const listed = (json: typeof before.json): Map<string, unknown> =>
      new Map(json.codeSystem.map(({ uri, version }: { uri: string; version: unknown }) => [uri, version]));
    const gender = 'http://hl7.org/fhir/administrative-gender';
    expect(listed(before.json).get(gender)).toEqual([{ code: RELEASES[release].fhirVersion }]);
    for (const [uri] of [...listed(before.json)].slice(0, 3)) {
      const { status } = await server.request(
        'GET',
        `${other}/CodeSystem?url=${encodeURIComponent(uri)}&_summary=count`,
      );
      expect(status).toBe(200);
    }
    const own = {
      resourceType: 'CodeSystem',
      url: 'http://example.org/colours',
      status: 'active',
      content: 'complete',
      concept: [{ code: 'red' }],
    };
    for (const version of ['1', '2'])
      expect((await server.request('POST', `${other}/CodeSystem`, { ...own, version })).status).toBe(201);
    await server.request('POST', `${other}/CodeSystem`, {
      ...own,
      url: 'http://example.org/elsewhere',
      content: 'not-present',
      concept: undefined,
    });
    const after = listed((await server.request('GET', `${other}/metadata?mode=terminology`)).json);
    expect(after.get(own.url)).toEqual([{ code: '1' }, { code: '2' }]);
    expect(after.has('http://example.org/elsewhere')).toBe(false);
    expect(listed((await server.request('GET', `${root}/metadata?mode=terminology`)).json).has(own.url)).toBe(
      false,
    );
  });

  it('with mode=terminology lists the parameters that an expansion accepts', async () => {
    const { json } = await server.request('GET', `${root}/metadata?mode=terminology`);
    const names = json.expansion.parameter.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['filter', 'count', 'offset', 'activeOnly']));
    expect(names).not.toContain('date');
  });

  it("says what HL7's validator asks of a terminology server", async () => {
    const { json } = await server.request('GET', `${root}/metadata`);
    const features = new Map(
      json.extension.map(
        ({ url, extension }: { url: string; extension: readonly Record<string, unknown>[] }) => {
          expect(url).toBe('http://hl7.org/fhir/uv/application-feature/StructureDefinition/feature');
          return [extension[0]?.['valueCanonical'], extension[1]];
        },
      ),
    );
    expect(features.get('http://hl7.org/fhir/uv/tx-tests/FeatureDefinition/test-version')).toEqual({
      ...{ url: 'value', valueCode: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string },
    });
    expect(
      features.get('http://hl7.org/fhir/uv/tx-ecosystem/FeatureDefinition/CodeSystemAsParameter'),
    ).toEqual({ url: 'value', valueBoolean: true });
    expect(json.instantiates).toContain('http://hl7.org/fhir/CapabilityStatement/terminology-server');
    for (const member of ['url', 'version', 'name', 'title', 'date']) expect(json[member]).toBeTruthy();
    const listed = new Map<string, readonly { name: string }[]>(
      json.rest[0].resource.map(({ type, operation }: { type: string; operation: never }) => [
        type,
        operation,
      ]),
    );
    const of = (type: string) => listed.get(type)?.map(({ name }) => name);
    expect(of('CodeSystem')).toEqual(
      expect.arrayContaining(['lookup', 'validate-code', 'batch-validate-code']),
    );
    expect(of('ValueSet')).toEqual(
      expect.arrayContaining(['expand', 'validate-code', 'batch-validate-code']),
    );
    expect(json.rest[0].operation).toContainEqual({
      name: 'versions',
      definition: 'http://hl7.org/fhir/OperationDefinition/CapabilityStatement-versions',
    });
    const terminology = (await server.request('GET', `${root}/metadata?mode=terminology`)).json;
    for (const member of ['url', 'version', 'name', 'title']) expect(terminology[member]).toBeTruthy();
    const names = terminology.expansion.parameter.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['tx-resource', 'useSupplement', 'system-version']));
    // The validator sends resources once by it, and the server stores nothing.
    expect(names).not.toContain('cache-id');
  });

  it('tells the FHIR version of an address', async () => {
    const { mimeVersion } = RELEASES[release];
    const { status, json } = await server.request('GET', `${root}/$versions`);
    expect(status).toBe(200);
    expect(json.parameter).toEqual([
      { name: 'version', valueCode: mimeVersion },
      { name: 'default', valueCode: mimeVersion },
    ]);
  });

  it('is different for each tenant: its own search parameters are in its own statement', async () => {
    const parameter = {
      resourceType: 'SearchParameter',
      url: 'http://example.org/SearchParameter/nickname',
      name: 'Nickname',
      status: 'active',
      description: 'Nickname',
      code: 'nickname',
      base: ['Patient'],
      type: 'string',
      expression: "Patient.name.where(use = 'nickname').given",
    };
    expect((await server.request('POST', `${other}/SearchParameter`, parameter)).status).toBe(201);
    const named = async (place: string): Promise<boolean> => {
      const { json } = await server.request('GET', `${place}/metadata`);
      const patient = json.rest[0].resource.find(({ type }: { type: string }) => type === 'Patient');
      return patient.searchParam.some(({ name }: { name: string }) => name === 'nickname');
    };
    while (!(await named(other))) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await named(root)).toBe(false);
  });
});
