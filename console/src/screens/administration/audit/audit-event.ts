/** An AuditEvent as a row that people read. */
import { parseRelative } from '../../../../../packages/fhir-values/reference';
import { isObject, objectsOf, textOf, type JsonObject, type JsonValue } from '../../../api/json';
import { formatCoding, formatReference } from '../../../fhir/format';
import { clientOfReference } from '../../../../../packages/fhir-values/server-meta';

export interface AuditAgent {
  readonly text: string;
  /** `Practitioner/example`; undefined: it is no record. */
  readonly reference: string | undefined;
  /** Id of a client; undefined: it is a person. */
  readonly client: string | undefined;
}

export interface AuditRow {
  readonly id: string;
  readonly recorded: string;
  readonly agents: readonly AuditAgent[];
  /** The interaction or kind of event: `read`, `Login`. */
  readonly what: string;
  /** Code of the action: C, R, U, D or E. */
  readonly action: string;
  /** Records that were read or written, with their versions. */
  readonly records: readonly string[];
  readonly patients: readonly string[];
  /** Code of the outcome: 0, 4, 8 or 12. */
  readonly outcome: string;
  readonly description: string;
  readonly addresses: readonly string[];
  /** Requests as addresses below the root of the FHIR data. */
  readonly queries: readonly string[];
  readonly requestIds: readonly string[];
}

/** Roles of entities (http://terminology.hl7.org/CodeSystem/object-role). */
const PATIENT = '1';

const at = (object: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(object) ? object[name] : undefined;
const words = (list: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(list.filter((text) => text !== undefined && text !== ''))] as readonly string[];

export function toAuditRow(event: JsonObject): AuditRow {
  const agents = objectsOf(event['agent']);
  const entities = objectsOf(event['entity']);
  const referencesOf = (isPatient: boolean): readonly string[] =>
    words(
      entities
        .filter((entity) => (textOf(at(entity['role'], 'code')) === PATIENT) === isPatient)
        .map((entity) => toReference(at(entity['what'], 'reference'))),
    );
  const [subtype] = objectsOf(event['subtype']);
  return {
    id: textOf(event['id']) ?? '',
    recorded: textOf(event['recorded']) ?? '',
    agents: agents.map(toAgent).filter(({ text }) => text !== ''),
    what: subtype === undefined ? nameType(event['type']) : formatCoding(subtype),
    action: textOf(event['action']) ?? '',
    records: referencesOf(false),
    patients: referencesOf(true),
    outcome: textOf(event['outcome']) ?? '',
    description: textOf(event['outcomeDesc']) ?? '',
    addresses: words(agents.map((agent) => textOf(at(agent['network'], 'address')))),
    queries: words(entities.map((entity) => decode(textOf(entity['query'])))),
    requestIds: words(
      entities
        .filter((entity) => at(entity['what'], 'reference') === undefined)
        .map((entity) => textOf(at(at(entity['what'], 'identifier'), 'value'))),
    ),
  };
}

function nameType(type: JsonValue | undefined): string {
  return isObject(type) ? formatCoding(type) : '';
}

function toReference(value: JsonValue | undefined): string | undefined {
  const text = textOf(value);
  return text !== undefined && parseRelative(text) !== undefined ? text : undefined;
}

function toAgent(agent: JsonObject): AuditAgent {
  const { who } = agent;
  const named = isObject(who) ? formatReference(who) : '';
  const text = textOf(agent['name']) ?? (named === '' ? (textOf(agent['altId']) ?? '') : named);
  const client = clientOfReference(text);
  return { text: client ?? text, client, reference: toReference(at(who, 'reference')) };
}

/** Base64 of UTF-8, as FHIR has queries, without the escapes of addresses; a text that is none is left as it is. */
function decode(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return unescapeAddress(new TextDecoder().decode(bytes));
  } catch {
    return base64;
  }
}

function unescapeAddress(address: string): string {
  try {
    return decodeURIComponent(address.replaceAll('+', ' '));
  } catch {
    return address;
  }
}
