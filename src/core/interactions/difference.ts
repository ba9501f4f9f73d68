import { shownText } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { toFullText } from '../fhir/resource-text';
import type { WriteServices } from '../ports';
import type { VersionRow } from '../storage/read/version-row';
import { addressOf } from '../versions/resource-address';
import { readVersion } from '../versions/vread';

/** Equal for both versions, so that the server's metadata makes no difference. */
const SERVER_META = { versionId: 0, lastUpdated: 0, sequence: 0, author: '' };

/**
 * The JSON Patch, as JSON text, that turns one version of a resource into another. It covers the content and not
 * the server's metadata of a version (`meta.versionId`, `lastUpdated`, version-sequence, author). Its paths are those
 * of the resource as a read returns it, so that it can be sent as a patch. Decimals are compared, and kept, to the last
 * digit.
 * Throws the errors of `vread`. Cost: two batched reads; linear in both texts, in the worker thread if they are long.
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
