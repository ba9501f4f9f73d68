import { FhirError } from '../errors';

/** Longest pause before the second attempt, each later one twice as long as the one before, and the longest of all. */
const [FIRST_MS, LONGEST_MS] = [100, 30_000];
const MAX_REPEATS = 10;

/** True for an error that says nothing about the item: the server had too much to do, or a time limit was over. */
export function isBusy(error: unknown): error is FhirError {
  return error instanceof FhirError && error.status === 503;
}

/**
 * Runs `work`, which must be safe to repeat, and repeats it up to ten times, with growing pauses of at most a minute and a half in all,
 * while `isUnfinished` says so of its result or its error. Returns the last result, or throws the last error, also when
 * `signal` is aborted.
 */
export async function repeatWhile<Result>(
  work: () => Promise<Result>,
  isUnfinished: (outcome: { readonly result: Result } | { readonly error: unknown }) => boolean,
  signal?: AbortSignal,
): Promise<Result> {
  for (let repeats = 0; ; repeats++) {
    const outcome = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    if (repeats < MAX_REPEATS && isUnfinished(outcome)) {
      // By chance up to twice as fast: items that were refused together are not repeated together.
      const share = 1 - Math.random() / 2;
      await pause(share * Math.min(FIRST_MS * 2 ** repeats, LONGEST_MS), signal);
      if (signal?.aborted !== true) continue;
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }
}

/** Runs `work`, which must be safe to repeat, and repeats it as `repeatWhile` while the server is busy. */
export function whileBusy<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  return repeatWhile(work, (outcome) => 'error' in outcome && isBusy(outcome.error), signal);
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
