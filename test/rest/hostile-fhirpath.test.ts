/**
 * FHIRPath of clients that costs too much, at each place that accepts it: refused as too costly, never a fault of the
 * server.
 */
import { createSender, type SendQuery } from '../graphql/gateway-client';
import { eventually } from '../support/eventually';
import { makeParameter } from '../support/search-parameters';
import { toParameters, remove } from '../support/fhirpath-patch';
import { type Answer, type SharedServer, openSharedServer } from '../support/shared-server';

let server: SharedServer;
let send: SendQuery;

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition';
const DATES = '(@2020-01-01).repeat($this + 1 day).count() > 0';
const TEXTS = "('a').repeat($this.replace('a','aa')).exists()";
const HOSTILE = [
  DATES,
  TEXTS,
  "('a,a').repeat($this.split(',').join(',,') & ',a').exists()",
  "('<').repeat($this.escape('html') & '<<').exists()",
  "('a').repeat($this.encode('hex')).exists()",
  "('a').repeat($this.toChars().join('aa') & 'a').exists()",
  'descendants().descendants().select(%context.descendants()).distinct().count() > 0',
  "descendants().aggregate($total & 'x' & $total, 'x').length() > 0",
  "('a').repeat($this & $this).last().matches('(a{1,30}b?){1,10}c')",
];
/** Those that cost much on a resource of few elements too. */
const OF_ANYTHING = HOSTILE.filter((expression) => !expression.includes('descendants'));
const DEEP = `${'('.repeat(4_000)}true${')'.repeat(4_000)}`;

const request = (
  method: string,
  address: string,
  body?: unknown,
  type = 'application/fhir+json',
): Promise<Answer> =>
  server.request(method, `${server.path('system', 'r4')}/${address}`, body, { 'content-type': type });

beforeAll(async () => {
  server = await openSharedServer();
  send = createSender(server, 'system', 'r4');
  const patient = {
    resourceType: 'Patient',
    id: 'a',
    name: Array.from({ length: 200 }, (_, index) => ({ family: `f${index}`, given: ['x', 'y'] })),
  };
  expect((await request('PUT', 'Patient/a', patient)).status).toBe(201);
});
afterAll(() => server.close());

const issueOf = ({ json }: Answer): unknown => json.issue[0];

describe('hostile FHIRPath', () => {
  it.each(HOSTILE)('in an argument of a list of resources: %s', async (expression) => {
    const { errors } = await send('query($e: String) { PatientList(fhirpath: $e) { id } }', {
      e: expression,
    });
    expect(errors[0]?.extensions.code).toBe('too-costly');
    expect(errors[0]?.extensions.resource.issue[0]).toMatchObject({ code: 'too-costly', severity: 'error' });
  });

  it.each(OF_ANYTHING)('in an argument of a list of elements: %s', async (expression) => {
    const query = 'query($e: String) { Patient(id: "a") { name(fhirpath: $e) { family } } }';
    const { errors } = await send(query, { e: expression });
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['too-costly']);
  });

  it.each(OF_ANYTHING)('in the path of a slice: %s', async (expression) => {
    const { errors } = await send(
      `{ Patient(id: "a") { name @slice(path: ${JSON.stringify(expression)}) { family } } }`,
    );
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(['too-costly']);
  });

  it('in the paths of many slices, which are too long together', async () => {
    const path = (index: number): string => JSON.stringify(`family & '${'a'.repeat(1_900)}${index}'`);
    const slices = Array.from(
      { length: 40 },
      (_, index) => `a${index}: name @slice(path: ${path(index)}) { family }`,
    );
    const { errors } = await send(`{ Patient(id: "a") { ${slices.join(' ')} } }`);
    expect(errors[0]?.extensions.code).toBe('too-costly');
  });

  it('in the path of a FHIRPath Patch', async () => {
    for (const expression of OF_ANYTHING) {
      const patch = toParameters(remove(`Patient.name.where(${expression})`));
      const answer = await request('PATCH', 'Patient/a', patch);
      expect([expression, answer.status, issueOf(answer)]).toEqual([
        expression,
        422,
        expect.objectContaining({ code: 'too-costly' }),
      ]);
    }
    const deep = await request('PATCH', 'Patient/a', toParameters(remove(`Patient.name.where(${DEEP})`)));
    expect(deep.status).toBe(400);
  });

  it('in a constraint of a profile, at a plain write and in $validate', async () => {
    const constraint = (key: string, expression: string): object => ({
      key,
      severity: 'error',
      human: 'It holds',
      expression,
    });
    const profile = (id: string, element: object): object => ({
      resourceType: 'StructureDefinition',
      id,
      url: `http://example.org/${id}`,
      name: 'A',
      status: 'active',
      kind: 'resource',
      abstract: false,
      type: 'Patient',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      derivation: 'constraint',
      differential: { element: [{ id: 'Patient', path: 'Patient', ...element }] },
    });
    const claiming = (id: string): object => ({
      resourceType: 'Patient',
      meta: { profile: [`http://example.org/${id}`] },
      name: [{ family: 'a' }],
    });
    for (const [index, expression] of [DATES, TEXTS, DEEP].entries()) {
      const id = `p${index}`;
      const made = profile(id, { constraint: [constraint(`c-${index}`, expression)] });
      expect((await request('PUT', `StructureDefinition/${id}`, made)).status).toBe(201);
      const written = await request('POST', 'Patient', claiming(id));
      const validated = await request('POST', 'Patient/$validate', claiming(id));
      // An expression that is none is a warning: the profile is not checked by it.
      if (expression === DEEP) {
        expect([written.status, validated.status]).toEqual([201, 200]);
        expect(validated.text).toContain('levels deep');
        continue;
      }
      expect([written.status, issueOf(written)]).toEqual([
        422,
        expect.objectContaining({ code: 'too-costly' }),
      ]);
      expect(validated.status).toBe(200);
      expect(validated.json.issue).toContainEqual(
        expect.objectContaining({ code: 'too-costly', severity: 'error' }),
      );
    }
    const sliced = profile('sliced', {});
    const withSlices = {
      ...sliced,
      differential: {
        element: [
          {
            id: 'Patient.name',
            path: 'Patient.name',
            slicing: { discriminator: [{ type: 'value', path: DEEP }], rules: 'open' },
          },
          { id: 'Patient.name:a', path: 'Patient.name', sliceName: 'a', min: 1 },
        ],
      },
    };
    expect((await request('PUT', 'StructureDefinition/sliced', withSlices)).status).toBeLessThan(500);
    expect((await request('POST', 'Patient', claiming('sliced'))).status).toBeLessThan(500);
    expect((await request('POST', 'Patient/$validate', claiming('sliced'))).status).toBe(200);
  });

  it.each(HOSTILE)(
    'in the condition of an item of a form, which is then not judged: %s',
    async (expression) => {
      const url = 'http://example.org/hostile-form';
      const valueExpression = { language: 'text/fhirpath', expression };
      const form = {
        ...{ resourceType: 'Questionnaire', id: 'hostile-form', url, status: 'active' },
        item: [
          {
            ...{ linkId: 'e', type: 'string', required: true },
            extension: [{ url: `${SDC}/sdc-questionnaire-enableWhenExpression`, valueExpression }],
          },
          { linkId: 'o', type: 'string' },
        ],
      };
      expect((await request('PUT', 'Questionnaire/hostile-form', form)).status).toBeLessThan(300);
      const response = { resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: url };
      const item = [{ linkId: 'o', answer: [{ valueString: 'x' }] }];
      expect((await request('POST', 'QuestionnaireResponse', { ...response, item })).status).toBe(201);
    },
  );

  it('in a SearchParameter, which fails, and nothing else', async () => {
    const deep = makeParameter('deep', {
      type: 'string',
      base: ['Patient'],
      expression: `Patient.name.where(${DEEP.slice(2_100, -2_100)}).family`,
    });
    expect((await request('PUT', 'SearchParameter/deep', deep)).status).toBe(422);
    for (const [index, expression] of [DATES, TEXTS].entries()) {
      const id = `hostile${index}`;
      const parameter = makeParameter(id, {
        type: 'string',
        base: ['Basic'],
        expression: `Basic.code.where(${expression}).text`,
      });
      expect((await request('PUT', `SearchParameter/${id}`, parameter)).status).toBe(201);
      expect((await request('POST', 'Basic', { resourceType: 'Basic', code: { text: 'x' } })).status).toBe(
        201,
      );
      await eventually(async () =>
        (await request('GET', `SearchParameter/${id}/$reindex-status`)).text.includes('"failed"'),
      );
    }
  });
});
