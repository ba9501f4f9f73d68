/** Audit records of requests that were refused before they reached an interaction. */
import type { CoreAccess } from '../api/core';
import type { Caller, RefusedRequest } from '../api/access';
import { ANONYMOUS, type Log, type TenantSpace } from '../context';
import { FhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { Credentials } from '../api/credentials';
import { isDecoy } from '../tenants/decoy';
import { endingOf } from './describe';
import type { BatchedRefusals } from './batched-refusals';
import type { RecordingTools } from './recorder';
import { isSettled, settle, toRecord, type RecordedCaller, type Ending } from './recording';

export type Admission = Pick<CoreAccess, 'identify' | 'admit'>;
export type RecordedAdmission = Admission & Pick<CoreAccess, 'recordRefusal'>;

export interface RefusalTools extends RecordingTools {
  readonly refusals: BatchedRefusals;
}

/**
 * Records failed identification, rate limit refusals and other early refusals where the tenant exists. Cost for all
 * other requests: a call.
 */
export function recordRefusals(
  { identify, admit }: Admission,
  { refusals, ids, recordsReads }: RefusalTools,
  findSpace: (tenant: string, release: Release) => Promise<TenantSpace | undefined>,
  log: Log,
): RecordedAdmission {
  async function note(
    space: Pick<TenantSpace, 'number'>,
    {
      asking,
      requestLine,
      ending,
      isAuthenticated,
    }: {
      readonly asking: RecordedCaller;
      readonly requestLine: string | undefined;
      readonly ending: Ending;
      readonly isAuthenticated: boolean;
    },
  ): Promise<void> {
    if (isDecoy(space)) return;
    const query = requestLine?.replace(ABOVE_ROOT, '');
    await refusals.note(
      space.number,
      toRecord(ids, asking, { interaction: NONE, query }, ending),
      isAuthenticated,
    );
  }

  /** Identifies the caller of a request that was refused for another reason; anonymous if that fails. */
  async function callerOf({ caller, ...credentials }: RefusedRequest, space: TenantSpace): Promise<Caller> {
    if (caller !== undefined) return caller;
    try {
      return await identify({ ...credentials, space });
    } catch (error) {
      if (error instanceof FhirError) return { actor: ANONYMOUS };
      throw error;
    }
  }

  /** True: the log already reports the failure; reset by the next successful record. */
  let isFailing = false;

  async function recordRefusal(refused: RefusedRequest, error: FhirError): Promise<void> {
    const { tenant, release, address, requestId, requestLine } = refused;
    try {
      const space = await findSpace(tenant, release);
      if (space === undefined) return;
      const caller = await callerOf(refused, space);
      const isAuthenticated = caller.access !== undefined;
      await note(space, {
        asking: { ...caller, address, requestId },
        requestLine,
        ending: endingOf(error),
        isAuthenticated,
      });
      isFailing = false;
    } catch (thrown) {
      if (isFailing) return;
      isFailing = true;
      const reason = thrown instanceof FhirError ? thrown.key : 'internal';
      log.warn({ requestId, reason }, 'a refusal could not be recorded');
    }
  }

  async function refused(credentials: Credentials, error: unknown): Promise<never> {
    const { space, address, requestId = '', requestLine } = credentials;
    settle(error);
    if (space !== undefined && error instanceof FhirError) {
      const asking = { actor: ANONYMOUS, address, requestId };
      await note(space, { asking, requestLine, ending: endingOf(error), isAuthenticated: false });
    }
    throw error;
  }

  return {
    identify(credentials) {
      try {
        const caller = identify(credentials);
        return caller instanceof Promise
          ? caller.catch((error: unknown) => refused(credentials, error))
          : caller;
      } catch (error) {
        return refused(credentials, error);
      }
    },
    admit(context) {
      const admission = admit(context);
      return admission?.then(async (decided) => {
        if (!decided.isAdmitted)
          await note(context.space, {
            asking: context,
            requestLine: undefined,
            ending: TOO_MANY,
            isAuthenticated: context.access !== undefined,
          });
        return decided;
      });
    },
    recordRefusal(refused, error) {
      const isRecorded = isSettled(error) || error.status === TOO_MANY.status;
      const isOfWho = error.status === 401 || error.status === 403;
      return isRecorded || !(recordsReads || isOfWho || refused.mayChange)
        ? undefined
        : recordRefusal(refused, error);
    },
  };
}

/** The part of an address above the tenant's FHIR or GraphQL root. */
const ABOVE_ROOT = /^\/w\/[^/]*\/api\/v1\/(fhir|graphql)\/[^/?]*\/?/;
/** The request reached no interaction. */
const NONE = 'none';
const TOO_MANY: Ending = { status: 429, reason: 'tooManyRequests' };
