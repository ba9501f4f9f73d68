/** What a form can show of a type or profile: the elements of a StructureDefinition with their children and slices. */
import { isArray, isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../../api/json';
import { isSame } from '../compare/same';
import { choiceTypesOf, sliceOfType } from './form-choice';
import type { FieldType, FormBinding, FormDefinition, FormField, FormPlace, FormSlice } from './form-types';
import { humanize } from '../humanize';
import { choiceName } from '../../../../packages/fhir-values/choice-name';

const TYPE_URL = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
const CHOICE = '[x]';
/** Before the names of types in the urls of their definitions. */
export const BASE = 'http://hl7.org/fhir/StructureDefinition/';

const read = new WeakMap<JsonObject, FormDefinition>();

/** The elements of the snapshot of a StructureDefinition. */
export function readForm(structure: JsonObject): FormDefinition {
  const known = read.get(structure);
  if (known !== undefined) return known;
  const snapshot = isObject(structure['snapshot']) ? structure['snapshot'] : {};
  const all = objectsOf(snapshot['element']);
  const elements = new Map(
    all.map((element) => [textOf(element['id']) ?? textOf(element['path']) ?? '', element]),
  );
  const children = new Map<string, string[]>();
  const slices = new Map<string, string[]>();
  for (const id of elements.keys()) {
    const dot = id.lastIndexOf('.');
    if (dot === -1) continue;
    const colon = id.indexOf(':', dot);
    if (colon === -1) add(children, id.slice(0, dot), id);
    else add(slices, id.slice(0, colon), id);
  }
  const [root = ''] = elements.keys();
  const made = { root, elements, children, slices };
  read.set(structure, made);
  return made;
}

function add(lists: Map<string, string[]>, key: string, id: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [id]);
  else list.push(id);
}

/** What no form shows: what the server or programs write, other resources, and extensions that no profile names. */
const HIDDEN = ['id', 'implicitRules', 'contained'];
const HIDDEN_TYPES = ['Meta', 'Narrative', 'xhtml', 'Resource'];

function isShown({ name, types, most, slices }: FormField): boolean {
  if (most === 0 || types.length === 0 || HIDDEN.includes(name)) return false;
  if (name === 'extension' || name === 'modifierExtension') return slices.length > 0;
  return !types.some(({ code }) => HIDDEN_TYPES.includes(code));
}

/** The fields of a value. Those that are asked for come first; else in the order of the definition. */
export function fieldsOf({ definition, id }: FormPlace): readonly FormField[] {
  const fields = childrenOf(definition, id)
    .map((child) => fieldOf(definition, child))
    .filter(isShown);
  const rank = ({ isRequired, isMustSupport }: FormField): number => (isRequired || isMustSupport ? 0 : 1);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

/** A slice has the children of its element where it does not state its own. */
export function childrenOf({ children }: FormDefinition, id: string): readonly string[] {
  const own = children.get(id) ?? [];
  const colon = id.lastIndexOf(':');
  if (own.length > 0 || colon === -1 || id.indexOf('.', colon) !== -1) return own;
  return children.get(id.slice(0, colon)) ?? [];
}

/** Whether the children of an element stand in the same definition. */
export function hasChildren(definition: FormDefinition, id: string): boolean {
  return childrenOf(definition, id).length > 0;
}

/** The element that has the same children, such as `Questionnaire.item` of `Questionnaire.item.item`. */
export function sameAs(definition: FormDefinition, id: string): string | undefined {
  const content = textOf(definition.elements.get(id)?.['contentReference'])?.replace(/^.*#/, '');
  return content !== undefined && definition.elements.has(content) ? content : undefined;
}

export function fieldOf(definition: FormDefinition, id: string): FormField {
  const element = definition.elements.get(id) ?? {};
  const last = id.slice(id.lastIndexOf('.') + 1).replace(/:.*$/, '');
  const name = last.replace(CHOICE, '');
  const isChoice = last.endsWith(CHOICE);
  const slices = (definition.slices.get(id) ?? []).filter(
    (slice) => definition.elements.get(slice)?.['max'] !== '0',
  );
  const all = typesOf(element, name, isChoice);
  const choice = isChoice ? choiceTypesOf(definition, id, all) : undefined;
  return {
    id,
    name,
    label: textOf(element['label']) ?? humanize(name),
    short: textOf(element['short']) ?? '',
    isRequired: isAtLeastOne(element) || choice?.isRequired === true,
    isMustSupport: element['mustSupport'] === true,
    isSummary: element['isSummary'] === true,
    most: element['max'] === '*' ? Infinity : Number(textOf(element['max']) ?? 1),
    isList: isListIn(element),
    types: choice?.allowed ?? all,
    forbidden: choice?.forbidden ?? [],
    binding: bindingOf(element),
    fixed: startingWith(element, 'fixed'),
    pattern: startingWith(element, 'pattern'),
    slices: name === '' ? [] : slices.map((slice) => sliceOf(definition, slice)),
  };
}

/** Where the values of one type are defined: the slice of a choice (`value[x]:valueQuantity`), where there is one. */
export function placeOfType({ definition, id }: FormPlace, type: FieldType): FormPlace {
  const isChoice = id.slice(id.lastIndexOf('.')).replace(/:.*$/, '').endsWith(CHOICE);
  return { definition, id: (isChoice ? sliceOfType(definition, id, type) : undefined) ?? id };
}

function isAtLeastOne({ min }: JsonObject): boolean {
  return Number(textOf(min) ?? 0) > 0;
}

/** What it is in JSON is what it is in the base definition. */
function isListIn({ base, max }: JsonObject): boolean {
  const whole = isObject(base) ? textOf(base['max']) : undefined;
  return (whole ?? textOf(max)) !== '1';
}

function sliceOf(definition: FormDefinition, id: string): FormSlice {
  const element = definition.elements.get(id) ?? {};
  return {
    id,
    name: textOf(element['sliceName']) ?? id.slice(id.lastIndexOf(':') + 1),
    short: textOf(element['short']) ?? '',
    isRequired: isAtLeastOne(element),
    isMustSupport: element['mustSupport'] === true,
  };
}

function codesIn(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.flatMap((each) => textOf(each) ?? []) : [];
}

function typesOf(element: JsonObject, name: string, isChoice: boolean): readonly FieldType[] {
  const types = objectsOf(element['type']).map((type): FieldType => {
    const named = objectsOf(type['extension']).find(({ url }) => url === TYPE_URL);
    const code = textOf(named?.['valueUrl']) ?? textOf(type['code']) ?? '';
    return {
      code,
      member: isChoice ? choiceName(name, code) : name,
      profiles: codesIn(type['profile']),
      targets: codesIn(type['targetProfile']).map((url) => url.replace(BASE, '').replace(/\|.*$/, '')),
    };
  });
  return types.length > 0 ? types : [{ code: 'BackboneElement', member: name, profiles: [], targets: [] }];
}

function bindingOf({ binding }: JsonObject): FormBinding | undefined {
  if (!isObject(binding)) return undefined;
  const valueSet = textOf(binding['valueSet']);
  return valueSet === undefined ? undefined : { strength: textOf(binding['strength']) ?? '', valueSet };
}

/** The value of a choice member such as `patternCoding`. */
function startingWith(element: JsonObject, start: string): JsonValue | undefined {
  const name = Object.keys(element).find(
    (each) => each.startsWith(start) && /^[A-Z]/.test(each.slice(start.length)),
  );
  return name === undefined ? undefined : element[name];
}

/** Whether a value has all that a pattern states (https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_). */
export function fits(value: JsonValue | undefined, pattern: JsonValue): boolean {
  if (isArray(pattern))
    return isArray(value) && pattern.every((each) => value.some((item) => fits(item, each)));
  if (isObject(pattern))
    return (
      isObject(value) &&
      Object.entries(pattern).every(([name, each]) => each === undefined || fits(value[name], each))
    );
  return isSame(value, pattern);
}

/** What a new value must have by a definition: fixed values and patterns of the element itself and of what it requires. */
export function templateOf(definition: FormDefinition, id: string, depth = 0): JsonValue | undefined {
  const { fixed, pattern } = fieldOf(definition, id);
  const given = fixed ?? pattern;
  if (given !== undefined && !isObject(given)) return given;
  const members: Record<string, JsonValue> = {};
  if (depth < DEEPEST)
    for (const child of childrenOf(definition, id)) {
      const field = fieldOf(definition, child);
      const [type] = field.types;
      const sliced = field.slices
        .filter(({ isRequired }) => isRequired)
        .flatMap((slice) => templateOf(definition, slice.id, depth + 1) ?? []);
      const isGiven = field.fixed !== undefined || (field.pattern !== undefined && !isObject(field.pattern));
      const place = type === undefined ? undefined : placeOfType({ definition, id: child }, type);
      const whole =
        (field.isRequired || isGiven) && place !== undefined
          ? templateOf(definition, place.id, depth + 1)
          : undefined;
      const inner = sliced.length > 0 && field.isList ? sliced : whole;
      if (inner !== undefined && type !== undefined && field.most > 0)
        members[type.member] = field.isList && !isArray(inner) ? [inner] : inner;
    }
  const all = { ...members, ...given };
  return Object.keys(all).length === 0 ? undefined : all;
}

const DEEPEST = 6;
