import type { RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { ExceededParameterError } from '../indexing/exceeded-parameter';
import { SEARCH_PARAMETER } from '../fhir/type-names';
import type { Spaces } from '../tenants/spaces';
import { isBrokenWrite, isOutdatedWrite } from '../storage/connection/database-error';
import { KeyedQueue } from '../concurrency/keyed-queue';

/** Attempts of a write before it fails with `contended`; its time limit is usually over before. */
const MAX_ATTEMPTS = 100;

/** Runs a write of a resource of the type, with retries. */
export type RetryingWriter = <Result>(
  context: RequestContext,
  type: string,
  run: (context: RequestContext) => Promise<Result>,
) => Promise<Result>;

/** Listener for writes. */
export interface WriteListener {
  /** Called after a write of a resource of the type that may have changed the space. */
  wrote(space: number, type: string): void;
  parametersChanged(tenant: string): void;
  /** Marks a search parameter of the space as failed, before the write is retried. */
  parameterExceeded(space: TenantSpace, parameter: number): Promise<void>;
}

/**
 * Retries writes; all writes go through it. The database refuses a write as a whole when its index rows were made with
 * outdated search parameters; the retry uses the current ones. A write is also retried when the target of a reference was
 * deleted since it was checked. When the expression of a search parameter exceeds its cost limit, the parameter is marked
 * as failed and the write retried. Writes of SearchParameters of a tenant take turns, because each makes the others of that
 * moment outdated. Cost: one call. Throws the errors of `run`, unknownTenant, contended, timeout.
 */
export function createRetryingWriter(spaces: Spaces, listener: WriteListener): RetryingWriter {
  const registrations = new KeyedQueue();

  async function attempts<Result>(
    initial: RequestContext,
    type: string,
    run: (context: RequestContext) => Promise<Result>,
  ): Promise<Result> {
    let context = initial;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const result = await run(context);
        listener.wrote(context.space.number, type);
        if (type === SEARCH_PARAMETER) {
          listener.parametersChanged(context.space.tenant);
        }
        return result;
      } catch (error) {
        if (error instanceof ExceededParameterError) {
          requireTime(context);
          await listener.parameterExceeded(context.space, error.number);
          // Does not count as an attempt: each time one parameter less can fail.
          attempt -= 1;
        } else if (isBrokenWrite(error)) {
          // The next attempt reports which reference has no target.
          continue;
        } else if (!isOutdatedWrite(error)) throw error;
      }
      requireTime(context);
      context = withSpace(context, await spaces.findNewer(context.space));
    }
    throw fhirError('contended');
  }

  return (initial, type, run) =>
    type === SEARCH_PARAMETER
      ? registrations.run(initial.space.tenant, async () => {
          requireTime(initial);
          // Those before it have changed the search parameters.
          const { tenant, release } = initial.space;
          return attempts(withSpace(initial, await spaces.find(tenant, release)), type, run);
        })
      : attempts(initial, type, run);
}

/** Throws timeout. */
function requireTime({ deadline }: RequestContext): void {
  if (Date.now() > deadline) throw fhirError('timeout');
}

/** Throws unknownTenant. */
function withSpace(context: RequestContext, space: TenantSpace | undefined): RequestContext {
  if (space === undefined) throw fhirError('unknownTenant');
  const { storesAsPublished } = context.space;
  return {
    ...context,
    space: storesAsPublished === undefined ? space : { ...space, storesAsPublished },
  };
}
