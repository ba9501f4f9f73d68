/** Answers that depend on the expressions of a form are validated where the server can evaluate them. */
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { TESTED_RELEASES } from '../support/releases';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

const SDC = 'http://hl7.org/fhir/uv/sdc/StructureDefinition/sdc-questionnaire';
const CORE = 'http://hl7.org/fhir/StructureDefinition';
const CODES = 'http://example.org/form-codes';

const expression = (text: string, language = 'text/fhirpath'): object => ({
  valueExpression: { language, expression: text },
});
const calculated = (name: string, text = '1 = 1'): object => ({ url: `${SDC}-${name}`, ...expression(text) });
const enabledIf = (text: string, language?: string): object => ({
  extension: [{ url: `${SDC}-enableWhenExpression`, ...expression(text, language) }],
});
const byExpression = { extension: [{ url: `${CORE}/cqf-expression`, ...expression('1 + 1') }] };
const when = (question: string, operator: string, answer: object): object => ({
  enableWhen: [{ question, operator, ...answer }],
});
const question = (linkId: string, type: string, more: object = {}): object => ({ linkId, type, ...more });
const required = (linkId: string, more: object = {}): object =>
  question(linkId, 'string', { required: true, ...more });
const answered = (linkId: string, ...answer: object[]): object => ({ linkId, answer });
const holds = (linkId: string, ...item: object[]): object => ({ linkId, item });
const A = question('a', 'integer');
const text = (linkId: string): object => answered(linkId, { valueString: 'x' });
const three = answered('a', { valueInteger: 3 });
const many = answered('a', { valueInteger: 300 });
const ABOVE = "%resource.item.where(linkId='a').answer.value > 100";
/** The other item of a group or form, so that none is empty. */
const OTHER = question('o', 'string');

/** The items of a form, those of a response that is completed, and the part of the error that refuses it. */
type Case = readonly [name: string, form: readonly object[], response: readonly object[], error?: string];

const CASES: readonly Case[] = [
  // An expression that the server evaluates.
  ['a required item whose expression is false is missing', [A, required('e', enabledIf(ABOVE))], [three]],
  ['one whose expression is true is missing', [A, required('e', enabledIf(ABOVE))], [many], "'e' is required"],
  ['an item whose expression is false has an answer', [A, required('e', enabledIf(ABOVE))], [three, text('e')], 'is not enabled'],
  ['an item whose expression is true has an answer', [A, required('e', enabledIf(ABOVE))], [many, text('e')]],
  ['a required item of a group whose expression is false is missing', [A, question('g', 'group', { ...enabledIf(ABOVE), item: [required('e'), OTHER] })], [three]],
  ['a required group whose items are all disabled is missing', [A, question('g', 'group', { required: true, item: [question('e', 'string', enabledIf(ABOVE))] })], [three]],
  ['a required group with an enabled item is missing', [A, question('g', 'group', { required: true, item: [OTHER] })], [three], "'g' is required"],
  ['an expression of the item itself, which is there', [question('e', 'string', { ...enabledIf("%context.linkId = 'x'") })], [text('e')], 'is not enabled'],
  ['a disabled item is there without an answer', [A, required('e', enabledIf(ABOVE))], [three, { linkId: 'e' }]],
  // Expressions that the server cannot evaluate: nothing is required, and nothing refused.
  ...[
    ['without a value', "%resource.item.where(linkId='none').answer.value > 100"],
    ['whose value is no Boolean', "%resource.item.where(linkId='a').answer.value"],
    ['of several values', '(true | false)'],
    ['that fails', "%resource.item.where(linkId='a').answer.value > 'x'"],
    ['that is no FHIRPath', '(((' ],
    ['with a variable', '%score > 3'],
    ['of the questionnaire', '%questionnaire.item.exists().not()'],
    ['of the definition of the item', '%qitem.required.not()'],
    ['of the patient of the launch', '%patient.active.not()'],
    ['with the time', 'today() < @2000-01-01'],
    ['of other resources', '%resource.subject.resolve().exists().not()'],
    ['of a value set', "%resource.item.answer.value.memberOf('http://example.org/v').not()"],
    ['of an item that is not there', "answer.value = 'y'"],
    ['with a function of SDC', '%resource.item.answer.value.weight().sum() > 100'],
  ].flatMap(([kind, path = '']): Case[] => {
    const form = [A, required('e', enabledIf(path)), question('g', 'group', { ...enabledIf(path), item: [required('f'), OTHER] })];
    return [
      [`nothing is required by an expression ${kind}`, form, [three]],
      [`nor inside what it may disable: ${kind}`, form, [three, holds('g', text('o'))]],
    ];
  }),
  ['an expression without a value refuses no answer', [A, question('e', 'string', enabledIf("%resource.item.where(linkId='none').answer.value > 100"))], [three, text('e')]],
  ['an expression of CQL', [A, required('e', enabledIf('false', 'text/cql'))], [three]],
  ['a query', [A, required('e', enabledIf('Patient?active=true', 'application/x-fhir-query'))], [three]],
  // Answers that expressions give.
  ['a required item that is calculated has no answer', [A, required('e', { extension: [calculated('calculatedExpression')] })], [three]],
  ['a required item that is hidden has no answer', [A, required('e', { extension: [{ url: `${CORE}/questionnaire-hidden`, valueBoolean: true }] })], [three]],
  ['a required item in a hidden group has no answer', [A, question('g', 'group', { extension: [{ url: `${CORE}/questionnaire-hidden`, valueBoolean: true }], item: [required('e'), OTHER] })], [three, holds('g', text('o'))]],
  ['a required item that is only read and filled in at the start has no answer', [A, required('e', { readOnly: true, extension: [calculated('initialExpression')] })], [three]],
  ['a required item that is filled in at the start has no answer', [A, required('e', { extension: [calculated('initialExpression')] })], [three], "'e' is required"],
  ['an expression makes it required', [A, question('e', 'string', { required: true, _required: byExpression })], [three]],
  ['an expression says how often it repeats', [question('e', 'string', { repeats: false, _repeats: byExpression })], [answered('e', { valueString: 'x' }, { valueString: 'y' })]],
  ['an expression is the limit of its length', [question('e', 'string', { maxLength: 1, _maxLength: byExpression })], [answered('e', { valueString: 'long' })]],
  ['an expression is its least value', [question('a', 'integer', { extension: [{ url: `${CORE}/minValue`, valueInteger: 10, _valueInteger: byExpression }] })], [three]],
  ['an expression is its greatest value', [question('a', 'integer', { extension: [{ url: `${CORE}/maxValue`, _valueInteger: byExpression }] })], [three]],
  ['answers that an expression offers', [question('c', 'choice', { extension: [calculated('answerExpression')] })], [answered('c', { valueReference: { display: 'Ann' } })]],
  ['candidates beside options', [question('c', 'choice', { answerOption: [{ valueString: 'x' }], extension: [calculated('candidateExpression')] })], [answered('c', { valueString: 'y' })]],
  ['options that an expression disables', [question('c', 'choice', { answerOption: [{ valueString: 'x' }], extension: [{ url: `${SDC}-answerOptionsToggleExpression`, extension: [{ url: 'option', valueString: 'x' }, { url: 'expression', ...expression('false') }] }] })], [answered('c', { valueString: 'x' })]],
  ['a value set that an expression chooses', [question('c', 'choice', { answerValueSet: 'http://example.org/none', _answerValueSet: byExpression })], [answered('c', { valueCoding: { system: CODES, code: 'z' } })]],
  ['a text of the person for an open choice, as a Coding', [question('c', 'open-choice', { answerOption: [{ valueCoding: { system: CODES, code: 'z' } }] })], [answered('c', { valueCoding: { display: 'other' } })]],
  ['a constraint of the form', [question('a', 'integer', { extension: [{ url: `${CORE}/targetConstraint`, extension: [{ url: 'expression', ...expression('false') }] }] })], [three]],
  // Forms that are made of parts.
  ['items of an assembled form', [question('d', 'display', { text: 'Part', extension: [{ url: `${SDC}-subQuestionnaire`, valueCanonical: 'http://example.org/part' }] })], [text('of-the-part')]],
  // enableWhen among repeated groups, and of values that need not compare.
  ['each group that repeats has its own answers', [question('g', 'group', { repeats: true, item: [A, required('e', when('a', '>', { answerInteger: 100 }))] })], [holds('g', many, text('e')), holds('g', three)]],
  ['a required item of one of them is missing', [question('g', 'group', { repeats: true, item: [A, required('e', when('a', '>', { answerInteger: 100 }))] })], [holds('g', many), holds('g', three)], "'e' is required"],
  ['a question that groups answer differently', [question('g', 'group', { repeats: true, item: [A] }), required('e', when('a', '>', { answerInteger: 100 }))], [holds('g', many), holds('g', three)]],
  ['a question without an answer differs', [A, OTHER, required('e', when('a', '!=', { answerInteger: 1 }))], [text('o')]],
  ['times in two zones', [question('t', 'dateTime', { extension: [{ url: `${CORE}/maxValue`, valueDateTime: '2020-01-01T10:00:00Z' }] })], [answered('t', { valueDateTime: '2020-01-01T11:00:00+02:00' })]],
  ['a time after the last one, in another zone', [question('t', 'dateTime', { extension: [{ url: `${CORE}/maxValue`, valueDateTime: '2020-01-01T10:00:00Z' }] })], [answered('t', { valueDateTime: '2020-01-01T09:00:00-02:00' })], 'is more than'],
  ['a quantity in another unit', [question('q', 'quantity'), required('e', when('q', '>', { answerQuantity: { value: 1, unit: 'kg' } }))], [answered('q', { valueQuantity: { value: 10, unit: 'g' } })]],
]; // prettier-ignore

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const send = (method: string, rest: string, body?: unknown) =>
    server.request(method, `${server.path('system', release)}/${rest}`, body);
  let last = 0;
  /** Stores a form and returns its url. */
  const store = async (item: readonly object[], more: object = {}): Promise<string> => {
    const id = `with-expressions-${++last}`;
    const url = `http://example.org/${id}`;
    const form = { resourceType: 'Questionnaire', id, url, status: 'active', item, ...more };
    const { status, text: answer } = await send('PUT', `Questionnaire/${id}`, form);
    expect([status, status === 201 ? '' : answer]).toEqual([201, '']);
    return url;
  };
  const respond = (questionnaire: string, item: readonly object[], status = 'completed') =>
    send('POST', 'QuestionnaireResponse', {
      resourceType: 'QuestionnaireResponse',
      status,
      questionnaire,
      item,
    });

  const rows = CASES.map(([name, form, response, error]) => ({ name, form, response, error }));
  it.each(rows)('$name', async ({ form, response, error }) => {
    const { status, text: answer } = await respond(await store(form), response);
    if (error === undefined) expect([status, status === 201 ? '' : answer]).toEqual([201, '']);
    else expect([status, answer]).toEqual([422, expect.stringContaining(error)]);
  });

  it('answers of disabled items are a warning until the response is finished', async () => {
    const url = await store([A, question('e', 'string', enabledIf(ABOVE))]);
    const { status, headers } = await respond(url, [three, text('e')], 'in-progress');
    expect([status, headers['x-issues']]).toEqual([201, '1; warning']);
  });

  it('a response to an adaptive form is not checked against its empty questionnaire', async () => {
    const url = await store([], {
      item: undefined,
      extension: [{ url: `${SDC}-questionnaireAdaptive`, valueBoolean: true }],
    });
    const { status, headers } = await respond(url, [text('e')]);
    expect([status, headers['x-issues']]).toEqual([201, '1; warning']);
  });

  it('what expressions beyond their budget enable is not judged', async () => {
    // With a hundred items a million values, which are there.
    const endless = `%resource.item${'.select(%resource.item)'.repeat(2)}.exists()`;
    const fields = Array.from({ length: 100 }, (_, index) => `f${index}`);
    const url = await store([
      ...fields.map((linkId) => question(linkId, 'string')),
      ...fields.map((linkId) => required(`e-${linkId}`, enabledIf(endless))),
    ]);
    const { status, text: answer } = await respond(url, fields.map(text));
    expect([status, status === 201 ? '' : answer]).toEqual([201, '']);
  });
});
