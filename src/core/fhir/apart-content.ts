/**
 * A Binary whose content is stored apart, because it is longer than a resource may be. It stands without `data`, tagged SUBSETTED,
 * with the address and the size of the content in extensions of `data`.
 */
import {
  CONTENT_ADDRESS_EXTENSION,
  CONTENT_SIZE_EXTENSION,
  CONTENT_VERSION_EXTENSION,
} from '../../../packages/fhir-values/server-meta';
import { fhirError } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from './json';
import { markSubsetted, withoutSubsetted } from './subset';

export interface ApartContent {
  /** Below {fhir_root}: `Binary/{id}/_history/{vid}`. */
  readonly address: string;
  /** Number of bytes. */
  readonly size: number;
  /** The earlier version that the content was sent with; undefined: the one of the address. */
  readonly version?: number | undefined;
}

/** Returns the resource with the tag and the extensions instead of `data`. */
export function withApartContent(
  resource: JsonObject,
  { address, size, version }: ApartContent,
  extensionBase: string,
): JsonObject {
  return {
    ...markSubsetted(resource),
    _data: {
      extension: [
        { url: `${extensionBase}/${CONTENT_ADDRESS_EXTENSION}`, valueUrl: address },
        { url: `${extensionBase}/${CONTENT_SIZE_EXTENSION}`, valueUnsignedInt: size },
        ...(version === undefined
          ? []
          : [{ url: `${extensionBase}/${CONTENT_VERSION_EXTENSION}`, valuePositiveInt: version }]),
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
  const size = Number(valueOf(CONTENT_SIZE_EXTENSION, 'valueUnsignedInt') ?? 0);
  const version = valueOf(CONTENT_VERSION_EXTENSION, 'valuePositiveInt');
  return { address, size, version: version === undefined ? undefined : Number(version) };
}

/**
 * Returns a patched resource without what `withApartContent` has added, and the content of its next version: that of the version
 * before. Throws contentPatched where the patch has changed the content.
 */
export function keepApartContent(
  before: JsonObject,
  { address, size, version }: ApartContent,
  after: JsonValue,
): { readonly resource: JsonValue; readonly content: ApartContent } {
  const [, name = '', number = ''] = /^(.*\/)(\d+)$/.exec(address) ?? [];
  const content = { address: `${name}${Number(number) + 1}`, size, version: version ?? Number(number) };
  if (!isJsonObject(after)) return { resource: after, content };
  const { _data: data, ...resource } = after;
  if (after['data'] !== undefined || JSON.stringify(data) !== JSON.stringify(before['_data']))
    throw fhirError('contentPatched', {}, 'Binary.data');
  return { resource: withoutSubsetted(resource), content };
}
