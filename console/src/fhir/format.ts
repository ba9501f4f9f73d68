/** Short texts of FHIR values. All functions are pure and return an empty text where there is nothing to say. */
import { isArray, isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../api/json';
import { formatDateTime, isDateText } from './format-date';

/** Short texts have no more characters of a value, and no more values of a list. */
const [LONGEST, MOST_VALUES] = [1_000, 30];

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)} …` : text;
}

function some<Value>(list: readonly Value[]): readonly Value[] {
  return list.length > MOST_VALUES ? list.slice(0, MOST_VALUES) : list;
}

/** The text of an element; '' when it is absent or no simple value. */
function at(object: JsonObject, name: string): string {
  return clip(textOf(object[name]) ?? '');
}

/** The texts of a repeating element of simple values. */
function allAt(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  return isArray(value) ? some(value).map((each) => clip(textOf(each) ?? '')) : [];
}

function child(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function join(parts: readonly string[], separator = ' '): string {
  return parts.filter((part) => part !== '').join(separator);
}

/** The last part of an address: the name of a code system or value set without what all of them begin with. */
export function shortUrl(url: string): string {
  return url.replace(/[/#]+$/, '').replace(/^.*[/#:]/, '') || url;
}

export function formatHumanName(name: JsonObject): string {
  const parts = [...allAt(name, 'prefix'), ...allAt(name, 'given'), at(name, 'family')];
  return at(name, 'text') || join([...parts, ...allAt(name, 'suffix')]);
}

/** Former names come last. */
const USES = ['official', 'usual', '', 'nickname', 'anonymous', 'temp', 'maiden', 'old'];

/** The name that people use for a person or record now. */
export function formatBestName(names: readonly JsonObject[]): string {
  const [best] = some(names)
    .filter((name) => formatHumanName(name) !== '')
    .toSorted((one, other) => USES.indexOf(at(one, 'use')) - USES.indexOf(at(other, 'use')));
  return best === undefined ? '' : formatHumanName(best);
}

export function formatAddress(address: JsonObject): string {
  const town = join([at(address, 'postalCode'), at(address, 'city')]);
  const parts = [...allAt(address, 'line'), town, at(address, 'state'), at(address, 'country')];
  return at(address, 'text') || join(parts, ', ');
}

export function formatContactPoint(contact: JsonObject): string {
  const value = at(contact, 'value');
  const notes = join([at(contact, 'system'), at(contact, 'use')], ', ');
  return value === '' || notes === '' ? value : `${value} (${notes})`;
}

export function formatCoding(coding: JsonObject): string {
  const [code, display, system] = [at(coding, 'code'), at(coding, 'display'), at(coding, 'system')];
  return display || code || system;
}

export function formatCodeableConcept(concept: JsonObject): string {
  const codings = objectsOf(concept['coding']);
  const chosen = codings.find((coding) => coding['userSelected'] === true) ?? codings[0];
  return at(concept, 'text') || (chosen === undefined ? '' : formatCoding(chosen));
}

/** The value with the digits that it was written with, and its unit. */
export function formatQuantity(quantity: JsonObject): string {
  const value = join([at(quantity, 'comparator'), at(quantity, 'value')]);
  return join([value, at(quantity, 'unit') || at(quantity, 'code')]);
}

export function formatRange(range: JsonObject): string {
  const [low, high] = [formatQuantity(child(range, 'low')), formatQuantity(child(range, 'high'))];
  if (low === '') return high === '' ? '' : `≤ ${high}`;
  return high === '' ? `≥ ${low}` : `${low} – ${high}`;
}

export function formatPeriod(period: JsonObject): string {
  const [start, end] = [formatDateTime(at(period, 'start')), formatDateTime(at(period, 'end'))];
  if (start === '') return end === '' ? '' : `… – ${end}`;
  return `${start} – ${end === '' ? '…' : end}`;
}

export function formatRatio(ratio: JsonObject): string {
  return join(
    [formatQuantity(child(ratio, 'numerator')), formatQuantity(child(ratio, 'denominator'))],
    ' / ',
  );
}

export function formatMoney(money: JsonObject): string {
  return join([at(money, 'value'), at(money, 'currency')]);
}

export function formatIdentifier(identifier: JsonObject): string {
  const label = formatCodeableConcept(child(identifier, 'type'));
  const value = at(identifier, 'value') || at(identifier, 'system');
  return join([value, label === '' ? '' : `(${label})`]);
}

export function formatReference(reference: JsonObject): string {
  const identifier = formatIdentifier(child(reference, 'identifier'));
  return at(reference, 'display') || at(reference, 'reference') || identifier || at(reference, 'type');
}

export function formatAnnotation(annotation: JsonObject): string {
  const author = at(annotation, 'authorString') || formatReference(child(annotation, 'authorReference'));
  const source = join([author, formatDateTime(at(annotation, 'time'))], ', ');
  return join([at(annotation, 'text'), source === '' ? '' : `(${source})`]);
}

export function formatAttachment(attachment: JsonObject): string {
  const type = at(attachment, 'contentType');
  const name = at(attachment, 'title') || at(attachment, 'url');
  if (name === '') return type;
  return join([name, type === '' ? '' : `(${type})`]);
}

function formatTiming(timing: JsonObject): string {
  const code = formatCodeableConcept(child(timing, 'code'));
  const repeat = child(timing, 'repeat');
  const frequency = at(repeat, 'frequency');
  const period = join([at(repeat, 'period'), at(repeat, 'periodUnit')]);
  const rate = join([frequency === '' ? '' : `${frequency} ×`, period === '' ? '' : `/ ${period}`]);
  return (
    code ||
    rate ||
    allAt(timing, 'event')
      .map((event) => formatDateTime(event))
      .join(', ')
  );
}

function formatDosage(dosage: JsonObject): string {
  const doses = some(objectsOf(dosage['doseAndRate'])).map((dose) =>
    formatQuantity(child(dose, 'doseQuantity')),
  );
  const route = formatCodeableConcept(child(dosage, 'route'));
  return at(dosage, 'text') || join([...doses, formatTiming(child(dosage, 'timing')), route], ', ');
}

function formatContactDetail(detail: JsonObject): string {
  const contacts = some(objectsOf(detail['telecom'])).map(formatContactPoint);
  return join([at(detail, 'name'), ...contacts], ', ');
}

function formatMeta(meta: JsonObject): string {
  return join([at(meta, 'versionId'), formatDateTime(at(meta, 'lastUpdated'))], ', ');
}

const COMPLEX: ReadonlyMap<string, (value: JsonObject) => string> = new Map([
  ['Address', formatAddress],
  ['Annotation', formatAnnotation],
  ['Attachment', formatAttachment],
  ['CodeableConcept', formatCodeableConcept],
  ['Coding', formatCoding],
  ['ContactDetail', formatContactDetail],
  ['ContactPoint', formatContactPoint],
  ['Dosage', formatDosage],
  ['HumanName', formatHumanName],
  ['Identifier', formatIdentifier],
  ['Meta', formatMeta],
  ['Money', formatMoney],
  ['Period', formatPeriod],
  ...['Age', 'Count', 'Distance', 'Duration', 'MoneyQuantity', 'Quantity', 'SimpleQuantity'].map(
    (type) => [type, formatQuantity] as const,
  ),
  ['Range', formatRange],
  ['Ratio', formatRatio],
  ['Reference', formatReference],
  ['Timing', formatTiming],
]);

const DATES = new Set(['date', 'dateTime', 'instant']);

/** The elements of which one tells the type of an object that has it. The first that fits is taken. */
const MARKS: readonly (readonly [type: string, elements: readonly string[]])[] = [
  ['CodeableConcept', ['coding']],
  ['HumanName', ['family', 'given']],
  ['Reference', ['reference']],
  ['Money', ['currency']],
  ['Ratio', ['numerator', 'denominator']],
  ['Range', ['low', 'high']],
  ['Period', ['start', 'end']],
  ['Address', ['line', 'city', 'postalCode', 'country', 'state']],
  ['Attachment', ['contentType']],
  ['Annotation', ['time', 'authorString', 'authorReference']],
  ['Quantity', ['unit', 'comparator']],
  ['Timing', ['repeat', 'event']],
  ['Dosage', ['timing', 'doseAndRate']],
  ['Meta', ['lastUpdated']],
];

/** The FHIR type that an object of an unknown one looks like; undefined: none that has a short text. */
export function guessType(value: JsonObject): string | undefined {
  const marked = MARKS.find(([, elements]) => elements.some((name) => value[name] !== undefined));
  if (marked !== undefined) return marked[0];
  const system = textOf(value['system']);
  if (value['value'] !== undefined) {
    if (typeof value['value'] !== 'string') return 'Quantity';
    return system !== undefined && !system.includes(':') ? 'ContactPoint' : 'Identifier';
  }
  if (value['code'] !== undefined && (system !== undefined || value['display'] !== undefined))
    return 'Coding';
  if (value['display'] !== undefined || value['identifier'] !== undefined) return 'Reference';
  return value['text'] === undefined ? undefined : 'CodeableConcept';
}

/**
 * The short text of any FHIR value. `type` is that of the definition, if it is known; else it is guessed. Of several names
 * the one in use is shown, of other lists all values. An object that has no short text is an empty text.
 */
export function formatValue(value: JsonValue | undefined, type?: string): string {
  if (value === undefined || value === null) return '';
  if (isArray(value)) {
    const objects = objectsOf(some(value));
    const [first] = objects;
    if (first !== undefined && (type ?? guessType(first)) === 'HumanName') return formatBestName(objects);
    return join(
      [...some(value).map((each) => formatValue(each, type)), value.length > MOST_VALUES ? '…' : ''],
      '; ',
    );
  }
  if (isObject(value)) {
    const format = COMPLEX.get(type ?? '') ?? COMPLEX.get(guessType(value) ?? '');
    return format === undefined ? '' : format(value);
  }
  const text = clip(textOf(value) ?? '');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  const isDate = type === undefined ? isDateText(text) : DATES.has(type);
  return isDate ? formatDateTime(text) : text;
}

/** A title for a record: its name, title or code; `Type/id` where it has none. */
export function formatTitle(resource: JsonObject): string {
  const names = objectsOf(resource['name']);
  const address = join([at(resource, 'resourceType'), at(resource, 'id')], '/');
  return (
    formatBestName(names) ||
    at(resource, 'title') ||
    at(resource, 'name') ||
    formatCodeableConcept(child(resource, 'code')) ||
    address
  );
}
