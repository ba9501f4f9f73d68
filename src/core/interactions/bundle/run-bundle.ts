import type { ReadingContext } from '../../audit/audit-event-routing';
import type { EntryRecords } from '../../audit/entry-records';
import { permissionsOf } from '../../authorization/visibility';
import type { BundleType } from '../../api/core';
import type { BundleAnswer, BundleRequest } from '../../api/bundle';
import type { Invocation, InvocationResult } from '../../api/operation';
import type { SingleWrites } from '../../api/interactions';
import type { RequestContext } from '../../context';
import type { OpenBundle } from '../../preparation/bundle';
import { SEARCH_PARAMETER } from '../../preparation/prepare';
import type { Services } from '../../ports';
import type { RetryingWriter } from '../../concurrency/retrying-writer';
import { runBatch } from './batch';
import { runTransaction } from './transaction';

/** What Bundles are run with. */
export interface BundleTools {
  readonly services: Services;
  readonly write: RetryingWriter;
  /** What each entry of a batch is done by. */
  readonly single: SingleWrites;
  /** What is kept of who asked for what. */
  readonly records: EntryRecords;
  readonly toRead: ReadingContext;
  /** Whether AuditEvents are in a space of their own. */
  readonly isAuditApart: boolean;
  /** Counts so many requests more than the one that the Bundle came with. */
  charge(context: RequestContext, requests: number): void;
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
  /** Runs an operation by other services: those that read within a transaction. */
  invokeWithin(
    services: Services,
    context: RequestContext,
    invocation: Invocation,
  ): Promise<InvocationResult>;
}

const BOTH: readonly BundleType[] = ['batch', 'transaction'];

/**
 * A batch or transaction (https://hl7.org/fhir/R4/http.html#transaction). Throws what is wrong with the Bundle, and for
 * a transaction what is wrong with any of its entries.
 */
export async function runBundle(
  { services, write, single, records, toRead, isAuditApart, charge, invoke, invokeWithin }: BundleTools,
  given: RequestContext,
  { input, types = BOTH, handling, isDryRun = false, isSingleWrite = false }: BundleRequest,
): Promise<BundleAnswer> {
  permissionsOf(services, given)?.requireAnything();
  const taken = isDryRun ? types.filter((type) => type === 'transaction') : types;
  const bundle = await services.preparer.bundle({ space: given.space, input, types: taken });
  try {
    const { type } = bundle.outline;
    charge(given, bundle.outline.entries.length - 1);
    const entries =
      type === 'batch'
        ? await runBatch(
            single,
            records,
            { services, context: given, handling, toRead, invoke },
            bundle.outline,
          )
        : await write(given, mainType(bundle), (context) =>
            runTransaction(
              {
                services,
                context,
                handling,
                isDryRun,
                isSingleWrite,
                records,
                toRead,
                isAuditApart,
                invoke: invokeWithin,
              },
              bundle,
            ),
          );
    return { type, entries };
  } finally {
    bundle.close();
  }
}

/** The type whose writes have consequences, if the transaction has one of it. */
function mainType({ outline }: OpenBundle): string {
  const isWritten = outline.entries.some((entry) => {
    if ('refusal' in entry) return false;
    const { request } = entry;
    return (
      (request.kind === 'create' && request.type === SEARCH_PARAMETER) ||
      ('target' in request && request.target.type === SEARCH_PARAMETER)
    );
  });
  return isWritten ? SEARCH_PARAMETER : '';
}
