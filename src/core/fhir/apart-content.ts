/**
 * A Binary whose content is stored apart, because it is longer than a resource may be. It stands without `data`, tagged SUBSETTED,
 * with the address and the size of the content in extensions of `data`.
 */
import { CONTENT_ADDRESS_EXTENSION, CONTENT_SIZE_EXTENSION } from '../../../packages/fhir-values/server-meta';
import { isJsonObject, type JsonObject, type JsonValue } from './json';
import { markSubsetted } from './subset';

export interface ApartContent {
  /** Below {fhir_root}: `Binary/{id}/_history/{vid}`. */
  readonly address: string;
  /** Number of bytes. */
  readonly size: number;
}

/** Returns the resource with the tag and the extensions instead of `data`. */
export function withApartContent(
  resource: JsonObject,
  { address, size }: ApartContent,
  extensionBase: string,
): JsonObject {
  return {
    ...markSubsetted(resource),
    _data: {
      extension: [
        { url: `${extensionBase}/${CONTENT_ADDRESS_EXTENSION}`, valueUrl: address },
        { url: `${extensionBase}/${CONTENT_SIZE_EXTENSION}`, valueUnsignedInt: size },
      ],
    },
  };
}

/** Returns what a resource says of its content; undefined: it has its content itself, or none. */
export function apartContentOf(resource: JsonValue, extensionBase: string): ApartContent | undefined {
  const data = isJsonObject(resource) ? resource['_data'] : undefined;
  const extensions = isJsonObject(data) && Array.isArray(data['extension']) ? data['extension'] : [];
  const valueOf = (name: string, member: string): JsonValue | undefined => {
    const found = extensions.find((one) => isJsonObject(one) && one['url'] === `${extensionBase}/${name}`);
    return isJsonObject(found) ? found[member] : undefined;
  };
  const address = valueOf(CONTENT_ADDRESS_EXTENSION, 'valueUrl');
  if (typeof address !== 'string') return undefined;
  return { address, size: Number(valueOf(CONTENT_SIZE_EXTENSION, 'valueUnsignedInt') ?? 0) };
}
