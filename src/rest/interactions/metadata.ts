/**
 * GET metadata: https://hl7.org/fhir/R4/http.html#capabilities. The statement does not depend on the request, so its
 * bytes and their compressed form are kept, and a client that has them is answered 304.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { fhirError, type Capabilities } from '../../core';
import { parseEntityTags } from '../entity-tag';
import type { Exchange } from '../exchange';

const compress = promisify(gzip);

interface Statement {
  readonly plain: Buffer;
  readonly gzip: Buffer;
}

/** Both releases before and after a change of definitions, with room to spare. */
const KEPT_STATEMENTS = 8;
const statements = new Map<string, Promise<Statement>>();

export async function capabilities(exchange: Exchange): Promise<FastifyReply> {
  const { edge, request, reply, context, query } = exchange;
  if (query.parameters.some(([name, value]) => name === 'mode' && value === 'terminology')) {
    throw fhirError('notSupported', {
      reason: 'TerminologyCapabilities are not supported; leave out mode=terminology',
    });
  }
  const capabilities = await edge.core.capabilities(context);
  const vary = reply.getHeader('vary');
  reply
    .header('etag', `W/"${capabilities.etag}"`)
    .header('vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
  const tags = parseEntityTags(request.headers['if-none-match'] ?? '');
  if (tags !== undefined && (tags === '*' || tags.includes(capabilities.etag)))
    return exchange.sendEmpty(304);
  if (query.pretty) return exchange.send(200, capabilities.text);
  const statement = await prepare(capabilities);
  if (!acceptsGzip(request.headers['accept-encoding'])) return exchange.send(200, statement.plain);
  reply.header('content-encoding', 'gzip');
  return exchange.send(200, statement.gzip);
}

function prepare({ text, etag }: Capabilities): Promise<Statement> {
  let statement = statements.get(etag);
  if (statement === undefined) {
    const plain = Buffer.from(text);
    statement = compress(plain, { level: 9 }).then((compressed) => ({ plain, gzip: compressed }));
    if (statements.size >= KEPT_STATEMENTS) statements.clear();
    statements.set(etag, statement);
  }
  return statement;
}

/** Whether `gzip` or `*` is listed with a quality above zero (RFC 9110, section 12.5.3). */
function acceptsGzip(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  let any = false;
  for (const element of String(header).split(',')) {
    const [coding = '', ...parameters] = element
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
    const refused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip') return !refused;
    if (coding === '*') any = !refused;
  }
  return any;
}
