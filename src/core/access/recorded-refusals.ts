/** Requests that were refused before they came to an interaction, recorded as all accesses. */
import type { Core } from '../api';
import { FhirError } from '../errors';
import { ANONYMOUS_ACTOR, toRecord, type Asking, type Ending } from './recording';
import { endingOf } from './describe';
import type { RecordingTools } from './recorded-core';

type Doorkeeper = Pick<Core, 'identify' | 'admit'>;

/** Who is not let in, or comes too often, leaves a record where the tenant is known. Cost of all others: a call. */
export function recordRefusals(
  { identify, admit }: Doorkeeper,
  { log, ids }: Omit<RecordingTools, 'recordsReads'>,
): Doorkeeper {
  const note = (space: number, asking: Asking, query: string | undefined, ending: Ending): Promise<void> =>
    Promise.resolve(log.note(space, toRecord(ids, asking, { interaction: NONE, query }, ending)));
  return {
    identify(credentials) {
      const refused = async (error: unknown): Promise<never> => {
        const { space, address, requestId = '' } = credentials;
        const asked = credentials.asked?.replace(ABOVE_ROOT, '');
        if (space !== undefined && error instanceof FhirError)
          await note(space.number, { actor: ANONYMOUS_ACTOR, address, requestId }, asked, endingOf(error));
        throw error;
      };
      try {
        const caller = identify(credentials);
        return caller instanceof Promise ? caller.catch(refused) : caller;
      } catch (error) {
        return refused(error);
      }
    },
    admit(context) {
      const admission = admit(context);
      return admission?.then(async (decided) => {
        if (!decided.isAdmitted) await note(context.space.number, context, undefined, TOO_MANY);
        return decided;
      });
    },
  };
}

/** Of an address, what a tenant's own begin with. */
const ABOVE_ROOT = /^\/w\/[^/]*\/api\/v1\/(fhir|graphql)\/[^/?]*\/?/;
/** It came to no interaction. */
const NONE = 'none';
const TOO_MANY: Ending = { status: 429, reason: 'tooManyRequests' };
