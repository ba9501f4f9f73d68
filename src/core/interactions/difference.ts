import { shownText } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { toFullText } from '../fhir/resource-text';
import type { WriteServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import { addressOf } from './resource-address';
import { readVersion } from './vread';

/** The same on both sides, so that what the server says of a version is no difference. */
const SERVER_META = { versionId: 0, lastUpdated: 0, sequence: 0, author: '' };

/**
 * The JSON Patch, as JSON text, that makes one version of a resource of another: of its content, not of what the server says
 * of the version (`meta.versionId`, `lastUpdated`, version-sequence, author). Its paths are those of the resource as a read
 * gives it, so that it can be sent as a patch. Decimals are compared, and kept, to the last digit.
 * Throws what `vread` throws. Cost: two gathered reads; linear in both texts, in the thread for long bodies if they are long.
 */
export async function difference(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    id,
    from,
    to,
  }: { readonly type: string; readonly id: string; readonly from: string; readonly to: string },
): Promise<string> {
  const address = addressOf(services, context, type, id);
  const textOf = ({ body, metaOffset }: VersionRow): string => {
    return shownText(services, context, toFullText(body, metaOffset, SERVER_META, services.extensionBase));
  };
  const [before, after] = await Promise.all(
    [from, to].map((versionId) => readVersion(services, context, { type, address, id, versionId })),
  );
  if (before === undefined || after === undefined) throw new Error('two versions were read');
  return services.preparer.difference({ from: textOf(before), to: textOf(after) });
}
