/** A Questionnaire, read for checking responses (https://hl7.org/fhir/R4/questionnaire.html). */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { booleanMember, objectsMember, stringMember } from '../../terminology/members';

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
  readonly isRequired: boolean;
  readonly repeats: boolean;
  readonly conditions: readonly Condition[];
  /** True if one condition is enough. */
  readonly isAnyEnough: boolean;
  /** The only allowed answers; undefined: there is no list. */
  readonly options: readonly TypedAnswer[] | undefined;
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
}

/** Reads a Questionnaire. Cost: linear in its items. */
export function readQuestionnaire(resource: JsonObject): ReadQuestionnaire {
  const byLinkId = new Map<string, QuestionnaireItem>();
  const readAll = (elements: readonly JsonObject[], parent: string | undefined): QuestionnaireItem[] =>
    elements.map((element) => {
      const linkId = stringMember(element, 'linkId') ?? '';
      const item = {
        ...readItem(element, linkId),
        parent,
        items: readAll(objectsMember(element, 'item'), linkId),
      };
      if (!byLinkId.has(linkId)) byLinkId.set(linkId, item);
      return item;
    });
  const items = readAll(objectsMember(resource, 'item'), undefined);
  return {
    url: stringMember(resource, 'url') ?? '',
    items,
    byLinkId,
    contained: objectsMember(resource, 'contained'),
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

function readItem(element: JsonObject, linkId: string): Omit<QuestionnaireItem, 'items' | 'parent'> {
  const options = objectsMember(element, 'answerOption').flatMap(
    (option) => typedMember(option, 'value') ?? [],
  );
  return {
    linkId,
    type: stringMember(element, 'type') ?? '',
    text: stringMember(element, 'text'),
    isRequired: booleanMember(element, 'required') === true,
    repeats: booleanMember(element, 'repeats') === true,
    conditions: objectsMember(element, 'enableWhen').map((condition) => ({
      question: stringMember(condition, 'question') ?? '',
      operator: stringMember(condition, 'operator') ?? '',
      answer: typedMember(condition, 'answer'),
    })),
    isAnyEnough: stringMember(element, 'enableBehavior') === 'any',
    options: options.length === 0 ? undefined : options,
    valueSet: stringMember(element, 'answerValueSet'),
    limits: readLimits(element),
  };
}

const EXTENSION = 'http://hl7.org/fhir/StructureDefinition/';

function readLimits(element: JsonObject): AnswerLimits {
  const extension = (name: string): TypedAnswer | undefined => {
    const found = objectsMember(element, 'extension').find(({ url }) => url === `${EXTENSION}${name}`);
    return found && typedMember(found, 'value');
  };
  const entries: readonly (readonly [keyof AnswerLimits, JsonValue | TypedAnswer | undefined])[] = [
    ['maxLength', element['maxLength']],
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
