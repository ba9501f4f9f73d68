import type { BundleAnswer, BundleType } from '../../api';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { OpenBundle } from '../../preparation/bundle';
import { SEARCH_PARAMETER } from '../../preparation/prepare';
import type { ResourceInput } from '../../preparation/preparer';
import type { Services } from '../../services';
import type { WriteDoor } from '../../write-door';
import { runTransaction } from './transaction';

const BOTH: readonly BundleType[] = ['batch', 'transaction'];

/**
 * A batch or transaction (https://hl7.org/fhir/R4/http.html#transaction). Throws what is wrong with the Bundle, and for
 * a transaction what is wrong with any of its entries.
 */
export async function runBundle(
  services: Services,
  write: WriteDoor,
  given: RequestContext,
  input: ResourceInput,
  types: readonly BundleType[] = BOTH,
): Promise<BundleAnswer> {
  const bundle = await services.preparer.bundle({ space: given.space, input, types });
  try {
    const { type } = bundle.outline;
    if (type === 'batch')
      throw fhirError('notSupported', {
        reason: 'A batch is not supported yet; nothing was stored',
      });
    const entries = await write(given, mainType(bundle), (context) =>
      runTransaction(services, context, bundle),
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
