import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import { createCache } from '../../core';
import type { AnswerCoding } from '../requests/content-coding';
import { chooseCoding } from '../requests/content-coding';
import { parseEntityTags } from './entity-tag';
import type { Exchange } from '../exchange';
import { addVary } from './vary';

const compress: Readonly<Record<AnswerCoding, (plain: Buffer) => Promise<Buffer>>> = {
  gzip: (plain) => promisify(gzip)(plain, { level: 9 }),
  // Three quarters of the size of gzip, in less time; the highest level would take seconds.
  br: (plain) => promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
};

/** Limit on the cached compressed texts, some 2 MB each. */
const MAX_CACHED = 24;
const forms = createCache<string, Promise<Buffer>>({
  name: 'compressed-texts',
  scope: 'data',
  max: MAX_CACHED,
});

/** A long text that many clients request, with a strong hash of it. */
interface PreparedText {
  readonly text: string;
  readonly etag: string;
  /** Distinguishes texts at different addresses that share a hash; undefined: the hash does. */
  readonly key?: string;
}

/**
 * Sends a text that does not depend on the request, from a cache of its bytes in each content coding. Sends 304 when
 * the client has it.
 */
export async function sendPrepared(
  exchange: Exchange,
  { text, etag, key = etag }: PreparedText,
  contentType?: string,
): Promise<FastifyReply> {
  const { request, reply, query } = exchange;
  addVary(reply, 'Accept-Encoding');
  reply.header('etag', `W/"${etag}"`);
  const tags = parseEntityTags(request.headers['if-none-match'] ?? '');
  if (tags !== undefined && (tags === '*' || tags.includes(etag))) return exchange.sendEmpty(304);
  if (query.pretty) return exchange.send(200, text, contentType);
  const coding = chooseCoding(String(request.headers['accept-encoding'] ?? ''));
  if (coding !== undefined) reply.header('content-encoding', coding);
  return exchange.send(200, await formOf(text, key, coding), contentType);
}

function formOf(text: string, key: string, coding: AnswerCoding | undefined): Promise<Buffer> {
  const codedKey = `${coding ?? ''} ${key}`;
  let form = forms.get(codedKey);
  if (form === undefined) {
    const plain = Buffer.from(text);
    form = coding === undefined ? Promise.resolve(plain) : compress[coding](plain);
    forms.set(codedKey, form);
    form.catch(() => forms.delete(codedKey));
  }
  return form;
}
