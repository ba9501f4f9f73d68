/**
 * The background work that makes AuditEvents of what is recorded (docs/audit.md, decision 13). A batch of records is taken
 * away and its AuditEvents written in one transaction, so that each becomes one event whatever dies in between; any
 * process does it, for all.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, Space } from '../context';
import { toStoredText } from '../fhir/resource-text';
import { idOfKey } from '../search/resource-key';
import type { SearchServices } from '../ports';
import type { AccessRecord } from '../storage/audit/access-line';
import {
  hasRecords,
  haveRecords,
  openRecordSession,
  readRecordedSpaces,
  runIn,
  takeRecords,
  type RecordedSpace,
} from '../storage/audit/access-record-work';
import type { DatabaseOptions } from '../storage/connection/database';
import { isDatabaseTrouble } from '../storage/connection/database-error';
import type { OwnerSession } from '../storage/connection/owner-session';
import type { VersionWrite } from '../storage/write/version-write';
import { writeVersions } from '../storage/write/write-statements';
import { toAuditEvent } from './audit-event';
import { AUDIT_EVENT } from './audit-space';
import { createKnownOwners, patientsOf } from '../authorization/patients';

/** Between two looks for what other processes have left. */
const LOOK_MS = 5_000;
/** Of one transaction. */
const BATCH = 64;
/**
 * While requests have work for the process, this work has at most so much of the time. Where they need all of it, it has only as
 * much as shows that it goes on, a batch in 10 s at the least: what comes in meanwhile is a hundred times more anyway, and an
 * auditor's search has made what it needs.
 */
const BUSY_SHARE = 0.02;
const FULL_SHARE = 0.002;
/** Of the time of the process: more than this, and it is busy, or has none to spare. */
const BUSY = 0.25;
const FULL = 0.75;
const LONGEST_PAUSE_MS = 10_000;
/** In which it is seen how busy the process is. */
const SAMPLE_MS = 20;
/** In a pause, after which it is seen whether the process is still busy. */
const LOOK_ABOUT_MS = 500;
/** Between two looks whether another process has done what it is at. */
const CATCH_UP_MS = 20;

export interface AuditEventWriterOptions {
  readonly services: SearchServices;
  readonly database: DatabaseOptions;
  readonly log: Log;
}

export class AuditEventWriter {
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #isWanted = false;
  #isStarted = false;
  #isClosed = false;
  #hurry: (() => void) | undefined;
  readonly #knownOwners = createKnownOwners();

  constructor(private readonly options: AuditEventWriterOptions) {}

  /** From now on this process looks for work. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** There is work, or there may be. Returns at once. */
  wake(): void {
    if (!this.#isStarted || this.#isClosed) return;
    this.#isWanted = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isClosed) return;
      this.#timer = setTimeout(() => this.wake(), this.#isWanted ? 1_000 : LOOK_MS).unref();
    });
  }

  /**
   * Makes AuditEvents of all that was recorded in these spaces before, without pausing, for so many milliseconds at most.
   * False: there are more.
   */
  async catchUp(spaces: readonly RecordedSpace[], milliseconds: number): Promise<boolean> {
    const end = performance.now() + milliseconds;
    const { services, database } = this.options;
    if (!(await haveRecords(services.database))) return true;
    const session = await openRecordSession(database);
    try {
      for (const space of spaces) {
        for (;;) {
          const written = await this.#writeBatch(session, space);
          if (written === 0 && !(await hasRecords(session, space.space.number))) break;
          if (performance.now() > end) return false;
          // Another process is at them.
          if (written === 0) await sleep(CATCH_UP_MS);
        }
      }
      return true;
    } finally {
      await session.close();
    }
  }

  /** What is under way stops after its batch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#hurry?.();
    await this.#working;
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isWanted = false;
    const { services, database, log } = this.options;
    let session: OwnerSession | undefined;
    try {
      if (!(await haveRecords(services.database))) return;
      session = await openRecordSession(database);
      for (const space of await readRecordedSpaces(session)) await this.#workIn(session, space);
    } catch (error) {
      // Nothing is lost: what was not committed is found again, after what others have.
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isClosed && !isDatabaseTrouble(error))
        log.warn({ reason }, 'the making of AuditEvents was interrupted');
    } finally {
      await session?.close();
    }
  }

  async #workIn(session: OwnerSession, space: RecordedSpace): Promise<void> {
    while (!this.#isClosed) {
      const started = performance.now();
      if ((await this.#writeBatch(session, space)) === 0) return;
      const took = performance.now() - started;
      await this.#giveWay(took);
    }
  }

  /** Pauses as long as requests need the process, by how long this work took. */
  async #giveWay(took: number): Promise<void> {
    // Of a moment without this work, which would else take itself for that of requests.
    let utilization = await this.#utilizationOf(SAMPLE_MS);
    const share = utilization > FULL ? FULL_SHARE : BUSY_SHARE;
    const end = performance.now() + Math.min(LONGEST_PAUSE_MS, took / share);
    while (utilization > BUSY && performance.now() < end && !this.#isClosed)
      utilization = await this.#utilizationOf(Math.min(LOOK_ABOUT_MS, end - performance.now()));
  }

  /** Of the time of the process in the next so many milliseconds, in which it does not work. */
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

  /** How many records became AuditEvents. */
  async #writeBatch(session: OwnerSession, { space, auditSpace }: RecordedSpace): Promise<number> {
    return session.transaction(async () => {
      const records = await takeRecords(session, space.number, BATCH);
      if (records.length === 0) return 0;
      const written: Space = { ...space, number: auditSpace };
      const writes = await Promise.all(records.map((record) => this.#toWrite(space, written, record)));
      // One that is there already was recorded twice, because nobody knew whether it had been.
      await writeVersions(await runIn(session, auditSpace), auditSpace, writes);
      return records.length;
    });
  }

  async #toWrite(from: Space, to: Space, record: AccessRecord): Promise<VersionWrite> {
    const { services } = this.options;
    const id = idOfKey(record.key.high, record.key.low);
    if (id === undefined) throw new Error('a record has a key that is none of ours');
    const patients = await patientsOf(services, this.#knownOwners, from, record);
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
      author: SERVER,
      rows: services.extract(to, AUDIT_EVENT, event),
    };
  }
}

/** The author of what the server itself records. */
const SERVER = 'andiron';
