/**
 * PATCH {type}/{id} with a JSON Patch or a FHIRPath Patch (https://hl7.org/fhir/R4/http.html#patch), and GET {type}/{id}
 * with a JSON Patch as body (docs/reference/behaviour.md, Patch).
 */
import type { FastifyReply } from 'fastify';
import { fhirError, type ResourceInput } from '../../core';
import { hasContentType, PATCH_TYPES } from '../requests/body';
import type { Exchange } from '../exchange';
import { INTERACTIONS } from '../interaction-names';
import { readGuard, readGuardOfMatch } from '../requests/precondition';
import { sendWritten } from '../responses/written';

export async function patch(exchange: Exchange): Promise<FastifyReply> {
  return apply(exchange, readPatch(exchange));
}

/** Executes PATCH {type}?… on the one match of the criteria. */
export async function patchWhere(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, type, query } = exchange;
  const guard = readGuardOfMatch(request);
  const operations = readPatch(exchange);
  const result = await restContext.core.interactions.patchWhere(context, {
    type,
    criteria: query.parameters,
    patch: operations,
    guard,
  });
  return sendWritten(exchange, result, 'patched');
}

/**
 * Executes a patch in the body of a GET. `body` is not empty. Throws `invalidValue` for anything but a JSON array in a
 * JSON content type.
 */
export async function patchByGet(exchange: Exchange, body: string): Promise<FastifyReply> {
  const { restContext, request, context } = exchange;
  if (!restContext.settings.patchByGet || request.method !== 'GET') {
    throw fhirError('invalidValue', { reason: 'A GET may not have a body; send a JSON Patch with PATCH' });
  }
  if (
    !hasContentType(request.headers, PATCH_TYPES, context.space.release) ||
    !body.trimStart().startsWith('[')
  ) {
    throw fhirError('invalidValue', {
      reason: 'A GET with a body is a patch only if the body is a JSON array with a JSON content type',
    });
  }
  request.logEntry.interaction = INTERACTIONS.patch;
  return apply(exchange, restContext.read(body, request.headers, PATCH_TYPES, context.space.release));
}

async function apply(exchange: Exchange, operations: ResourceInput): Promise<FastifyReply> {
  const { restContext, request, context, type, id } = exchange;
  const guard = await readGuard(restContext.core, context, request, { type, id });
  const result = await restContext.core.interactions.patch(context, { type, id, patch: operations, guard });
  return sendWritten(exchange, result, 'patched');
}

function readPatch({ restContext, request, context }: Exchange): ResourceInput {
  return restContext.read(request.body, request.headers, PATCH_TYPES, context.space.release);
}
