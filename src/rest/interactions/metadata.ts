/**
 * GET metadata: https://hl7.org/fhir/R4/http.html#capabilities. `mode`: full (default), normative, or terminology
 * (TerminologyCapabilities).
 */
import type { FastifyReply } from 'fastify';
import { fhirError, type CapabilityMode } from '../../core';
import type { Exchange } from '../exchange';
import { sendPrepared } from '../prepared-text';

const MODES: readonly CapabilityMode[] = ['full', 'normative', 'terminology'];

export async function capabilities(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, context, query } = exchange;
  const wanted = query.parameters.find(([name, value]) => name === 'mode' && value !== '')?.[1] ?? 'full';
  const mode = MODES.find((each) => each === wanted);
  if (mode === undefined) {
    throw fhirError('invalidValue', { reason: `'${wanted}' is not a mode of metadata: ${MODES.join(', ')}` });
  }
  return sendPrepared(exchange, await restContext.core.capabilities(context, mode));
}
