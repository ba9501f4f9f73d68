/** GET .well-known/smart-configuration: https://hl7.org/fhir/smart-app-launch/conformance.html#using-well-known. */
import type { FastifyReply } from 'fastify';
import { allowEveryOrigin } from '../connections/cors';
import type { Exchange } from '../exchange';
import { smartConfiguration as describe } from '../oidc/discovery';

export async function smartConfiguration(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, reply, context } = exchange;
  allowEveryOrigin(reply);
  const document = describe(restContext.describe(request, context.space.tenant));
  return exchange.send(200, JSON.stringify(document), 'application/json; charset=utf-8');
}
