/** A Questionnaire, read for checking responses (https://hl7.org/fhir/R4/questionnaire.html). */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { booleanMember, objectsMember, stringMember } from '../../terminology/members';
import type { EnableExpression, EnableExpressions } from './enable-expression';
import { findExtension, hasExtension, isCalculated } from './item-extensions';

export interface Condition {
  /** linkId of the question. */
  readonly question: string;
  /** `exists`, `=`, `!=`, `>`, `<`, `>=` or `<=`. */
  readonly operator: string;
  readonly answer: TypedAnswer | undefined;
}

/** A value[x] or answer[x] with the name of its type: `Coding`, `Integer`. */
export interface TypedAnswer {
  readonly type: string;
  readonly value: JsonValue;
}

export interface QuestionnaireItem {
  readonly linkId: string;
  /** `group`, `display`, or the type of a question. */
  readonly type: string;
  readonly text: string | undefined;
  /** True if an enabled item must be there. False too where that is calculated, or where the person cannot answer. */
  readonly isRequired: boolean;
  /** False if the person does not see the item, or its answers are calculated: they may be missing. */
  readonly isAsked: boolean;
  readonly repeats: boolean;
  readonly conditions: readonly Condition[];
  /** True if one condition is enough. */
  readonly isAnyEnough: boolean;
  /** The item is enabled only if these hold too. */
  readonly expressions: readonly EnableExpression[];
  /** The only allowed answers; undefined: there is no list. */
  readonly options: readonly TypedAnswer[] | undefined;
  /** True if expressions of SDC make the allowed answers, so that nothing is known of them. */
  readonly hasCalculatedOptions: boolean;
  /** Canonical url, or `#id` of a contained ValueSet. */
  readonly valueSet: string | undefined;
  readonly limits: AnswerLimits;
  readonly items: readonly QuestionnaireItem[];
  /** linkId of the item that has it; undefined for one of the Questionnaire itself. */
  readonly parent: string | undefined;
}

/** Limits of answers: `maxLength`, and those of extensions of the specification. */
export interface AnswerLimits {
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly minValue?: TypedAnswer;
  readonly maxValue?: TypedAnswer;
  readonly maxDecimalPlaces?: number;
  readonly minOccurs?: number;
  readonly maxOccurs?: number;
}

export interface ReadQuestionnaire {
  readonly url: string;
  readonly items: readonly QuestionnaireItem[];
  /** The first item with each linkId. */
  readonly byLinkId: ReadonlyMap<string, QuestionnaireItem>;
  readonly contained: readonly JsonObject[];
  /** True if responses have items of other questionnaires too: of parts that are assembled, or of an adaptive form. */
  readonly isPart: boolean;
}

/** Reads a Questionnaire. Cost: linear in its items, and some 10 µs for each expression that enables one. */
export function readQuestionnaire(resource: JsonObject, expressions: EnableExpressions): ReadQuestionnaire {
  const byLinkId = new Map<string, QuestionnaireItem>();
  let isPart = hasExtension(resource, 'sdc-questionnaire-questionnaireAdaptive');
  const readAll = (
    elements: readonly JsonObject[],
    parent: string | undefined,
    isHidden: boolean,
  ): QuestionnaireItem[] =>
    elements.map((element) => {
      const linkId = stringMember(element, 'linkId') ?? '';
      isPart ||= hasExtension(element, 'sdc-questionnaire-subQuestionnaire');
      const isOwnHidden =
        isHidden || findExtension(element, 'questionnaire-hidden')?.['valueBoolean'] === true;
      const item = {
        ...readItem(element, linkId, isOwnHidden),
        expressions: expressions.of(element),
        parent,
        items: readAll(objectsMember(element, 'item'), linkId, isOwnHidden),
      };
      if (!byLinkId.has(linkId)) byLinkId.set(linkId, item);
      return item;
    });
  const items = readAll(objectsMember(resource, 'item'), undefined, false);
  return {
    url: stringMember(resource, 'url') ?? '',
    items,
    byLinkId,
    contained: objectsMember(resource, 'contained'),
    isPart,
  };
}

/** Returns the value of `value[x]`, or of another choice; undefined without one. */
export function typedMember(object: JsonObject, name: string): TypedAnswer | undefined {
  for (const key in object) {
    const value = object[key];
    if (key.length > name.length && key.startsWith(name) && value !== undefined)
      return { type: key.slice(name.length), value };
  }
  return undefined;
}

function readItem(
  element: JsonObject,
  linkId: string,
  isHidden: boolean,
): Omit<QuestionnaireItem, 'items' | 'parent' | 'expressions'> {
  const choices = objectsMember(element, 'answerOption');
  const options = choices.flatMap((option) => typedMember(option, 'value') ?? []);
  const hasCalculatedOptions =
    options.length < choices.length ||
    isCalculated(element, 'answerValueSet') ||
    ['answerExpression', 'candidateExpression'].some((name) => hasExtension(element, name));
  const isAsked = !isHidden && !isFilledIn(element);
  return {
    linkId,
    type: stringMember(element, 'type') ?? '',
    text: isCalculated(element, 'text') ? undefined : stringMember(element, 'text'),
    isRequired: isAsked && !isCalculated(element, 'required') && booleanMember(element, 'required') === true,
    isAsked,
    repeats: isCalculated(element, 'repeats') || booleanMember(element, 'repeats') === true,
    conditions: objectsMember(element, 'enableWhen').map((condition) => ({
      question: stringMember(condition, 'question') ?? '',
      operator: stringMember(condition, 'operator') ?? '',
      answer: typedMember(condition, 'answer'),
    })),
    isAnyEnough: stringMember(element, 'enableBehavior') === 'any',
    options: hasCalculatedOptions || options.length === 0 ? undefined : options,
    valueSet: hasCalculatedOptions ? undefined : stringMember(element, 'answerValueSet'),
    hasCalculatedOptions,
    limits: readLimits(element),
  };
}

/** True if the server of the form answers, not the person: there may be nothing to calculate from. */
function isFilledIn(element: JsonObject): boolean {
  if (hasExtension(element, 'calculatedExpression')) return true;
  return booleanMember(element, 'readOnly') === true && hasExtension(element, 'initialExpression');
}

const EXTENSION = 'http://hl7.org/fhir/StructureDefinition/';

function readLimits(element: JsonObject): AnswerLimits {
  const extension = (name: string): TypedAnswer | undefined => {
    const found = objectsMember(element, 'extension').find(({ url }) => url === `${EXTENSION}${name}`);
    const value = found && typedMember(found, 'value');
    return found && value && isCalculated(found, `value${value.type}`) ? undefined : value;
  };
  const entries: readonly (readonly [keyof AnswerLimits, JsonValue | TypedAnswer | undefined])[] = [
    ['maxLength', isCalculated(element, 'maxLength') ? undefined : element['maxLength']],
    ['minLength', extension('minLength')?.value],
    ['minValue', extension('minValue')],
    ['maxValue', extension('maxValue')],
    ['maxDecimalPlaces', extension('maxDecimalPlaces')?.value],
    ['minOccurs', extension('questionnaire-minOccurs')?.value],
    ['maxOccurs', extension('questionnaire-maxOccurs')?.value],
  ];
  return Object.fromEntries(
    entries.filter(
      ([name, value]) => typeof value === 'number' || (name.endsWith('Value') && isTyped(value)),
    ),
  );
}

function isTyped(value: JsonValue | TypedAnswer | undefined): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'type' in value;
}

/** Returns the codes of a contained value set that lists them; undefined if it does not list all. */
export function listedCodings(
  { contained }: ReadQuestionnaire,
  id: string,
): readonly TypedAnswer[] | undefined {
  const valueSet = contained.find((each) => each['resourceType'] === 'ValueSet' && each['id'] === id);
  const compose = valueSet?.['compose'];
  if (!isJsonObject(compose) || objectsMember(compose, 'exclude').length > 0) return undefined;
  const codings: TypedAnswer[] = [];
  for (const include of objectsMember(compose, 'include')) {
    const system = stringMember(include, 'system');
    const concepts = objectsMember(include, 'concept');
    if (system === undefined || concepts.length === 0 || include['valueSet'] !== undefined) return undefined;
    for (const { code = '' } of concepts) codings.push({ type: 'Coding', value: { system, code } });
  }
  return codings;
}
