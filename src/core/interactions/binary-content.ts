/** The content of a Binary that a caller sends or may read. */
import { permissionsOf } from '../authorization/visibility';
import type { BinaryUpload, OpenedBinary } from '../api/binary';
import type { WrittenContent } from '../api/resource-input';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { readBinary } from '../preparation/binary-content';
import type { Services } from '../ports';
import type { StoredVersion } from '../storage/read/stored-version';
import { addressOf } from '../versions/resource-address';

/**
 * Stores a content apart, for a create or update of a resource of the type. Throws forbidden where the caller may do neither,
 * bodyTooLarge, quotaExceeded, contentUnavailable, and the errors of the source. **Cost**: one chunk in memory.
 */
export async function storeContent(
  services: Pick<Services, 'contents' | 'keys' | 'definitions'> & Parameters<typeof permissionsOf>[0],
  context: RequestContext,
  { type, source, limit, least, signal }: BinaryUpload,
): Promise<WrittenContent> {
  permissionsOf(services, context)?.requireOne(type, 'u', 'c');
  return services.contents.write(context.space.number, source, { limit, least, signal });
}

/** Opens the content of a version that the caller has read. Throws forbidden, contentUnavailable. */
export async function openBinary(
  services: Pick<Services, 'contents' | 'keys' | 'definitions' | 'preparer' | 'extensionBase'> &
    Parameters<typeof permissionsOf>[0],
  context: RequestContext,
  { type, id, versionId, text }: StoredVersion,
): Promise<OpenedBinary> {
  permissionsOf(services, context)?.require(type, 'r');
  const outliner = {
    outline: (of: string, limits: Parameters<typeof services.preparer.outline>[0]['limits']) =>
      services.preparer.outline({ text: of, limits }),
  };
  const { contentType, securityContext, bytes, apart } = await readBinary(
    outliner,
    text,
    services.extensionBase,
  );
  if (apart === undefined) return { contentType, securityContext, size: bytes.length, bytes };
  const space = context.space.number;
  const { contents } = services;
  const stored = await contents.findOf(space, {
    ...addressOf(services, context, type, id),
    version: apart.version ?? versionId,
  });
  if (stored === undefined) throw fhirError('contentUnavailable');
  const { size } = stored;
  return {
    ...{ contentType, securityContext, size, address: apart.address },
    read: (range) => contents.read(space, stored, range),
  };
}
