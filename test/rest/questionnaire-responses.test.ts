/** A QuestionnaireResponse is checked against its Questionnaire, wherever that is. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

interface Issue {
  readonly severity: string;
  readonly diagnostics: string;
  readonly expression?: readonly string[];
}

const QUESTIONNAIRE_URL = 'http://example.org/questionnaire';
const CODES = 'http://example.org/answers';
const EXTENSION = 'http://hl7.org/fhir/StructureDefinition';
const coding = (code: string): object => ({ system: CODES, code });

const QUESTIONNAIRE = {
  resourceType: 'Questionnaire',
  id: 'q',
  url: QUESTIONNAIRE_URL,
  version: '2.0',
  status: 'active',
  item: [
    {
      linkId: 'g',
      type: 'group',
      text: 'About you',
      required: true,
      item: [
        { linkId: 'name', type: 'string', required: true, maxLength: 5 },
        {
          linkId: 'age',
          type: 'integer',
          extension: [
            { url: `${EXTENSION}/minValue`, valueInteger: 0 },
            { url: `${EXTENSION}/maxValue`, valueInteger: 150 },
          ],
        },
        { linkId: 'smoker', type: 'boolean', item: [{ linkId: 'since', type: 'date' }] },
        {
          linkId: 'pack',
          type: 'decimal',
          required: true,
          enableWhen: [{ question: 'smoker', operator: '=', answerBoolean: true }],
          extension: [{ url: `${EXTENSION}/maxDecimalPlaces`, valueInteger: 1 }],
        },
      ],
    },
    {
      linkId: 'colour',
      type: 'choice',
      answerOption: [{ valueCoding: coding('red') }, { valueCoding: coding('blue') }],
    },
    { linkId: 'dish', type: 'open-choice', answerOption: [{ valueCoding: coding('fish') }] },
    { linkId: 'listed', type: 'choice', answerValueSet: '#list' },
    { linkId: 'coded', type: 'choice', repeats: true, answerValueSet: 'http://example.org/answer-codes' },
    { linkId: 'note', type: 'display', text: 'Thank you' },
    { linkId: 'visits', type: 'group', repeats: true, item: [{ linkId: 'day', type: 'date' }] },
  ],
  contained: [
    {
      resourceType: 'ValueSet',
      id: 'list',
      status: 'active',
      compose: { include: [{ system: CODES, concept: [{ code: 'one' }] }] },
    },
  ],
};

const answered = (linkId: string, ...answer: object[]): object => ({ linkId, answer });
/** FHIR has no empty lists. */
const items = (item: readonly object[]): object => (item.length === 0 ? {} : { item });
const group = (...item: object[]): object => ({ linkId: 'g', ...items(item) });
const NAME = answered('name', { valueString: 'Ann' });
const respond = (item: readonly object[], more: object = {}) => ({
  resourceType: 'QuestionnaireResponse',
  questionnaire: QUESTIONNAIRE_URL,
  status: 'completed',
  ...items(item),
  ...more,
});

const CASES: readonly (readonly [name: string, response: object, errors: readonly (readonly [string, string])[]])[] = [
  ['what fits', respond([group(NAME, answered('age', { valueInteger: 30 })), answered('colour', { valueCoding: coding('red') })]), []],
  ['an unknown linkId', respond([group(NAME), { linkId: '77' }]), [['item[1].linkId', "has no item '77'"]]],
  ['an item under the wrong one', respond([group(NAME, answered('colour', { valueCoding: coding('red') }))]), [['item[0].item[1].linkId', "must be below the response itself"]]],
  ['items in another order', respond([answered('colour', { valueCoding: coding('red') }), group(NAME)]), [['item[1]', 'must come before']]],
  ['an answer of another type', respond([group(answered('name', { valueInteger: 1 }))]), [['item[0].item[0].answer[0].value.ofType(integer)', 'of type string']]],
  ['a required question that is missing', respond([group()]), [['item[0].item', "'name' is required"]]],
  ['a required question without an answer', respond([group({ linkId: 'name' })]), [['item[0].item[0].answer', 'must be answered']]],
  ['a required group that is missing', respond([]), [['item', "'g' is required"]]],
  ['several answers to a question that takes one', respond([group(answered('name', { valueString: 'A' }, { valueString: 'B' }))]), [['item[0].item[0].answer', 'it takes one']]],
  ['a question twice', respond([group(NAME, NAME)]), [['item[0].item', 'occurs 2 times']]],
  ['a group that repeats', respond([group(NAME), { linkId: 'visits' }, { linkId: 'visits' }]), []],
  ['a question that the answers do not enable', respond([group(NAME, answered('pack', { valueDecimal: 1 }))]), [['item[0].item[1]', 'is not enabled']]],
  ['a required question that the answers enable, missing', respond([group(NAME, answered('smoker', { valueBoolean: true }))]), [['item[0].item', "'pack' is required"]]],
  ['items below an answer', respond([group(NAME, answered('smoker', { valueBoolean: false, item: [answered('since', { valueDate: '2020' })] }))]), []],
  ['items below a question', respond([group(NAME, { linkId: 'smoker', item: [{ linkId: 'since' }] })]), [['item[0].item[1].item', 'must be in its answers']]],
  ['an answer that is no option', respond([group(NAME), answered('colour', { valueCoding: coding('green') })]), [['item[1].answer[0].value.ofType(Coding)', 'none of its options']]],
  ['free text for an open choice', respond([group(NAME), answered('dish', { valueString: 'soup' })]), []],
  ['free text for a choice', respond([group(NAME), answered('colour', { valueString: 'red' })]), [['item[1].answer[0].value.ofType(string)', 'takes Coding']]],
  ['a code outside of a contained value set', respond([group(NAME), answered('listed', { valueCoding: coding('two') })]), [['item[1].answer[0].value.ofType(Coding)', 'none of its options']]],
  ['a code outside of a stored value set', respond([group(NAME), answered('coded', { valueCoding: coding('a') }, { valueCoding: coding('b') })]), [['item[1].answer[1].value.ofType(Coding).code', 'http://example.org/answer-codes']]],
  ['a long text', respond([group(answered('name', { valueString: 'Annabel' }))]), [['item[0].item[0].answer[0].value.ofType(string)', 'at most 5']]],
  ['a number beyond its limits', respond([group(NAME, answered('age', { valueInteger: 200 }))]), [['item[0].item[1].answer[0].value.ofType(integer)', 'more than 150']]],
  ['too many decimal places', respond([group(NAME, answered('smoker', { valueBoolean: true }), answered('pack', { valueDecimal: 1.25 }))]), [['item[0].item[2].answer[0].value.ofType(decimal)', 'decimal places']]],
  ['an answer of a group', respond([group(NAME), { linkId: 'visits', answer: [{ valueBoolean: true }] }]), [['item[1].answer', 'has no answers']]],
  ['what is missing from a response in progress', respond([], { status: 'in-progress' }), []],
]; // prettier-ignore

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  const validate = async (resource: object): Promise<readonly Issue[]> => {
    const { json } = await send('POST', '$validate', {
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource }],
    });
    return json.issue as Issue[];
  };
  const errorsIn = (issues: readonly Issue[]): readonly Issue[] =>
    issues.filter(({ severity }) => severity === 'error');

  beforeAll(async () => {
    const valueSet = {
      resourceType: 'ValueSet',
      id: 'answers',
      url: 'http://example.org/answer-codes',
      status: 'active',
      compose: { include: [{ system: CODES, concept: [{ code: 'a' }] }] },
    };
    for (const resource of [valueSet, QUESTIONNAIRE]) {
      const { status, text } = await send('PUT', `${resource.resourceType}/${resource.id}`, resource);
      expect([status, status === 201 ? '' : text]).toEqual([201, '']);
    }
  });

  it.each(CASES)('%s', async (_name, response, expected) => {
    const errors = errorsIn(await validate(response));
    expect(errors.map(({ expression, diagnostics }) => [expression?.[0], diagnostics])).toEqual(
      expected.map(([place, part]) => [
        `QuestionnaireResponse.${place}`,
        expect.stringContaining(part) as string,
      ]),
    );
    const { status } = await send('POST', 'QuestionnaireResponse', response);
    expect(status).toBe(expected.length === 0 ? 201 : 422);
  });

  it('a questionnaire that cannot be found is a warning, and so is another version of it', async () => {
    for (const questionnaire of ['http://example.org/nowhere', `${QUESTIONNAIRE_URL}|1.0`, '#nowhere']) {
      const response = respond([{ linkId: '77' }], { questionnaire });
      const issues = await validate(response);
      expect(errorsIn(issues).filter(({ diagnostics }) => !diagnostics.includes('#nowhere'))).toEqual([]);
      expect(issues).toContainEqual(
        expect.objectContaining({
          severity: 'warning',
          expression: ['QuestionnaireResponse.questionnaire'],
          diagnostics: expect.stringContaining('was not checked against the questionnaire') as string,
        }),
      );
    }
    const { status, headers } = await send(
      'POST',
      'QuestionnaireResponse',
      respond([], { questionnaire: 'http://example.org/nowhere' }),
    );
    expect([status, headers['x-issues']]).toEqual([201, '1; warning']);
  });

  it('a questionnaire of that version, contained or in the same Bundle is found', async () => {
    const wrong = respond([{ linkId: '77' }]);
    const { id: _id, contained: _contained, ...inside } = QUESTIONNAIRE;
    const versions: readonly (readonly [object, string])[] = [
      [{ ...wrong, questionnaire: `${QUESTIONNAIRE_URL}|2.0` }, 'QuestionnaireResponse'],
      [
        {
          ...wrong,
          questionnaire: '#c',
          contained: [{ ...inside, id: 'c', url: undefined, item: inside.item.slice(0, 2) }],
        },
        'QuestionnaireResponse',
      ],
      [
        {
          resourceType: 'Bundle',
          type: 'collection',
          entry: [
            {
              fullUrl: 'urn:uuid:0b1c2d3e-4f50-4a61-8b72-8c93a0b1c2d4',
              resource: { ...inside, url: 'http://example.org/bundled' },
            },
            {
              fullUrl: 'urn:uuid:0b1c2d3e-4f50-4a61-8b72-8c93a0b1c2d5',
              resource: { ...wrong, questionnaire: 'http://example.org/bundled' },
            },
          ],
        },
        'Bundle.entry[1].resource',
      ],
    ];
    for (const [resource, place] of versions) {
      const errors = errorsIn(await validate(resource));
      expect(errors).toContainEqual(
        expect.objectContaining({
          expression: [`${place}.item[0].linkId`],
          diagnostics: "The questionnaire has no item '77'",
        }),
      );
    }
  });
});
