import type { CoreAccess } from '../api/core';
import type { Log, RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { SearchServices, Services } from '../ports';
import type { RecordedSpace } from '../storage/audit/access-record-work';
import type { Database, DatabaseOptions } from '../storage/connection/database';
import { AccessLog } from '../audit/access-log';
import { readingContext, type ReadingContext } from '../audit/audit-event-routing';
import { AuditEventWriter } from '../audit/audit-event-writer';
import { BatchedRefusals } from '../audit/batched-refusals';
import { createEntryRecords, NO_ENTRY_RECORDS, type EntryRecords } from '../audit/entry-records';
import { recordRefusals, type Admission, type RecordedAdmission } from '../audit/recorded-refusals';
import { recordAdministration } from '../audit/recorded-administration';
import { recordNotifications, type RecordedNotification } from '../audit/recorded-notifications';
import { recordSignIns, type SignInServices } from '../audit/recorded-sign-ins';
import { recordAsOne } from '../audit/record-as-one';
import type { AuditSettings } from './core-options';
import type { AccessRecording } from './create-interactions';

export interface AuditParts {
  readonly services: SearchServices & Pick<Services, 'ids'>;
  readonly database: Database;
  readonly owner: DatabaseOptions;
  readonly log: Log;
  readonly settings: AuditSettings;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

export interface Audit {
  /** Undefined: nothing is recorded, and AuditEvents are ordinary resources. */
  readonly recording: AccessRecording | undefined;
  readonly recordAsOneAccess: CoreAccess['recordAsOneAccess'];
  /** Wraps identification and admission so that refusals are recorded. */
  recordRefusals(keeper: Admission): RecordedAdmission;
  readonly recordAdministration: CoreAccess['recordAdministration'];
  /** Wraps the sign-in services so that each sign-in and token is recorded. */
  recordSignIns(signIn: SignInServices): SignInServices;
  /** Records the handshake of a Subscription, and the first of several notifications that do not arrive. */
  recordNotification(context: RequestContext, notification: RecordedNotification): Promise<void>;
  readonly entries: EntryRecords;
  /** The context for reads of Bundle entries. */
  readonly toRead: ReadingContext;
  /** False: nothing is recorded, and AuditEvents are ordinary resources. */
  readonly isApart: boolean;
  /** Starts the conversion of records to AuditEvents in this process. */
  start(): void;
  /** Converts records that another process may have left. Returns at once. */
  wake(): void;
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
  async function catchUp({ space, deadline }: RequestContext): Promise<boolean> {
    await accesses.flush();
    const { auditSpace } = space;
    if (auditSpace === undefined) return true;
    const both = [space, { ...space, number: auditSpace }].map((from) => ({ space: from, auditSpace }));
    return events.catchUp(both, Math.min(CATCH_UP_MS, (deadline - Date.now()) / 2));
  }
  const refusals = new BatchedRefusals(accesses, services.ids);
  const tools = { log: accesses, refusals, ids: services.ids, recordsReads: records === 'on' };
  const isApart = records !== 'off';
  return {
    isApart,
    toRead: isApart ? readingContext(isOpen) : (context) => context,
    entries:
      records === 'off' ? NO_ENTRY_RECORDS : createEntryRecords(accesses, services.ids, tools.recordsReads),
    recordAsOneAccess: records === 'off' ? (context, _query, work) => work(context) : recordAsOne(tools),
    recording: isApart ? { tools, router: { toRead: readingContext(isOpen), catchUp } } : undefined,
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
    wake: () => events.wake(),
    async close() {
      await refusals.close();
      await accesses.close();
      await events.close();
    },
  };
}
