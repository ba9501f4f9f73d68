import type { ReadingContext } from '../../audit/audit-event-routing';
import type { EntryRecords } from '../../audit/entry-records';
import { permissionsOf } from '../../authorization/visibility';
import type { BundleType } from '../../api/core';
import type { BundleAnswer, BundleRequest } from '../../api/bundle';
import type { Invocation, InvocationResult } from '../../api/operation';
import type { SingleWrites } from '../../api/interactions';
import type { RequestContext } from '../../context';
import type { OpenBundle } from '../../preparation/bundle';
import { SEARCH_PARAMETER, SUBSCRIPTION } from '../../fhir/type-names';
import type { Services } from '../../ports';
import type { RetryingWriter } from '../retrying-writer';
import { runBatch } from './batch';
import { runTransaction } from './transaction';

/** Dependencies of Bundles. */
export interface BundleTools {
  readonly services: Services;
  readonly write: RetryingWriter;
  /** Performs the writes of a batch. */
  readonly single: SingleWrites;
  /** Audit records of the entries. */
  readonly records: EntryRecords;
  readonly toRead: ReadingContext;
  /** True if AuditEvents are in a space of their own. */
  readonly isAuditApart: boolean;
  /** Counts this many requests in addition to that of the Bundle. */
  charge(context: RequestContext, requests: number): void;
  invoke(context: RequestContext, invocation: Invocation): Promise<InvocationResult>;
  /** Runs an operation with services that read within a transaction. */
  invokeWithin(
    services: Services,
    context: RequestContext,
    invocation: Invocation,
  ): Promise<InvocationResult>;
}

const BOTH: readonly BundleType[] = ['batch', 'transaction'];

/**
 * Runs a batch or transaction (https://hl7.org/fhir/R4/http.html#transaction). Throws the errors of the Bundle, and for
 * a transaction those of any of its entries.
 */
export async function runBundle(
  { services, write, single, records, toRead, isAuditApart, charge, invoke, invokeWithin }: BundleTools,
  given: RequestContext,
  { input, types = BOTH, handling, isDryRun = false, isSingleWrite = false, importParts }: BundleRequest,
): Promise<BundleAnswer> {
  permissionsOf(services, given)?.requireAnything();
  const taken = isDryRun ? types.filter((type) => type === 'transaction') : types;
  const bundle = await services.preparer.bundle({ space: given.space, input, types: taken });
  try {
    const { type } = bundle.outline;
    if (importParts === undefined) charge(given, bundle.outline.entries.length - 1);
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
                importParts,
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

/** The resource type for `RetryingWriter`: SearchParameter or Subscription if the Bundle writes one, else none. */
function mainType({ outline }: OpenBundle): string {
  const isWritten = (type: string): boolean =>
    outline.entries.some((entry) => {
      if ('refusal' in entry) return false;
      const { request } = entry;
      return (
        (request.kind === 'create' && request.type === type) ||
        ('target' in request && request.target.type === type)
      );
    });
  return [SEARCH_PARAMETER, SUBSCRIPTION].find(isWritten) ?? '';
}
