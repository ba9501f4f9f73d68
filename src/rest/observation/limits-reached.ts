import { ERROR_CATALOGUE, type ErrorKey, type ReachedLimit } from '../../core';

/** Statuses of what a limit, a quota or an overload has refused. */
const STATUSES: readonly number[] = [413, 414, 429, 431, 503, 507];
/** Pairs of tenant and error; beyond them a refusal is counted without its tenant. */
const MOST = 1_000;
const REPORTED = 50;

type Count = { -readonly [Name in keyof ReachedLimit]: ReachedLimit[Name] };

/** Counts what limits have refused since the start of the process, by tenant and error. Cost: a lookup for such a refusal. */
export class LimitsReached {
  readonly #counts = new Map<string, Count>();

  note(code: ErrorKey | 'graphqlRequest', tenant: string | undefined): void {
    if (code === 'graphqlRequest') return;
    const { status } = ERROR_CATALOGUE[code];
    if (!STATUSES.includes(status) && code !== 'tooCostly') return;
    const last = Date.now();
    const of = this.#counts.size < MOST || this.#counts.has(keyOf(code, tenant)) ? tenant : undefined;
    const count = this.#counts.get(keyOf(code, of));
    if (count === undefined)
      this.#counts.set(keyOf(code, of), { tenant: of, error: code, status, count: 1, last });
    else {
      count.count++;
      count.last = last;
    }
  }

  /** Those that were reached last, at most 50. */
  list(): readonly ReachedLimit[] {
    return [...this.#counts.values()].toSorted((one, other) => other.last - one.last).slice(0, REPORTED);
  }
}

function keyOf(code: ErrorKey, tenant: string | undefined): string {
  return `${tenant ?? ''} ${code}`;
}
