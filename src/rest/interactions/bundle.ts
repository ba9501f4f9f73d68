/** POST {fhir_root} with a batch or transaction Bundle: https://hl7.org/fhir/R4/http.html#transaction. */
import type { FastifyReply } from 'fastify';
import { writeBundleResponse } from '../responses/bundle-response';
import { encodeInTurns } from '../responses/encode-pieces';
import type { Exchange } from '../exchange';
import { parsePreference } from '../requests/prefer';

export async function runBundle(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, reply, context, root } = exchange;
  const input = restContext.readBundle(request.body, request.headers, context.space.release);
  const { answer, handling } = parsePreference(request.headers.prefer);
  // The number of counted requests is known only now, after success or refusal.
  const result = await restContext.core.interactions
    .bundle(context, { input, handling })
    .finally(() => request.logEntry.setLimitHeaders(reply));
  for (const entry of result.entries)
    if (entry.kind === 'failed') request.logEntry.countError(entry.error.key);
  const pieces = writeBundleResponse(result, root, answer);
  return exchange.forbidCaching().send(200, exchange.query.pretty ? pieces : await encodeInTurns(pieces));
}
