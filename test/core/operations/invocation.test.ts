import type { Invocation } from '../../../src/core/api/operation';
import { FhirError } from '../../../src/core/errors';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { type JsonObject, parseJson } from '../../../src/core/fhir/json';
import { invokeOperation, operationsOf } from '../../../src/core/operations/invoke';
import { checkParameters, readInput } from '../../../src/core/operation-types/parameters';
import { invokeText, makeEnvironment } from './specification-environment';
import { TESTED_RELEASES } from '../../support/releases';

const URL = 'http://hl7.org/fhir/ValueSet/administrative-gender';

describe.each(TESTED_RELEASES)('operations in %s', (release) => {
  const environment = makeEnvironment(release);
  const definitions = loadDefinitions(release);

  async function failure(
    invocation: Omit<Invocation, 'safe' | 'input'> & { safe?: boolean; body?: unknown },
  ): Promise<FhirError> {
    const { body, ...rest } = invocation;
    const input = body === undefined ? undefined : parseJson(JSON.stringify(body));
    const outcome = await invokeOperation(environment, { safe: false, ...rest, input }).catch(
      (error: unknown) => error,
    );
    if (!(outcome instanceof FhirError)) throw new Error(`no FhirError but ${JSON.stringify(outcome)}`);
    return outcome;
  }

  function expandFailure(parameter: unknown): Promise<FhirError> {
    return failure({
      level: 'type',
      type: 'ValueSet',
      code: 'expand',
      body: { resourceType: 'Parameters', parameter },
    });
  }

  test('the list has only operations that can be called', () => {
    const listed = operationsOf(definitions);
    expect(listed.map(({ code }) => code)).toEqual([
      'batch-validate-code',
      'batch-validate-code',
      'closure',
      'document',
      'events',
      'everything',
      'everything',
      'everything',
      'expand',
      'find-matches',
      'get-ws-binding-token',
      'lastn',
      'lookup',
      'match',
      'meta-add',
      'meta-delete',
      'meta',
      'preferred-id',
      'purge',
      'reindex-status',
      'reindex',
      'snapshot',
      'status',
      'subsumes',
      'translate',
      'validate-code',
      'validate-code',
      'validate',
      'versions',
    ]);
    expect(listed.find(({ code }) => code === 'expand')).toEqual({
      code: 'expand',
      definition: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand',
      levels: ['type', 'instance'],
      types: ['ValueSet'],
      affectsState: false,
      storesOnRequest: false,
    });
    expect(listed.filter(({ storesOnRequest }) => storesOnRequest).map(({ code }) => code)).toEqual([
      'document',
    ]);
  });

  test.each([
    { level: 'system' as const, code: 'unknown' },
    { level: 'type' as const, type: 'Patient', code: 'unknown' },
    { level: 'instance' as const, type: 'Patient', id: '1', code: 'unknown' },
    { level: 'instance' as const, type: 'MeasureReport', id: '1', code: 'evaluate-measure' },
    { level: 'system' as const, code: 'constructor' },
  ])('$$code at level $level is 404', async (address) => {
    const error = await failure({ ...address, body: { resourceType: 'Parameters' } });
    expect(error).toMatchObject({
      status: 404,
      key: 'operationUnknown',
      issues: [{ code: 'not-supported' }],
    });
  });

  test.each([
    [
      { level: 'system' as const, code: 'expand' },
      'cannot be called at system level; it is defined on the type ValueSet, on one resource of the type ValueSet',
    ],
    [{ level: 'type' as const, type: 'Patient', code: 'expand' }, 'cannot be called on the type Patient'],
    [
      { level: 'instance' as const, type: 'CodeSystem', id: '1', code: 'lookup' },
      'it is defined on the type CodeSystem',
    ],
  ])('a call at the wrong level is 400 and names the right level', async (address, words) => {
    const error = await failure({ ...address, body: { resourceType: 'Parameters' } });
    expect(error).toMatchObject({ status: 400, key: 'operationWrongLevel' });
    expect(error.message).toContain(words);
  });

  test.each<[string, unknown, string | undefined]>([
    ['a parameter without a name', [{ valueUri: URL }], 'Parameters.parameter[0].name'],
    ['no object', ['url'], 'Parameters.parameter[0].name'],
    ['a wrong type', [{ name: 'url', valueBoolean: true }], 'Parameters.parameter[0].valueBoolean'],
    [
      'a type that does not exist',
      [{ name: 'url', valueNonsense: URL }],
      'Parameters.parameter[0].valueNonsense',
    ],
    ['a wrong primitive', [{ name: 'url', valueUri: 7 }], 'Parameters.parameter[0].valueUri'],
    ['a uri with a space', [{ name: 'url', valueUri: 'a b' }], 'Parameters.parameter[0].valueUri'],
    ['an empty uri', [{ name: 'url', valueUri: '' }], 'Parameters.parameter[0].valueUri'],
    [
      'a boolean as text',
      [
        { name: 'url', valueUri: URL },
        { name: 'activeOnly', valueBoolean: 'true' },
      ],
      'Parameters.parameter[1].valueBoolean',
    ],
    [
      'a fraction for an integer',
      [
        { name: 'url', valueUri: URL },
        { name: 'count', valueInteger: 1.5 },
      ],
      'Parameters.parameter[1].valueInteger',
    ],
    [
      'an integer that is too large',
      [
        { name: 'url', valueUri: URL },
        { name: 'count', valueInteger: 2147483648 },
      ],
      'Parameters.parameter[1].valueInteger',
    ],
    [
      'a day that does not exist',
      [
        { name: 'url', valueUri: URL },
        { name: 'date', valueDateTime: '2023-02-29' },
      ],
      'Parameters.parameter[1].valueDateTime',
    ],
    [
      'a negative count',
      [
        { name: 'url', valueUri: URL },
        { name: 'count', valueInteger: -1 },
      ],
      'Parameters.parameter[1].valueInteger',
    ],
    ['a parameter without a value', [{ name: 'url' }], 'Parameters.parameter[0]'],
    ['parts instead of a value', [{ name: 'url', part: [] }], 'Parameters.parameter[0].part'],
    ['an unknown member', [{ name: 'url', valueUri: URL, extra: 1 }], 'Parameters.parameter[0].extra'],
    [
      'a parameter that is repeated too often',
      [
        { name: 'url', valueUri: URL },
        { name: 'url', valueUri: URL },
      ],
      'Parameters.parameter[1].valueUri',
    ],
    [
      'a resource of another type',
      [{ name: 'valueSet', resource: { resourceType: 'Patient' } }],
      'Parameters.parameter[0].resource',
    ],
    ['a parameter list that is not a list', { name: 'url' }, 'Parameters.parameter'],
    ['an empty list', [], 'Parameters.parameter'],
    [
      'url together with valueSet',
      [
        { name: 'url', valueUri: URL },
        { name: 'valueSet', resource: { resourceType: 'ValueSet', status: 'active' } },
      ],
      'Parameters.parameter',
    ],
  ])('%s is 400 with its place', async (_name, parameter, expression) => {
    const error = await expandFailure(parameter);
    expect(error).toMatchObject({ status: 400, key: 'operationInputInvalid' });
    expect(error.issues[0]).toMatchObject({ code: 'invalid', expression });
  });

  test.each([
    ['a text of another type', [{ name: 'url', valueString: URL }]],
    ['a canonical where a uri is declared', [{ name: 'url', valueCanonical: URL }]],
    [
      'a parameter that R4 does not have',
      [
        { name: 'url', valueUri: URL },
        { name: 'cache-id', valueId: 'x' },
        {
          name: 'tx-resource',
          resource: { resourceType: 'CodeSystem', url: 'urn:x', status: 'active', content: 'complete' },
        },
      ],
    ],
  ])('terminology operations accept %s', async (_name, parameter) => {
    const input = parseJson(JSON.stringify({ resourceType: 'Parameters', parameter }));
    const text = await invokeText(environment, {
      ...{ level: 'type', type: 'ValueSet', code: 'expand', input, safe: false },
    });
    expect(JSON.parse(text).expansion.total).toBe(4);
  });

  test('several faults are told at once', async () => {
    const error = await expandFailure([
      { name: 'count', valueInteger: 1.5 },
      { name: 'url', valueUri: 7 },
    ]);
    expect(error.issues.map(({ expression }) => expression)).toEqual([
      'Parameters.parameter[0].valueInteger',
      'Parameters.parameter[1].valueUri',
    ]);
  });

  test.each([[{ resourceType: 'Patient' }], [[]], [{ parameter: [] }], [null]])(
    'the body %j is 400',
    async (body) => {
      expect(await failure({ level: 'type', type: 'ValueSet', code: 'expand', body })).toMatchObject({
        status: 400,
        key: 'operationInputInvalid',
      });
    },
  );

  test('GET accepts simple parameters, and the error names others', async () => {
    const address = { level: 'type' as const, type: 'ValueSet', code: 'expand', safe: true };
    const text = await invokeText(environment, {
      ...address,
      query: [
        ['url', URL],
        ['count', '1'],
        ['_format', 'json'],
      ],
    });
    expect(JSON.parse(text).expansion).toMatchObject({ total: 4, contains: [{ code: 'male' }] });
    for (const query of [
      [['valueSet', '{}']],
      [
        ['url', URL],
        ['count', 'two'],
      ],
      [
        ['url', URL],
        ['activeOnly', '1'],
      ],
    ] as const) {
      expect(await failure({ ...address, query })).toMatchObject({
        status: 400,
        key: 'operationInputInvalid',
      });
    }
  });

  test.each([
    ['count', '1.0', "The number 1.0 is not an integer; allowed: whole numbers from -2147483648 to 2147483647"],
    ['count', '010', "'010' is not an integer; allowed: whole numbers"],
    ['count', 'x'.repeat(5_000), `'${'x'.repeat(80)}…' is not an integer`],
    ['activeOnly', 'yes', "'yes' is not a boolean; allowed: true and false"],
    ['date', '2023-02-29', "'2023-02-29' is not a dateTime: 2023-02 has the days 01 to 28; allowed: YYYY"],
    ['url', 'a b', "'a b' is not a uri; allowed: at least one character, without white space"],
  ])('the error for a GET with %s=%.20s says what is allowed', async (name, value, words) => {
    const query = [['url', URL], [name, value]] as const;
    const error = await failure({ level: 'type', type: 'ValueSet', code: 'expand', safe: true, query });
    expect(error.message).toContain(`The parameter '${name}' is wrong: ${words}`);
  }); // prettier-ignore

  test('GET of an operation that may change data is 405', () => {
    const definition = definitions.operations.get(
      'http://hl7.org/fhir/OperationDefinition/Resource-meta-add',
    );
    if (definition === undefined) throw new Error('not defined');
    const call = () =>
      readInput(definition, definitions, { level: 'instance', code: 'meta-add', safe: true });
    expect(call).toThrow(
      expect.objectContaining({ status: 405, key: 'operationChangesState', allowed: 'POST' }),
    );
    const post = () =>
      readInput(definition, definitions, { level: 'instance', code: 'meta-add', safe: false });
    expect(post).toThrow("The parameter 'meta' is required at least once");
  });

  test('a body without Parameters is accepted if exactly one parameter has its type', async () => {
    const compose = { include: [{ system: 'http://zoo.example', concept: [{ code: 'bat' }] }] };
    const input = parseJson(JSON.stringify({ resourceType: 'ValueSet', status: 'active', compose }));
    const text = await invokeText(environment, {
      level: 'type',
      type: 'ValueSet',
      code: 'expand',
      input,
      safe: false,
    });
    expect(JSON.parse(text)).toMatchObject({
      resourceType: 'ValueSet',
      expansion: { contains: [{ code: 'bat' }] },
    });
  });

  test('$validate receives any body as its resource', () => {
    const definition = definitions.operations.get(
      'http://hl7.org/fhir/OperationDefinition/Resource-validate',
    );
    if (definition === undefined) throw new Error('not defined');
    const broken: JsonObject = { resourceType: 'Patient', nonsense: [] };
    const read = (body: JsonObject) => {
      const input = { value: body, marked: false };
      return readInput(definition, definitions, {
        level: 'type',
        type: 'Patient',
        code: 'validate',
        safe: false,
        input,
      });
    };
    expect(read(broken).first('resource')).toMatchObject({ expression: 'Patient', value: broken });
    const wrapped = read({ resourceType: 'Parameters', parameter: [{ name: 'resource', resource: broken }] });
    expect(wrapped.first('resource')).toMatchObject({
      expression: 'Parameters.parameter[0].resource',
      value: broken,
    });
  });

  test('nested parts are validated like parameters', () => {
    const parts = [
      { name: 'language', use: 'in', min: 0, max: 1, type: 'code', parts: [] },
      { name: 'value', use: 'in', min: 1, max: 1, type: 'string', parts: [] },
    ] as const;
    const declared = [{ name: 'designation', use: 'in', min: 0, max: Infinity, parts }] as const;
    const issuesOf = (part: JsonObject[]) =>
      checkParameters('x', [{ name: 'designation', part }], declared, definitions);
    expect(issuesOf([{ name: 'value', valueString: 'Bat' }])).toEqual([]);
    expect(issuesOf([{ name: 'language', valueCode: ' de' }])[0]?.expression).toBe(
      'Parameters.parameter[0].part[0].valueCode',
    );
    expect(issuesOf([])[0]).toMatchObject({ expression: 'Parameters.parameter[0].part' });
  });
});
