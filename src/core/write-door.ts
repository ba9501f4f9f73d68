import type { RequestContext } from './context';
import { fhirError } from './errors';
import { SEARCH_PARAMETER } from './preparation/prepare';
import type { Spaces } from './spaces';
import { isBrokenWrite, isOutdatedWrite } from './storage/database-error';

/** Changes of the search parameters of a tenant that may come between a request and its write. */
const MAX_ATTEMPTS = 10;

/** Runs a write of a resource of the type. */
export type WriteDoor = <Result>(
  context: RequestContext,
  type: string,
  run: (context: RequestContext) => Promise<Result>,
) => Promise<Result>;

/** Who is told of writes. */
export interface WriteListener {
  /** Something of the space may have been written. */
  wrote(space: number): void;
  parametersChanged(tenant: string): void;
}

/**
 * What all writes go through. A write whose index rows were made by search parameters that the tenant has changed since
 * was refused by the database as a whole; it is run again with those of now, as if it had come later. So is one that
 * refers to what was deleted since it looked. Cost: nothing but
 * a call. Throws what `run` throws, unknownTenant, overloaded.
 */
export function createWriteDoor(spaces: Spaces, told: WriteListener): WriteDoor {
  return async (given, type, run) => {
    let context = given;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const result = await run(context);
        told.wrote(context.space.number);
        if (type === SEARCH_PARAMETER) {
          told.parametersChanged(context.space.tenant);
        }
        return result;
      } catch (error) {
        // Run again, it finds out itself which of its references points to nothing.
        if (isBrokenWrite(error)) continue;
        if (!isOutdatedWrite(error)) throw error;
      }
      const space = await spaces.findNewer(context.space);
      if (space === undefined) throw fhirError('unknownTenant');
      context = { ...context, space };
    }
    throw fhirError('overloaded');
  };
}
