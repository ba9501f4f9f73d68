import type { Log } from '../../context';
import { LANES, type Lane } from './database';
import type { DatabaseFailure } from './database-error';

/** Milliseconds for which a failure counts if the lane has run nothing since. */
const FAILURE_MS = 10_000;

const MESSAGES: Readonly<Record<DatabaseFailure, string>> = {
  away: 'The database cannot be reached',
  exhausted: 'The database has run out of disk, memory or connections',
  faulty: 'The disk or system of the database reports faults',
  readOnly: 'The database is a standby and takes no changes',
};

interface Failure {
  readonly trouble: DatabaseFailure;
  readonly at: number;
}

/** The health of the database as the lanes' statements show it. Each trouble logs one line at its start and its end. */
export class DatabaseHealth {
  private readonly failures: Partial<Record<Lane, Failure>> = {};
  /** Start times of current troubles. */
  private readonly open = new Map<DatabaseFailure, number>();

  constructor(private readonly log: Log) {}

  /** @param code SQLSTATE or system error code, for the log */
  failed(lane: Lane, trouble: DatabaseFailure, code: string): void {
    const now = performance.now();
    this.failures[lane] = { trouble, at: now };
    if (this.open.has(trouble)) return;
    this.open.set(trouble, now);
    this.log.warn({ trouble, code, lane }, MESSAGES[trouble]);
  }

  /** **Cost**: a field read while the lane is healthy. */
  succeeded(lane: Lane): void {
    if (this.failures[lane] === undefined) return;
    this.failures[lane] = undefined;
    const left = new Set(this.current().map(({ trouble }) => trouble));
    for (const [trouble, began] of this.open) {
      if (left.has(trouble)) continue;
      this.open.delete(trouble);
      const milliseconds = Math.round(performance.now() - began);
      this.log.info({ trouble, milliseconds }, `${MESSAGES[trouble]}: this is over`);
    }
  }

  /** Lanes whose last statement failed in the last ten seconds. */
  current(): readonly { readonly lane: Lane; readonly trouble: DatabaseFailure; readonly message: string }[] {
    const now = performance.now();
    return LANES.flatMap((lane) => {
      const failure = this.failures[lane];
      if (failure === undefined || now - failure.at > FAILURE_MS) return [];
      return [{ lane, trouble: failure.trouble, message: MESSAGES[failure.trouble] }];
    });
  }
}
