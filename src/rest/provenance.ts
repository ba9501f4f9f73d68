import { isUtf8 } from 'node:buffer';
import { fhirError, parseJson, type JsonDocument } from '../core';
import type { FhirRequest } from './fhir-request';
import { INTERACTIONS, type Interaction } from './interaction-names';

const HEADER = 'x-provenance';

/** What changes resources. A read may turn out to be a patch. */
const STORES: readonly Interaction[] = [
  INTERACTIONS.create,
  INTERACTIONS.update,
  INTERACTIONS.patch,
  INTERACTIONS.delete,
  INTERACTIONS.conditionalUpdate,
  INTERACTIONS.conditionalPatch,
  INTERACTIONS.conditionalDelete,
  INTERACTIONS.read,
  INTERACTIONS.bundle,
];

/** What does not say what it changes. */
const REFUSES: readonly Interaction[] = [
  INTERACTIONS.operationSystem,
  INTERACTIONS.operationType,
  INTERACTIONS.operationInstance,
];

/**
 * The Provenance in the header `X-Provenance` (https://hl7.org/fhir/R4/provenance.html#header), which is JSON whatever
 * the body is; undefined without one, or where nothing is written. Throws `notSupported` where a change could not
 * carry it, `invalidValue` where it is no JSON.
 */
export function readProvenance(
  { headers }: FhirRequest,
  interaction: Interaction,
  maxDepth: number,
): JsonDocument | undefined {
  const header = headers[HEADER];
  if (header === undefined) return undefined;
  if (REFUSES.includes(interaction)) {
    throw fhirError('notSupported', {
      reason: 'X-Provenance goes with a create, update, patch or delete, and with a batch or transaction',
    });
  }
  if (!STORES.includes(interaction)) return undefined;
  // Node takes the bytes of a header for Latin-1.
  const bytes = Buffer.from(String(header), 'latin1');
  try {
    return parseJson(isUtf8(bytes) ? bytes.toString('utf8') : String(header), { maxDepth });
  } catch {
    throw fhirError('invalidValue', { reason: 'X-Provenance is not the JSON of a Provenance resource' });
  }
}
