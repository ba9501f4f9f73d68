/** $batch-validate-code: many validations of codes in one request, as HL7's validator sends them. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Entry {
  readonly name: string;
  readonly resource: {
    readonly resourceType: string;
    readonly parameter: readonly Record<string, unknown>[];
    readonly issue?: readonly { readonly diagnostics: string }[];
  };
}

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const base = `http://batches.example/${release}`;
  const colours = `${base}/colours`;
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const invoke = (type: string, parameter: readonly object[]) =>
    send('POST', `${type}/$batch-validate-code`, { resourceType: 'Parameters', parameter });
  const validation = (...parameter: readonly object[]): object => ({
    name: 'validation',
    resource: { resourceType: 'Parameters', parameter },
  });
  const coding = (code: string, more: object = {}): object => ({
    name: 'coding',
    valueCoding: { system: colours, code, ...more },
  });
  /** The result of each validation, or that it is an OperationOutcome. */
  const outcomesOf = (json: { readonly parameter: readonly Entry[] }): readonly unknown[] =>
    json.parameter.map(({ name, resource }) => {
      expect(name).toBe('validation');
      return resource.resourceType === 'OperationOutcome'
        ? 'error'
        : resource.parameter.find((each) => each['name'] === 'result')?.['valueBoolean'];
    });

  beforeAll(async () => {
    const resources = [
      {
        ...{ resourceType: 'CodeSystem', id: 'colours', url: colours, content: 'complete' },
        concept: [{ code: 'red', display: 'Red' }, { code: 'green' }, { code: 'blue' }],
      },
      {
        ...{ resourceType: 'ValueSet', id: 'warm', url: `${base}/warm` },
        compose: { include: [{ system: colours, concept: [{ code: 'red' }] }] },
      },
      {
        ...{ resourceType: 'ValueSet', id: 'cold', url: `${base}/cold` },
        compose: { include: [{ system: colours, concept: [{ code: 'blue' }] }] },
      },
    ];
    for (const resource of resources) {
      const { resourceType, id } = resource;
      const { status } = await send('PUT', `${resourceType}/${id}`, { ...resource, status: 'active' });
      expect(status).toBe(201);
    }
  });

  it('many codes are checked in one request, and answered in their order', async () => {
    const { status, json } = await invoke('ValueSet', [
      validation(coding('green')),
      { name: 'url', valueUri: `${base}/warm` },
      validation(coding('red')),
      validation({ name: 'code', valueCode: 'red' }, { name: 'system', valueUri: colours }),
    ]);
    expect(status).toBe(200);
    expect(outcomesOf(json)).toEqual([false, true, true]);
    expect(json.parameter[1].resource.parameter).toEqual([
      { name: 'result', valueBoolean: true },
      { name: 'display', valueString: 'Red' },
      { name: 'code', valueCode: 'red' },
      { name: 'system', valueUri: colours },
    ]);
  });

  it('a parameter of one validation goes before that of all', async () => {
    const { json } = await invoke('ValueSet', [
      { name: 'url', valueUri: `${base}/warm` },
      { name: 'lenient-display-validation', valueBoolean: true },
      validation(coding('blue')),
      validation(coding('blue'), { name: 'url', valueUri: `${base}/cold` }),
      validation(coding('blue'), {
        name: 'valueSet',
        resource: { resourceType: 'ValueSet', status: 'active', compose: { include: [{ system: colours }] } },
      }),
      validation(coding('red', { display: 'Rot' })),
      validation(coding('red', { display: 'Rot' }), {
        name: 'lenient-display-validation',
        valueBoolean: false,
      }),
    ]);
    expect(outcomesOf(json)).toEqual([false, true, true, true, false]);
  });

  it('a validation that is wrong does not fail the others', async () => {
    const { status, json } = await invoke('ValueSet', [
      { name: 'url', valueUri: `${base}/warm` },
      validation({ name: 'codingX', valueCoding: { system: colours, code: 'red' } }),
      validation({ name: 'coding', valueCoding: 'red' }),
      validation({ name: 'coding', valueCoding: { system: colours, code: 'red', colour: 'red' } }),
      validation(coding('red'), { name: 'url', valueUri: `${base}/none` }),
      { name: 'validation', valueString: 'red' },
      validation(coding('red')),
    ]);
    expect(status).toBe(200);
    expect(outcomesOf(json)).toEqual(['error', 'error', 'error', 'error', 'error', true]);
    const texts = json.parameter.map(({ resource }: Entry) => resource.issue?.[0]?.diagnostics);
    expect(texts[0]).toContain('Exactly one of the parameters code, coding and codeableConcept');
    expect(texts[3]).toContain(`The ValueSet ${base}/none does not exist`);
  });

  it('a code system checks many codes too, each in its own system', async () => {
    const { json } = await invoke('CodeSystem', [
      validation(coding('red')),
      validation({ name: 'url', valueUri: colours }, { name: 'code', valueCode: 'blue' }),
      validation(coding('none')),
      validation({ name: 'coding', valueCoding: { system: `${base}/none`, code: 'a' } }),
    ]);
    expect(outcomesOf(json)).toEqual([true, true, false, false]);
  });

  it('no validation, too many, and what is wrong for all of them are refused', async () => {
    const many = Array.from({ length: 1_001 }, () => validation(coding('red')));
    expect(outcomesOf((await invoke('CodeSystem', many.slice(1))).json)).toHaveLength(1_000);
    const tooMany = await invoke('CodeSystem', many);
    expect([tooMany.status, tooMany.text]).toEqual([422, expect.stringContaining('at most 1000')]);
    const none = await invoke('ValueSet', [{ name: 'url', valueUri: `${base}/warm` }]);
    expect([none.status, none.text]).toEqual([400, expect.stringContaining("'validation' is required")]);
    const get = await send('GET', `ValueSet/$batch-validate-code?url=${base}/warm`);
    expect(get.status).toBe(400);
    const wrong = await invoke('ValueSet', [{ name: 'url', valueUri: 7 }, validation(coding('red'))]);
    expect(wrong.status).toBe(400);
  });
});
