/**
 * GET metadata: https://hl7.org/fhir/R4/http.html#capabilities. `mode`: full (default), normative, or terminology
 * (TerminologyCapabilities).
 */
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { fhirError, socketUrl, type CapabilityMode } from '../../core';
import { allowEveryOrigin } from '../connections/cors';
import type { Exchange } from '../exchange';
import { oauthUris } from '../oidc/discovery';
import { sendPrepared } from '../responses/prepared-text';

const MODES: readonly CapabilityMode[] = ['full', 'normative', 'terminology'];

export async function capabilities(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, context, query } = exchange;
  const wanted = query.parameters.find(([name, value]) => name === 'mode' && value !== '')?.[1] ?? 'full';
  const mode = MODES.find((each) => each === wanted);
  if (mode === undefined) {
    throw fhirError('invalidValue', { reason: `'${wanted}' is not a mode of metadata: ${MODES.join(', ')}` });
  }
  allowEveryOrigin(exchange.reply);
  const { text, etag } = await restContext.core.interactions.capabilities(context, mode);
  const described = restContext.describe(exchange.request, context.space.tenant);
  const uris = JSON.stringify(oauthUris(described));
  const socket = JSON.stringify({ url: WEBSOCKET, valueUri: socketUrl(exchange.root) });
  // Each tenant has an address of its own, so that its name need not be in the tag.
  const tag = createHash('sha256').update(etag).update(described.base).digest('base64url').slice(0, 22);
  return sendPrepared(exchange, {
    text: withUris(text, { uris, socket }),
    etag: tag,
    key: `${tag} ${described.tenant}`,
  });
}

const SECURITY = '"security":{';

const WEBSOCKET = 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-websocket';

/**
 * Adds the addresses of OAuth to the statement as an extension of its first `security`, that of `rest`, and the address of
 * WebSockets as one of `rest` itself. A text without security (`mode=terminology`) stays as it is. Cost: a search in the
 * first part of the text.
 */
function withUris(
  text: string,
  { uris, socket }: { readonly uris: string; readonly socket: string },
): string {
  const at = text.indexOf(SECURITY);
  if (at === -1) return text;
  const end = at + SECURITY.length;
  return `${text.slice(0, at)}"extension":[${socket}],${SECURITY}"extension":[${uris}],${text.slice(end)}`;
}
