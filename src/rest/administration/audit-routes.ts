/** The addresses of the audit trail of a tenant (routes.ts), with their schemas. */
import { Type } from '@sinclair/typebox';
import { TRAIL_KINDS, TRAIL_OUTCOMES } from '../../core';
import type { Routes } from './route';
import {
  count,
  flag,
  instant,
  listOf,
  object,
  oneOf,
  optional,
  RELEASE_OF_QUERY,
  text,
  texts,
} from './schema-kinds';

const TENANT = '/tenants/{tenant}';
const CLOSED = { additionalProperties: false };
export const CSV = 'text/csv';
const FORBIDDEN = {
  404: 'The tenant does not exist',
  403: 'AUDIT_OPEN is off, and the request has no credentials',
};

const FILTERS = {
  release: RELEASE_OF_QUERY,
  who: text('Id or name of a client, id or name of an account, or a reference to a person: Practitioner/1'),
  action: oneOf(['C', 'R', 'U', 'D', 'E'], 'Created, read, updated, deleted; or executed, such as a search'),
  what: text('A resource that was accessed, or whose data it was: Patient/1'),
  since: text('From this date or instant on'),
  until: text('Before this date or instant'),
  outcome: oneOf(TRAIL_OUTCOMES),
  request: text('Id of a request (X-Request-Id)'),
  kind: oneOf(TRAIL_KINDS),
};
const AGENT = object({
  id: text('Of a person a reference or the id of the account'),
  ...optional({ name: text() }),
});
const EVENT = object({
  id: text('Of the AuditEvent'),
  recorded: instant(),
  action: text('C, R, U, D or E'),
  interaction: text('Such as read, search-type or Login'),
  outcome: oneOf(TRAIL_OUTCOMES),
  patients: texts('References to the patients whose data it was'),
  resources: texts('References to versions that were read or written'),
  more: count('Further patients and resources; the AuditEvent has up to 100 of each'),
  isOfServer: flag('False: a client has recorded the event itself'),
  times: count('Alike events, of which this is the latest'),
  ...optional({
    first: instant('The first of several alike events'),
    reason: text('Why it was not a success'),
    client: AGENT,
    person: AGENT,
    address: text('Network address'),
    query: text('The request below {fhir_root}, its first 1,000 characters'),
    request: text('Id of the request (X-Request-Id)'),
  }),
});
export const AuditPage = object(
  {
    events: listOf(EVENT, 'The newest first'),
    notes: texts('Warnings, such as that the latest events are not there yet'),
    ...optional({ next: text('There are older events: the value of page for the next request') }),
  },
  { $id: 'AuditPage' },
);

export const AUDIT_ROUTES = {
  listAudit: {
    address: `GET ${TENANT}/audit`, tag: 'Audit', who: 'administrators',
    summary: 'List the audit trail of a tenant, the newest events first; alike ones are one row',
    query: Type.Partial(
      Type.Object({ ...FILTERS, each: flag('Each event is a row'), page: text('The next of an earlier answer') }),
      CLOSED,
    ),
    answers: { 200: { description: 'The events', schema: AuditPage } },
    errors: FORBIDDEN,
  },
  exportAudit: {
    address: `GET ${TENANT}/audit.csv`, tag: 'Audit', who: 'administrators',
    summary: 'Export the audit trail of a tenant as CSV, each event a line, the newest first',
    query: Type.Partial(Type.Object(FILTERS, CLOSED)),
    answers: { 200: { description: 'The lines; without the last line break it is not complete', type: CSV } },
    errors: FORBIDDEN,
  },
} satisfies Routes; // prettier-ignore
