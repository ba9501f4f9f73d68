/** Things of which only one page of the browser may make use at a time. */

/** A page that is being left gives back what it has claimed within this time. */
const PATIENCE_MS = 1_000;
const claims = new Map<string, Promise<boolean>>();

/** Claims what `name` stands for until this page ends; resolves with false where another page has it. */
export function claim(name: string): Promise<boolean> {
  const known = claims.get(name);
  if (known !== undefined) return known;
  const claimed = new Promise<boolean>((resolve) => {
    const keep = (): Promise<never> => {
      resolve(true);
      return new Promise(() => undefined);
    };
    navigator.locks.request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, keep).catch(() => {
      resolve(false);
    });
  });
  claims.set(name, claimed);
  return claimed;
}
