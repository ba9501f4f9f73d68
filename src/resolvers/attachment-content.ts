/** The content of attachments: data of their own, or a Binary. */
import type { JsonObject } from '../core/index';
import type { AttachmentContent } from '../schema/fhir/handlers';
import type { GatewayContext } from './context';
import { loadLocal } from './loaders';
import { orNothing } from './misses';

const BINARY = 'Binary';
/** Bytes of the largest data in a response. */
const MOST_DATA = 1024 * 1024;

/**
 * Returns the content of an Attachment; undefined if it has no data and names no Binary. Cost: a read, which
 * those of the same turn share.
 */
export async function contentOf(
  attachment: JsonObject,
  context: GatewayContext,
): Promise<AttachmentContent | undefined> {
  const { contentType, data, url } = attachment;
  const named = typeof contentType === 'string' ? { contentType } : {};
  if (typeof data === 'string') return { ...named, ...shown(Buffer.from(data, 'base64')) };
  const { core, request } = context;
  const local = typeof url === 'string' ? core.interactions.localReference(request, url) : undefined;
  const version = local?.type === BINARY ? await orNothing(loadLocal(local, context.loaders)) : undefined;
  if (version === undefined) return undefined;
  const { bytes, size, contentType: stored } = await core.interactions.openBinary(request, version);
  const address = { type: BINARY, id: version.id, versionId: String(version.versionId) };
  return {
    contentType: stored,
    ...(bytes === undefined ? { size } : shown(bytes)),
    address: `${BINARY}/${version.id}/_history/${address.versionId}?_signature=${core.access.signRead(request, address)}`,
  };
}

function shown(bytes: Buffer): Pick<AttachmentContent, 'size' | 'data'> {
  const size = bytes.length;
  return size > MOST_DATA ? { size } : { size, data: () => bytes.toString('base64') };
}
