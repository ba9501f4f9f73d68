/**
 * GET {type}/{id} and GET {type}/{id}/_history/{vid}: https://hl7.org/fhir/R4/http.html#read, #vread, #cread.
 * A GET with a JSON array as body is a patch (docs/reference/behaviour.md, Patch).
 */
import type { FastifyReply } from 'fastify';
import { fhirError, isValidId, type StoredVersion } from '../../core';
import { acceptsContent, BINARY, wantsResource } from '../binary';
import { announcesBody, readBody } from '../requests/body';
import type { Exchange } from '../exchange';
import { isUnchanged } from '../requests/precondition';
import { addVary } from '../responses/vary';
import { patchByGet } from './patch';

export async function read(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, type, id } = exchange;
  if (announcesBody(request.headers)) {
    const body = await readUnparsedBody(exchange);
    if (body !== '') return patchByGet(exchange, body);
  }
  return answer(exchange, await restContext.core.interactions.read(context, type, id));
}

export async function vread(exchange: Exchange): Promise<FastifyReply> {
  const { restContext, request, context, type, id } = exchange;
  const version = request.params.vid ?? '';
  if (!isValidId(version)) throw fhirError('versionNotFound', { type, id, version });
  const found = await restContext.core.interactions.vread(context, type, id, version);
  if (exchange.isSigned) exchange.forbidCaching();
  return answer(exchange, found);
}

async function answer(exchange: Exchange, whole: StoredVersion): Promise<FastifyReply> {
  const { restContext, context, query } = exchange;
  const version = restContext.core.interactions.applySummary(context, whole, query.parameters);
  exchange.setVersion(version);
  if (version.type === BINARY) return answerBinary(exchange, whole, version);
  if (isUnchanged(exchange.request.headers, version)) return exchange.sendEmpty(304);
  return exchange.send(200, version.text);
}

/**
 * Sends a Binary as a resource or in its own type, whichever the client accepts
 * (https://hl7.org/fhir/R4/binary.html#rest).
 */
async function answerBinary(
  exchange: Exchange,
  version: StoredVersion,
  part: StoredVersion,
): Promise<FastifyReply> {
  const { restContext, request, context, query } = exchange;
  const content = await restContext.core.interactions.openBinary(context, version);
  // A signed address is for the content; the resource has tags, an author and a security context besides.
  if (exchange.isSigned)
    return isUnchanged(request.headers, version)
      ? exchange.sendEmpty(304)
      : exchange.sendContent({ ...content, securityContext: undefined }, version);
  const { release } = context.space;
  const { accept } = request.headers;
  const { contentType, bytes, size } = content;
  addVary(exchange.reply, 'Accept');
  const isResource = bytes !== undefined && wantsResource(accept, query.format, contentType, release);
  if (bytes === undefined && !acceptsContent(accept, query.format, contentType))
    throw fhirError('contentApart', { size, contentType, address: `${exchange.root}/${content.address}` });
  if (isUnchanged(request.headers, version)) return exchange.sendEmpty(304);
  return isResource ? exchange.send(200, part.text) : exchange.sendContent(content, version);
}

/** Reads the body of a GET, which Fastify does not read. */
function readUnparsedBody({ restContext, request, reply }: Exchange): Promise<string> {
  return new Promise((resolve, reject) => {
    readBody(request.raw, request, restContext.settings.bodyLimits.resource, (error, text) => {
      if (error === null) {
        resolve(text ?? '');
        return;
      }
      // The same as Fastify does for the other methods: more of the body may be on its way.
      reply.header('connection', 'close');
      reject(error);
    });
  });
}
