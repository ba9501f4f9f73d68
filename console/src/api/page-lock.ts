/** Locks of which each belongs to one page of the browser at a time (Web Locks), however many tabs are open. */

/** A page that is being left gives back its locks within this time. */
const PATIENCE_MS = 1_000;
const locks = new Map<string, Promise<boolean>>();

/** Takes a lock until this page ends; resolves with false where another page has it. */
export function lockForPage(name: string): Promise<boolean> {
  const known = locks.get(name);
  if (known !== undefined) return known;
  const isTaken = new Promise<boolean>((resolve) => {
    const keep = (): Promise<never> => {
      resolve(true);
      return new Promise(() => undefined);
    };
    navigator.locks.request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, keep).catch(() => {
      resolve(false);
    });
  });
  locks.set(name, isTaken);
  return isTaken;
}
