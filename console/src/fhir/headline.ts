/** What a record is called on the screen. */
import { isObject, objectsOf, textOf, type JsonObject } from '../api/json';
import type { TypeDefinition } from './definitions';
import { formatReference, formatTitle, formatValue } from './format';
import { membersOf, type Member } from './members';

/** Elements that say in which state a record is or to whom it belongs, not what it is. */
const NOT_NAMING = /status|subject|patient|category/i;

/** Whether a member says what the record is. */
function isNaming({ name, element }: Member): boolean {
  if (element !== undefined && (!element.isSummary || element.isModifier)) return false;
  return !NOT_NAMING.test(name);
}

/** Whether the record may say with a reference what others say with a concept, such as the medication. */
function isConceptOrReference({ name, type, element }: Member): boolean {
  if (type !== 'Reference') return false;
  if (element === undefined) return name.endsWith('Reference');
  return element.isChoice && element.types.includes('CodeableConcept');
}

/** The name of the target, as far as the record itself says it. */
function nameOfTarget(reference: JsonObject, record: JsonObject): string {
  const inside = containedIn(record, textOf(reference['reference']) ?? '');
  const name = inside === undefined ? undefined : headlineOf(inside);
  return textOf(reference['display']) ?? name ?? formatReference(reference);
}

/** The resource inside of a record that a reference such as `#med` leads to. */
export function containedIn(record: JsonObject, reference: string): JsonObject | undefined {
  return objectsOf(record['contained']).find(({ id }) => reference === `#${textOf(id) ?? ''}`);
}

function textOfMember(member: Member, record: JsonObject): string {
  const [first] = member.items.map(({ value }) => value);
  if (isConceptOrReference(member)) return isObject(first) ? nameOfTarget(first, record) : '';
  return formatValue(first, member.type);
}

/** The name, title or code of a record, or else its first element that names something; undefined: it has none. */
export function headlineOf(record: JsonObject, definition?: TypeDefinition): string | undefined {
  const address = `${textOf(record['resourceType']) ?? ''}/${textOf(record['id']) ?? ''}`;
  const title = formatTitle(record);
  if (title !== address && title !== textOf(record['resourceType']) && title !== '') return title;
  const document = titleOfDocument(record);
  if (document !== undefined) return document;
  const members = membersOf(record, definition?.elements ?? [], HIDDEN).filter(isNaming);
  const concepts = members.filter(
    (member) => member.type === 'CodeableConcept' || isConceptOrReference(member),
  );
  const codings = members.filter(({ type }) => type === 'Coding');
  return [...concepts, ...codings].map((member) => textOfMember(member, record)).find((text) => text !== '');
}

/** What a document says of itself: its kind is that of many. */
function titleOfDocument(record: JsonObject): string | undefined {
  if (record['resourceType'] !== 'DocumentReference') return undefined;
  const titles = objectsOf(record['content']).map(({ attachment }) =>
    isObject(attachment) ? textOf(attachment['title']) : undefined,
  );
  return textOf(record['description']) ?? titles.find((title) => title !== undefined);
}

/** Birth date and sex, which tell persons of one name apart. */
export function personFacts(record: JsonObject): { readonly born?: string; readonly gender?: string } {
  const [born, gender] = [textOf(record['birthDate']), textOf(record['gender'])];
  return { ...(born === undefined ? {} : { born }), ...(gender === undefined ? {} : { gender }) };
}

const HIDDEN: ReadonlySet<string> = new Set(['meta', 'text', 'contained', 'extension', 'identifier']);
