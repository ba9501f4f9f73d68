/** POST {fhir_root} with a batch or transaction Bundle: https://hl7.org/fhir/R4/http.html#transaction. */
import type { FastifyReply } from 'fastify';
import { fhirError } from '../../core';

export async function refuseBatch(): Promise<FastifyReply> {
  throw fhirError('notSupported', {
    reason: 'Batch and transaction are not supported yet; nothing was stored',
  });
}
