/**
 * The background work that turns access records into AuditEvents (docs/run/audit.md, decision 13). One transaction
 * deletes a batch of records and writes their AuditEvents, so that a crash neither loses nor duplicates events. Any
 * process does this work for all processes.
 */
import { SERVER_ACTOR } from '../versions/stored-version';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { PollingLoop } from '../concurrency/polling-loop';
import type { Log, Space } from '../context';
import { toStoredText } from '../fhir/resource-text';
import { idOfKey } from '../search/rows/resource-key';
import type { SearchServices } from '../ports';
import type { AccessRecord } from '../storage/audit/access-line';
import {
  hasRecords,
  haveRecords,
  inRecordSessions,
  openRecordSession,
  runIn,
  takeRecords,
  type RecordedSpace,
} from '../storage/audit/access-record-work';
import type { DatabaseOptions } from '../storage/connection/database';
import { isNoDatabaseTrouble } from '../storage/connection/database-error';
import type { OwnerSession } from '../storage/connection/owner-session';
import type { VersionWrite } from '../storage/write/version-write';
import { writeVersions } from '../storage/write/write-statements';
import { toAuditEvent } from './audit-event';
import { AUDIT_EVENT } from '../fhir/type-names';
import { createOwnersCache, patientsOf } from '../authorization/patients';

const RETRY_MS = 5_000;
/** Milliseconds after a round in which records gather. */
const GATHER_MS = 1_000;
/** Records in one transaction. */
const BATCH = 64;
/**
 * Share of the process's time for this work while requests need the process. At full load the work only continues,
 * with at least one batch every 10 s: new records come in a hundred times faster anyway, and an auditor's search
 * writes the events that it needs.
 */
const BUSY_SHARE = 0.02;
const FULL_SHARE = 0.002;
/** Event loop utilization above which the process is busy, or fully loaded. */
const BUSY = 0.25;
const FULL = 0.75;
const LONGEST_PAUSE_MS = 10_000;
/** Length of one measurement of the utilization. */
const SAMPLE_MS = 20;
/** Interval between measurements during a pause. */
const LOOK_ABOUT_MS = 500;
/** Interval between checks whether another process has finished its batch. */
const CATCH_UP_MS = 20;

export interface AuditEventWriterOptions {
  readonly services: SearchServices;
  readonly database: DatabaseOptions;
  readonly log: Log;
}

export class AuditEventWriter {
  readonly #loop: PollingLoop;
  #hurry: (() => void) | undefined;
  readonly #cachedOwners = createOwnersCache();

  constructor(private readonly options: AuditEventWriterOptions) {
    this.#loop = new PollingLoop({
      round: () => this.#round(),
      retryMs: RETRY_MS,
      gatherMs: GATHER_MS,
      log: options.log,
      trouble: 'the creation of AuditEvents was interrupted',
      isReported: isNoDatabaseTrouble,
    });
  }

  /** Starts the search for records in this process. */
  start(): void {
    this.#loop.start();
  }

  /** Starts the work if it is not running. Returns at once. */
  wake(): void {
    this.#loop.wake();
  }

  /**
   * Writes the AuditEvents of all earlier records of these spaces of a tenant, without pauses, for at most `milliseconds`. False:
   * there are more.
   */
  async catchUp(spaces: readonly RecordedSpace[], milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    const { services, database } = this.options;
    if (!(await haveRecords(services.database))) return true;
    const [first] = spaces;
    if (first === undefined) return true;
    const session = await openRecordSession(first.space.number, database);
    try {
      for (const space of spaces) {
        for (;;) {
          const written = await this.#writeBatch(session, space);
          if (written === 0 && !(await hasRecords(session, space.space.number))) break;
          if (performance.now() > end) return false;
          // Another process is writing them.
          if (written === 0) await sleep(CATCH_UP_MS);
        }
      }
      return true;
    } finally {
      await session.close();
    }
  }

  /** Stops after the current batch. */
  async close(): Promise<void> {
    const closing = this.#loop.close();
    this.#hurry?.();
    await closing;
  }

  // Nothing is lost by a failure: the next round finds uncommitted records again.
  async #round(): Promise<undefined> {
    const { services, database } = this.options;
    if (!(await haveRecords(services.database))) return;
    await inRecordSessions(database, async (session, spaces) => {
      for (const space of spaces) await this.#workIn(session, space);
    });
  }

  async #workIn(session: OwnerSession, space: RecordedSpace): Promise<void> {
    while (!this.#loop.isClosed) {
      const started = performance.now();
      if ((await this.#writeBatch(session, space)) === 0) return;
      const took = performance.now() - started;
      await this.#giveWay(took);
    }
  }

  /** Pauses while requests need the process, depending on how long this work took. */
  async #giveWay(took: number): Promise<void> {
    // Measured while this work is idle, so that it does not count as load of requests.
    let utilization = await this.#utilizationOf(SAMPLE_MS);
    const share = utilization > FULL ? FULL_SHARE : BUSY_SHARE;
    const end = performance.now() + Math.min(LONGEST_PAUSE_MS, took / share);
    while (utilization > BUSY && performance.now() < end && !this.#loop.isClosed)
      utilization = await this.#utilizationOf(Math.min(LOOK_ABOUT_MS, end - performance.now()));
  }

  /** Returns the event loop utilization in the next `milliseconds`, during which this work is idle. */
  async #utilizationOf(milliseconds: number): Promise<number> {
    const before = performance.eventLoopUtilization();
    await this.#pause(milliseconds);
    return performance.eventLoopUtilization(before).utilization;
  }

  async #pause(milliseconds: number): Promise<void> {
    const hurry = new AbortController();
    this.#hurry = () => hurry.abort();
    await sleep(milliseconds, undefined, { signal: hurry.signal }).catch(() => undefined);
    this.#hurry = undefined;
  }

  /** Returns how many records became AuditEvents. */
  async #writeBatch(session: OwnerSession, { space, auditSpace }: RecordedSpace): Promise<number> {
    return session.transaction(async () => {
      const records = await takeRecords(session, space.number, BATCH);
      if (records.length === 0) return 0;
      const written: Space = { ...space, number: auditSpace };
      const writes = await Promise.all(records.map((record) => this.#toWrite(space, written, record)));
      // An existing AuditEvent means that the record was written twice, because the result of the first write was
      // unknown.
      await writeVersions(await runIn(session, auditSpace), auditSpace, writes);
      return records.length;
    });
  }

  async #toWrite(from: Space, to: Space, record: AccessRecord): Promise<VersionWrite> {
    const { services } = this.options;
    const id = idOfKey(record.key.high, record.key.low);
    if (id === undefined) throw new Error('a record has an unknown key');
    const patients = await patientsOf(services, this.#cachedOwners, from, record);
    const event = toAuditEvent(record, patients, from.tenant);
    const { text, metaOffset } = toStoredText(event, false, { id, extensionBase: services.extensionBase });
    return {
      type: services.definitions(from.release).typeNumber(AUDIT_EVENT) ?? 0,
      key: record.key,
      id: null,
      expected: 0,
      change: 'create',
      body: text,
      metaOffset,
      author: SERVER_ACTOR,
      rows: services.extract(to, AUDIT_EVENT, event),
    };
  }
}
