/** Refusals get single records up to a limit, and are then counted (docs/run/audit.md, "Floods of refused requests"). */
import type { IdSource } from '../search/rows/resource-key';
import type { AccessRecord } from '../storage/audit/access-line';
import type { AccessLog } from './access-log';

const WINDOW_MS = 60_000;
/** Single records of one kind per window: for unauthenticated callers, and for authenticated clients. */
const SINGLE_UNAUTHENTICATED = 20;
const SINGLE_AUTHENTICATED = 100;
/** Single records of all unauthenticated callers of one space. */
const SINGLE_OF_SPACE = 300;
/**
 * Distinct kinds of one space, each for authenticated and unauthenticated callers; all further kinds share one count.
 */
const MAX_KINDS = 100;

/** Marks the number of further refusals in the details of a record. */
export const MORE_REFUSED = '~';

interface Kind {
  readonly like: AccessRecord;
  seen: number;
  /** Refusals without a record of their own. */
  counted: number;
}

type Kinds = Map<string, Kind>;

interface Window {
  readonly authenticated: Kinds;
  readonly unauthenticated: Kinds;
  /** Single records of unauthenticated callers. */
  singles: number;
}

/**
 * Limits the audit records of refused requests. Per minute and process it passes at most 20 records of the same address,
 * client and error (100 where the client is authenticated), and 300 of all unauthenticated callers of a space. It counts
 * all others and records the counts at the end of the minute. Memory: 200 kinds for each space that receives requests.
 */
export class BatchedRefusals {
  readonly #windows = new Map<number, Window>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Pick<AccessLog, 'note'>,
    private readonly ids: IdSource,
    private readonly windowMs = WINDOW_MS,
  ) {}

  /** As AccessLog.note. `isAuthenticated`: the client is authenticated. */
  note(space: number, record: AccessRecord, isAuthenticated: boolean): Promise<void> | undefined {
    const window = this.#windowOf(space);
    const kind = kindOf(isAuthenticated ? window.authenticated : window.unauthenticated, record);
    kind.seen++;
    const isSingle = isAuthenticated
      ? kind.seen <= SINGLE_AUTHENTICATED
      : kind.seen <= SINGLE_UNAUTHENTICATED && window.singles < SINGLE_OF_SPACE;
    if (!isSingle) {
      kind.counted++;
      return undefined;
    }
    if (!isAuthenticated) window.singles++;
    return this.log.note(space, record);
  }

  /** Writes the counts. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const windows = [...this.#windows];
    this.#windows.clear();
    for (const [space, { authenticated, unauthenticated }] of windows)
      for (const kind of [...authenticated.values(), ...unauthenticated.values()])
        if (kind.counted > 0) await this.log.note(space, this.#sum(kind));
  }

  #windowOf(space: number): Window {
    let window = this.#windows.get(space);
    if (window === undefined)
      this.#windows.set(
        space,
        (window = { authenticated: new Map(), unauthenticated: new Map(), singles: 0 }),
      );
    // A count that cannot be written now waits in the access log, which reports failures.
    this.#timer ??= setTimeout(() => void this.close().catch(() => undefined), this.windowMs).unref();
    return window;
  }

  #sum({ like, counted }: Kind): AccessRecord {
    return {
      ...like,
      key: this.ids.next(),
      recorded: Date.now(),
      requestId: '',
      query: undefined,
      details: `${MORE_REFUSED}${counted}`,
    };
  }
}

function kindOf(kinds: Kinds, record: AccessRecord): Kind {
  const { interaction, status, reason, client, person, address } = record;
  const name = JSON.stringify([interaction, status, reason, client, person, address]);
  const existing = kinds.get(name);
  if (existing !== undefined) return existing;
  const isFull = kinds.size >= MAX_KINDS;
  const key = isFull ? '' : name;
  let kind = kinds.get(key);
  if (kind === undefined) {
    const like = isFull ? { ...record, client: undefined, person: undefined, address: undefined } : record;
    kinds.set(key, (kind = { like, seen: 0, counted: 0 }));
  }
  return kind;
}
