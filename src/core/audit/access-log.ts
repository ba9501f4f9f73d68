import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../context';
import { fhirError } from '../errors';
import type { AccessRecord } from '../storage/audit/access-line';
import { insertRows } from '../storage/audit/access-records';
import type { Database } from '../storage/connection/database';
import { BatchedLines, type BatchedRow } from '../storage/audit/access-lines';

/** Limit on records that are not yet in the database; beyond it, new records wait. */
const MAX_WAITING = 10_000;
/** The same limit for the total length of their texts. */
const MAX_WAITING_CHARACTERS = 32_000_000;
/** Limits of one statement. */
const MAX_TOGETHER = 1_000;
const MAX_CHARACTERS_TOGETHER = 1_000_000;
/** A crash of the process loses the records of about this time. */
const FLUSH_MS = 100;
/** Delay before a retry after the database has refused records. */
const RETRY_MS = 500;
/** Retries when the process ends. */
const LAST_TRIES = 10;

/**
 * Records of accesses without changes, written to the database in batches in the background. The statement of a
 * change writes the record of that change (storage/write/write-statements.ts).
 */
export class AccessLog {
  /** Waiting records by space. */
  #waiting = new Map<number, BatchedLines>();
  /** True: the log already reports the failure. */
  #isFailing = false;
  /** Rows that the database has refused; they are written first. */
  #refused = new Map<number, readonly BatchedRow[]>();
  #count = 0;
  #characters = 0;
  #flushing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #forRoom: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  constructor(
    private readonly database: Pick<Database, 'run'>,
    private readonly log: Log,
    /** Called after records were written. */
    private readonly written: () => void,
  ) {}

  /**
   * Queues a record. Undefined: it will be written in the background. Otherwise the queue is full, and the access
   * must not be answered before the promise is fulfilled. The promise is rejected with `storageUnavailable` where the
   * database accepts no records.
   */
  note(space: number, record: AccessRecord): Promise<void> | undefined {
    if (this.#isFull()) return this.#whenThereIsRoom(space, record);
    this.#add(space, record);
    return undefined;
  }

  /** Resolves when all earlier records are in the database. Throws `storageUnavailable`. */
  async flush(): Promise<void> {
    await this.#flushing;
    if (this.#count > 0) await this.#flushNow();
  }

  /** Writes all waiting records; logs how many the database does not accept. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (let tries = 0; this.#count > 0 || this.#flushing !== undefined; tries++) {
      try {
        await this.flush();
      } catch (error) {
        if (tries >= LAST_TRIES) {
          this.log.error(
            { records: this.#count },
            'accesses could not be recorded: the database is not available',
          );
          return;
        }
        if (error instanceof Error) await sleep(RETRY_MS);
      }
    }
  }

  #add(space: number, record: AccessRecord): void {
    let lines = this.#waiting.get(space);
    if (lines === undefined) this.#waiting.set(space, (lines = new BatchedLines()));
    this.#characters += lines.add(record);
    this.#count++;
    if (this.#flushing !== undefined || this.#isClosed) return;
    if (this.#count >= MAX_TOGETHER || this.#characters >= MAX_CHARACTERS_TOGETHER) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), FLUSH_MS);
  }

  async #whenThereIsRoom(space: number, record: AccessRecord): Promise<void> {
    this.#start();
    await new Promise<void>((resolve, reject) => this.#forRoom.push({ resolve, reject }));
    await this.note(space, record);
  }

  #start(): void {
    if (this.#flushing !== undefined) return;
    this.#flushNow().catch(() => {
      if (!this.#isFailing)
        this.log.warn(
          { records: this.#count },
          'access records are queued: the database does not accept them',
        );
      this.#isFailing = true;
      if (!this.#isClosed) this.#timer ??= setTimeout(() => this.#start(), RETRY_MS);
    });
  }

  #flushNow(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
      if (this.#count >= MAX_TOGETHER) this.#start();
      else if (this.#count > 0 && !this.#isClosed) this.#timer ??= setTimeout(() => this.#start(), FLUSH_MS);
    });
    return this.#flushing;
  }

  /** Writes all records queued so far, and keeps those that fail for the next attempt. */
  async #write(): Promise<void> {
    const taken = this.#refused;
    for (const [space, lines] of this.#waiting)
      taken.set(space, [...(taken.get(space) ?? NO_ROWS), ...lines.rows()]);
    this.#waiting = new Map();
    this.#refused = new Map();
    try {
      for (const [space, rows] of taken) {
        for (let rest = rows; rest.length > 0;) {
          const some = rest.slice(0, howMany(rest));
          await insertRows(
            (statement, bound) => this.database.run({ lane: 'write', space }, statement, bound),
            space,
            some,
          );
          rest = rest.slice(some.length);
          taken.set(space, rest);
          for (const { records, bytes } of some) {
            this.#count -= records;
            // Without the separators between the lines.
            this.#characters -= bytes.length - records + 1;
          }
          this.#makeRoom();
        }
        taken.delete(space);
      }
      this.#isFailing = false;
      this.written();
    } catch {
      this.#refused = taken;
      const error = fhirError('storageUnavailable');
      for (const { reject } of this.#forRoom.splice(0)) reject(error);
      throw error;
    }
  }

  #isFull(): boolean {
    return this.#count >= MAX_WAITING || this.#characters >= MAX_WAITING_CHARACTERS;
  }

  #makeRoom(): void {
    if (this.#isFull()) return;
    for (const { resolve } of this.#forRoom.splice(0, MAX_WAITING - this.#count)) resolve();
  }
}

const NO_ROWS: readonly BatchedRow[] = [];

/** Returns how many of the rows fit into one statement; at least one. */
function howMany(rows: readonly BatchedRow[]): number {
  let all = 0;
  let characters = 0;
  const end = rows.findIndex(({ records, bytes }) => {
    all += records;
    characters += bytes.length;
    return all > MAX_TOGETHER || characters > MAX_CHARACTERS_TOGETHER;
  });
  return end === -1 ? rows.length : Math.max(1, end);
}
