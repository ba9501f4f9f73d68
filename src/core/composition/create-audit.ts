import type { Core } from '../api/core';
import type { Interactions, SingleInteractions } from '../api/interactions';
import type { Log, RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { SearchServices, Services } from '../ports';
import type { RecordedSpace } from '../storage/audit/access-record-work';
import type { Database, DatabaseOptions } from '../storage/connection/database';
import { AccessLog } from '../audit/access-log';
import { routeAuditEvents, type AuditRoutingOptions } from '../audit/authorized-audit';
import { readingContext, type ReadingContext } from '../audit/audit-event-routing';
import { AuditEventWriter } from '../audit/audit-event-writer';
import { BatchedRefusals } from '../audit/batched-refusals';
import { createEntryRecords, NO_ENTRY_RECORDS, type EntryRecords } from '../audit/entry-records';
import { recordRefusals, type Admission, type RecordedAdmission } from '../audit/recorded-refusals';
import { recordAdministration } from '../audit/recorded-administration';
import { recordNotifications, type RecordedNotification } from '../audit/recorded-notifications';
import { recordSignIns, type SignInServices } from '../audit/recorded-sign-ins';
import { recordAccesses, recordBundle, recordTogether } from '../audit/recorded-core';

export interface AuditSettings {
  /** The recorded accesses: all of them, changes and refusals only, or none. */
  readonly records: 'on' | 'writes' | 'off';
  /** True: in open mode, all callers may read AuditEvents. */
  readonly isOpen: boolean;
}

export interface AuditParts {
  readonly services: SearchServices & Pick<Services, 'ids'>;
  readonly database: Database;
  readonly owner: DatabaseOptions;
  readonly log: Log;
  readonly settings: AuditSettings;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

export interface Audit {
  /** Adds audit records to interactions and, where records are on, puts AuditEvents in their own space. */
  record(interactions: SingleInteractions): SingleInteractions;
  /** The same for the interaction `bundle`. */
  recordBundle(run: Interactions['bundle']): Interactions['bundle'];
  readonly recordAsOneAccess: Core['recordAsOneAccess'];
  /** Wraps identification and admission so that refusals are recorded. */
  recordRefusals(keeper: Admission): RecordedAdmission;
  readonly recordAdministration: Core['recordAdministration'];
  /** Wraps the sign-in services so that each sign-in and token is recorded. */
  recordSignIns(signIn: SignInServices): SignInServices;
  /** Records the handshake of a Subscription, and the first of several notifications that do not arrive. */
  recordNotification(context: RequestContext, told: RecordedNotification): Promise<void>;
  readonly entries: EntryRecords;
  /** The context for reads of Bundle entries. */
  readonly toRead: ReadingContext;
  /** False: nothing is recorded, and AuditEvents are ordinary resources. */
  readonly isApart: boolean;
  /** Starts the conversion of records to AuditEvents in this process. */
  start(): void;
  /** Writes the AuditEvents of all earlier records of these spaces. Throws `timeout` after a minute. */
  settle(spaces: readonly RecordedSpace[]): Promise<void>;
  /** Resolves when all records are in the database. */
  close(): Promise<void>;
}

/** Longest wait of a search for the latest AuditEvents. */
const CATCH_UP_MS = 5_000;
const SETTLE_MS = 60_000;

export function createAudit({ services, database, owner, log, settings, findSpace }: AuditParts): Audit {
  const { records, isOpen } = settings;
  const events = new AuditEventWriter({ services, database: owner, log });
  const accesses = new AccessLog(database, log, () => events.wake());
  const routing: AuditRoutingOptions = {
    isOpen,
    async catchUp({ space, deadline }) {
      await accesses.flush();
      const { auditSpace } = space;
      if (auditSpace === undefined) return true;
      const both = [space, { ...space, number: auditSpace }].map((from) => ({ space: from, auditSpace }));
      return events.catchUp(both, Math.min(CATCH_UP_MS, (deadline - Date.now()) / 2));
    },
  };
  const refusals = new BatchedRefusals(accesses, services.ids);
  const tools = { log: accesses, refusals, ids: services.ids, recordsReads: records === 'on' };
  const isApart = records !== 'off';
  return {
    isApart,
    toRead: isApart ? readingContext(isOpen) : (context) => context,
    entries:
      records === 'off' ? NO_ENTRY_RECORDS : createEntryRecords(accesses, services.ids, tools.recordsReads),
    recordAsOneAccess: records === 'off' ? (context, _query, work) => work(context) : recordTogether(tools),
    record: (interactions) =>
      isApart ? recordAccesses(routeAuditEvents(interactions, routing), tools) : interactions,
    recordBundle: (run) => (isApart ? recordBundle(run, tools) : run),
    recordRefusals: (keeper) =>
      records === 'off'
        ? { ...keeper, recordRefusal: () => undefined }
        : recordRefusals(keeper, tools, findSpace, log),
    recordAdministration: records === 'off' ? async () => undefined : recordAdministration(tools, findSpace),
    recordNotification: records === 'off' ? () => Promise.resolve() : recordNotifications(tools),
    recordSignIns: (signIn) => (records === 'off' ? signIn : recordSignIns(signIn, tools, findSpace)),
    async settle(spaces) {
      await accesses.flush();
      if (!(await events.catchUp(spaces, SETTLE_MS))) throw fhirError('timeout');
    },
    start: () => events.start(),
    async close() {
      await refusals.close();
      await accesses.close();
      await events.close();
    },
  };
}
