import { isUtf8 } from 'node:buffer';
import { fhirError, parseJson, type JsonDocument } from '../../core';
import type { FhirRequest } from './fhir-request';
import { INTERACTIONS, type Interaction } from '../interaction-names';

const HEADER = 'x-provenance';

/** Interactions that change resources. A read may be a patch. */
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

/** Interactions that do not report their changes. */
const REFUSES: readonly Interaction[] = [
  INTERACTIONS.operationSystem,
  INTERACTIONS.operationType,
  INTERACTIONS.operationInstance,
];

/**
 * Returns the Provenance in the header `X-Provenance` (https://hl7.org/fhir/R4/provenance.html#header), which is JSON
 * whatever the body is. Undefined without one, or for an interaction that writes nothing. Throws `notSupported` for
 * operations, and `invalidValue` when it is not JSON.
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
      reason:
        'X-Provenance is allowed with create, update, patch and delete, and with a batch or transaction',
    });
  }
  if (!STORES.includes(interaction)) return undefined;
  // Node decodes the bytes of a header as Latin-1.
  const bytes = Buffer.from(String(header), 'latin1');
  try {
    return parseJson(isUtf8(bytes) ? bytes.toString('utf8') : String(header), { maxDepth });
  } catch {
    throw fhirError('invalidValue', { reason: 'X-Provenance is not the JSON of a Provenance resource' });
  }
}
