/** Checks one answer of a response: its type, its options and its limits. */
import { decimalText, isJsonObject, type JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ProfileRun } from '../profile/profile-run';
import { compareAnswers, isSameAnswer } from './compare-answers';
import {
  listedCodings,
  type QuestionnaireItem,
  type ReadQuestionnaire,
  type TypedAnswer,
} from './questionnaire';

/** The types of answers by the type of the question (https://hl7.org/fhir/R4/valueset-item-type.html). */
const ANSWER_TYPES: Readonly<Record<string, readonly string[]>> = {
  boolean: ['Boolean'],
  decimal: ['Decimal'],
  integer: ['Integer'],
  date: ['Date'],
  dateTime: ['DateTime'],
  time: ['Time'],
  string: ['String'],
  text: ['String'],
  url: ['Uri'],
  choice: ['Coding'],
  'open-choice': ['Coding', 'String'],
  attachment: ['Attachment'],
  reference: ['Reference'],
  quantity: ['Quantity'],
};

/** The current place is the answer. */
export function checkAnswer(
  answer: TypedAnswer,
  item: QuestionnaireItem,
  questionnaire: ReadQuestionnaire,
  at: ProfileRun,
): void {
  at.push(`value.ofType(${nameOfType(answer.type)})`);
  checkValue(answer, item, questionnaire, at);
  at.pop();
}

/** `Coding`, `string`: primitives begin with a small letter. */
function nameOfType(type: string): string {
  return COMPLEX.has(type) ? type : type.charAt(0).toLowerCase() + type.slice(1);
}

const COMPLEX: ReadonlySet<string> = new Set(['Attachment', 'Coding', 'Quantity', 'Reference']);

/** The current place is the value. */
function checkValue(
  answer: TypedAnswer,
  item: QuestionnaireItem,
  questionnaire: ReadQuestionnaire,
  at: ProfileRun,
): void {
  const types = typesOf(item);
  if (types !== undefined && !types.includes(answer.type)) {
    const sentence = `The answer to '${shorten(item.linkId)}' is of type ${answer.type}; the question is of type ${shorten(item.type)}, which takes ${types.join(' or ')}`;
    at.report('questionnaire', sentence);
    return;
  }
  checkOptions(answer, item, questionnaire, at);
  for (const sentence of limitFaults(answer, item))
    at.report('questionnaire', `The answer to '${shorten(item.linkId)}' ${sentence}`);
}

/** A choice may have options of other types than Coding. Undefined: the type of the question is unknown. */
function typesOf({ type, options, hasCalculatedOptions }: QuestionnaireItem): readonly string[] | undefined {
  const types = ANSWER_TYPES[type];
  const isChoice = type === 'choice' || type === 'open-choice';
  if (isChoice && hasCalculatedOptions) return undefined;
  if (!isChoice || options === undefined || types === undefined) return types;
  const ofOptions = options.map((option) => option.type);
  return [...new Set([...ofOptions, ...(type === 'open-choice' ? ['String'] : [])])];
}

/** LHC-Forms and others have a text of the person's own as a string, or as a Coding without a code. */
function isFreeText({ type, value }: TypedAnswer): boolean {
  return type === 'String' || (isJsonObject(value) && value['code'] === undefined);
}

function checkOptions(
  answer: TypedAnswer,
  item: QuestionnaireItem,
  questionnaire: ReadQuestionnaire,
  at: ProfileRun,
): void {
  const { valueSet, linkId } = item;
  if (item.type === 'open-choice' && isFreeText(answer)) return;
  const options =
    item.options ?? (valueSet?.startsWith('#') ? listedCodings(questionnaire, valueSet.slice(1)) : undefined);
  if (options !== undefined) {
    if (!at.spend(options.length) || options.some((option) => isSameAnswer(option, answer) !== false)) return;
    at.report('questionnaire', `The answer to '${shorten(linkId)}' is none of its options`);
  } else if (valueSet?.startsWith('#')) {
    const sentence = `Whether the answer to '${shorten(linkId)}' is in the contained value set was not checked: it does not list its codes`;
    at.report('unresolved', sentence, [], 'warning');
  } else if (valueSet !== undefined && isJsonObject(answer.value)) lookUp(answer.value, valueSet, at);
}

/** Defers a Coding to the terminology service. */
function lookUp({ system, code }: JsonObject, valueSet: string, at: ProfileRun): void {
  if (typeof code !== 'string') return;
  const coding = { ...(typeof system === 'string' ? { system } : {}), code };
  at.run.addPendingCode({ valueSet, strength: 'required', codings: [coding] }, ['code']);
}

function* limitFaults(answer: TypedAnswer, { limits }: QuestionnaireItem): Generator<string> {
  const { value } = answer;
  const { minLength, maxLength, minValue, maxValue, maxDecimalPlaces } = limits;
  if (typeof value === 'string') {
    const length = [...value].length;
    if (maxLength !== undefined && length > maxLength)
      yield `has ${length} characters; at most ${maxLength} are allowed`;
    if (minLength !== undefined && length < minLength)
      yield `has ${length} characters; at least ${minLength} are needed`;
  }
  const below = minValue === undefined ? undefined : compareAnswers(answer, minValue);
  if (below !== undefined && below < 0) yield `is less than ${show(minValue)}, the least that is allowed`;
  const above = maxValue === undefined ? undefined : compareAnswers(answer, maxValue);
  if (above !== undefined && above > 0) yield `is more than ${show(maxValue)}, the most that is allowed`;
  const places = /\.(\d+)/.exec(decimalText(value) ?? '')?.[1]?.length ?? 0;
  if (maxDecimalPlaces !== undefined && places > maxDecimalPlaces)
    yield `has ${places} decimal places; at most ${maxDecimalPlaces} are allowed`;
}

function show(answer: TypedAnswer | undefined): string {
  const value = answer?.value;
  return shorten(decimalText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value)));
}
