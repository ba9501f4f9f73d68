/** Converts an access record to an AuditEvent, for both releases (docs/run/audit.md). Pure. */
import { ANONYMOUS } from '../context';
import type { JsonObject } from '../fhir/json';
import { formatInstant } from '../fhir/resource-text';
import { SERVER_TAG } from '../preparation/audit-event-tag';
import type { AccessRecord } from '../storage/audit/access-line';
import { MORE_REFUSED } from './batched-refusals';
import { ID } from '../fhir/resource';
import { clientReference } from '../../../packages/fhir-values/server-meta';

const CODE_SYSTEM = 'http://terminology.hl7.org/CodeSystem';
const DICOM = 'http://dicom.nema.org/resources/ontology/DCM';

/** By restful-interaction (https://hl7.org/fhir/R4/valueset-audit-event-action.html); all others are `E` (execute). */
const ACTIONS: ReadonlyMap<string, string> = new Map([
  ['create', 'C'],
  ['read', 'R'],
  ['vread', 'R'],
  ['history-instance', 'R'],
  ['history-type', 'R'],
  ['history-system', 'R'],
  ['update', 'U'],
  ['patch', 'U'],
  ['delete', 'D'],
]);

const coding = (system: string, code: string, display: string): JsonObject => ({ system, code, display });
const systemObject = coding(`${CODE_SYSTEM}/audit-entity-type`, '2', 'System Object');
const role = (code: string, display: string): JsonObject =>
  coding(`${CODE_SYSTEM}/object-role`, code, display);

/**
 * @param patients ids of the patients whose data was accessed
 * @param tenant name of the tenant
 */
export function toAuditEvent(record: AccessRecord, patients: Iterable<string>, tenant: string): JsonObject {
  const { interaction, recorded, status, reason } = record;
  return {
    resourceType: 'AuditEvent',
    meta: { tag: [SERVER_TAG] },
    ...kindOf(interaction),
    action: ACTIONS.get(interaction) ?? 'E',
    recorded: formatInstant(recorded),
    outcome: outcomeOf(status),
    ...(status < 400
      ? {}
      : { outcomeDesc: reason === undefined ? `HTTP ${status}` : `HTTP ${status}: ${reason}` }),
    agent: agentsOf(record),
    source: {
      site: tenant,
      observer: { display: 'Andiron' },
      type: [coding(`${CODE_SYSTEM}/security-source-type`, '4', 'Application Server')],
    },
    entity: entitiesOf(record, patients),
  };
}

/** DICOM codes of sign-ins (https://hl7.org/fhir/R4/valueset-audit-event-type.html and -sub-type.html). */
const SIGN_INS: ReadonlyMap<string, JsonObject> = new Map([
  ['login', coding(DICOM, '110122', 'Login')],
  ['logout', coding(DICOM, '110123', 'Logout')],
]);

function kindOf(interaction: string): JsonObject {
  const signIn = SIGN_INS.get(interaction);
  if (signIn !== undefined)
    return { type: coding(DICOM, '110114', 'User Authentication'), subtype: [signIn] };
  const type = coding(`${CODE_SYSTEM}/audit-event-type`, 'rest', 'RESTful Operation');
  if (interaction === 'none') return { type };
  return { type, subtype: [coding('http://hl7.org/fhir/restful-interaction', interaction, interaction)] };
}

/** Success, minor failure, serious failure (https://hl7.org/fhir/R4/valueset-audit-event-outcome.html). */
function outcomeOf(status: number): string {
  if (status < 400) return '0';
  return status < 500 ? '4' : '8';
}

function agentsOf({ client = ANONYMOUS, person, address }: AccessRecord): JsonObject[] {
  const program: JsonObject = {
    type: { coding: [coding(DICOM, '110153', 'Source Role ID')] },
    who: { identifier: { value: client }, display: clientReference(client) },
    altId: client,
    requestor: person === undefined,
    ...(address === undefined ? {} : { network: { address, type: '2' } }),
  };
  if (person === undefined) return [program];
  const human: JsonObject = {
    type: { coding: [coding(`${CODE_SYSTEM}/v3-ParticipationType`, 'IRCP', 'information recipient')] },
    who: person.includes('/') ? { reference: person } : { identifier: { value: person } },
    requestor: true,
  };
  return [program, human];
}

function entitiesOf(record: AccessRecord, patients: Iterable<string>): JsonObject[] {
  const { type, id, version, query, details, requestId } = record;
  const entities: JsonObject[] = [];
  for (const patient of patients)
    entities.push({
      what: { reference: `Patient/${patient}` },
      type: coding(`${CODE_SYSTEM}/audit-entity-type`, '1', 'Person'),
      role: role('1', 'Patient'),
    });
  if (type !== undefined && id !== undefined)
    entities.push(dataEntity(`${type}/${id}${version === undefined ? '' : `/_history/${version}`}`));
  if (query !== undefined) entities.push(queryEntity(query));
  entities.push(...(details ?? '').split(' ').flatMap(detailEntity));
  if (requestId !== '')
    entities.push({
      what: { identifier: { value: requestId } },
      type: systemObject,
      role: role('21', 'Job Stream'),
      description: 'Id of the request (X-Request-Id)',
    });
  return entities;
}

function dataEntity(reference: string): JsonObject {
  return { what: { reference }, type: systemObject, role: role('4', 'Domain Resource') };
}

/** The query as base64Binary, which the element requires. */
function queryEntity(query: string): JsonObject {
  return { type: systemObject, role: role('24', 'Query'), query: Buffer.from(query).toString('base64') };
}

const REFERENCE = new RegExp(`^[A-Za-z]+/${ID}(/_history/\\d+)?$`);

function detailEntity(line: string): JsonObject[] {
  if (line === '') return [];
  if (REFERENCE.test(line)) return [dataEntity(line)];
  if (line.startsWith(MORE_REFUSED))
    return [{ type: systemObject, name: `${line.slice(1)} more were refused like this within a minute` }];
  if (!line.startsWith('+')) return [queryEntity(line)];
  return [{ type: systemObject, role: role('4', 'Domain Resource'), name: `${line.slice(1)} more` }];
}
