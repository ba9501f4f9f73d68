import type { ResourceInput } from '../../core';
import { BINARY, isBinaryResource, isContentOfBinary, writeBinary } from '../binary';
import { hasContentType, RESOURCE_TYPES, toText } from './body';
import type { Exchange } from '../exchange';

/**
 * Returns the resource of a create or update. A body sent to Binary that is not a Binary resource is the content of
 * one, including JSON (https://hl7.org/fhir/R4/binary.html#rest). Throws the errors of `RestContext.read`.
 */
export async function readResource(exchange: Exchange): Promise<ResourceInput> {
  const { restContext, request, context, type, id } = exchange;
  const { body, headers } = request;
  const { release } = context.space;
  const asWritten = (): ResourceInput => restContext.read(body, headers, RESOURCE_TYPES, release);
  if (type !== BINARY || body === undefined) return asWritten();
  const isContent = isContentOfBinary(request);
  if (!isContent) {
    const isJson = hasContentType(headers, RESOURCE_TYPES, release) && body !== '';
    if (!isJson || (await isBinaryResource(restContext.core, toText(body), restContext.settings.maxDepth)))
      return asWritten();
  }
  const base64 = isContent ? toText(body) : Buffer.from(toText(body)).toString('base64');
  const text = writeBinary(base64, id === '' ? undefined : id, headers);
  return restContext.parse(text);
}
