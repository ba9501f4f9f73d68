import { FhirError } from '../errors';

const MAX_REPEATS = 10;

/** Pauses in milliseconds: the longest before the second attempt, of which each later one is the double, and the longest of all. */
export interface RetryPauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** At most a minute and a half in all. */
const PAUSES: RetryPauses = { firstMs: 100, longestMs: 30_000 };

export interface RepeatOptions {
  /** Work is not repeated once it is aborted. */
  readonly signal?: AbortSignal | undefined;
  readonly pauses?: RetryPauses | undefined;
}

/** True for an error that says nothing about the item: the server had too much to do, or a time limit was over. */
export function isBusy(error: unknown): error is FhirError {
  return error instanceof FhirError && error.status === 503;
}

/**
 * Runs `work`, which must be safe to repeat, and repeats it up to ten times, with growing pauses, while `isUnfinished` says so of
 * its result or its error. Returns the last result, or throws the last error, also when `signal` is aborted.
 */
export async function repeatWhile<Result>(
  work: () => Promise<Result>,
  isUnfinished: (outcome: { readonly result: Result } | { readonly error: unknown }) => boolean,
  { signal, pauses: { firstMs, longestMs } = PAUSES }: RepeatOptions = {},
): Promise<Result> {
  for (let repeats = 0; ; repeats++) {
    const outcome = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (repeats < MAX_REPEATS && isUnfinished(outcome)) {
      // By chance up to twice as fast: items that were refused together are not repeated together.
      const share = 1 - Math.random() / 2;
      await pause(share * Math.min(firstMs * 2 ** repeats, longestMs), signal);
      if (signal?.aborted !== true) continue;
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }
}

/** Runs `work`, which must be safe to repeat, and repeats it as `repeatWhile` while the server is busy. */
export function whileBusy<Result>(work: () => Promise<Result>, repeats?: RepeatOptions): Promise<Result> {
  return repeatWhile(work, (outcome) => 'error' in outcome && isBusy(outcome.error), repeats);
}

/** Ends early when `signal` is aborted. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end);
  });
}
