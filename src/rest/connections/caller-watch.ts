/** Stops a long request when its caller loses access. */
import { FhirError, fhirError, type Caller, type Core, type Release } from '../../core';

/** Milliseconds between two checks: a request continues for up to this long after access is lost. */
const CHECK_MS = 1_000;

export interface CallerWatch {
  /** Aborted with a FhirError, `unauthorized` or `forbidden`. */
  readonly signal: AbortSignal;
  /** Stops the checks. */
  end(): void;
}

/**
 * Checks every second whether a caller still has the access that it had at the beginning. Its client must be enabled with
 * the same rights, its sign-in valid, the issuer of its token still registered, and the tenant active. A check that fails
 * because of the database is repeated. Cost: a lookup a second; none in open mode.
 */
export function watchCaller(core: Core, tenant: string, release: Release, caller: Caller): CallerWatch {
  const controller = new AbortController();
  const { signal } = controller;
  if (caller.access === undefined) return { signal, end: () => undefined };
  let atFirst: string | undefined;
  const check = async (): Promise<void> => {
    try {
      const space = await core.access.findSpace(tenant, release);
      if (space === undefined) throw fhirError('unauthorized', { reason: 'The tenant is not active' });
      const rights = JSON.stringify((await core.access.renewCaller(space, caller)).access);
      atFirst ??= rights;
      if (rights !== atFirst)
        throw fhirError('forbidden', {
          reason: 'The access of this client has changed: send the request again',
        });
    } catch (error) {
      if (error instanceof FhirError && [401, 403].includes(error.status)) controller.abort(error);
    }
  };
  void check();
  const timer = setInterval(() => void check(), CHECK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer));
  return { signal, end: () => clearInterval(timer) };
}
