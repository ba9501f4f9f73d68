/** Whoever has asked for something long may be told meanwhile that he may not any more. */
import { FhirError, fhirError, type Caller, type Core, type Release } from '../core';

/** What is begun goes on for so long after that. */
const LOOK_MS = 1_000;

export interface CallerWatch {
  /** Aborted with a FhirError, `unauthorized` or `forbidden`. */
  readonly signal: AbortSignal;
  /** To be called when there is nothing left to be stopped. */
  end(): void;
}

/**
 * Looks every second whether a caller may still do what he might at the beginning: his client was not disabled and has all its
 * rights, what he has signed in by stands, the issuer of his token is still one of the tenant, and the tenant is there. Where the
 * database cannot say so, it is looked at again. Cost: a look-up a second; nothing in open mode.
 */
export function watchCaller(core: Core, tenant: string, release: Release, caller: Caller): CallerWatch {
  const controller = new AbortController();
  const { signal } = controller;
  if (caller.access === undefined) return { signal, end: () => undefined };
  let atFirst: string | undefined;
  const look = async (): Promise<void> => {
    try {
      const space = await core.findSpace(tenant, release);
      if (space === undefined)
        throw fhirError('unauthorized', { reason: 'The tenant takes no requests now' });
      const rights = JSON.stringify((await core.renewCaller(space, caller)).access);
      atFirst ??= rights;
      if (rights !== atFirst)
        throw fhirError('forbidden', { reason: 'What this client may do was changed meanwhile: ask again' });
    } catch (error) {
      if (error instanceof FhirError && [401, 403].includes(error.status)) controller.abort(error);
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer));
  return { signal, end: () => clearInterval(timer) };
}
