/** The content of a stored Binary (https://hl7.org/fhir/R4/binary.html). */
import { apartContentOf, type ApartContent } from '../fhir/apart-content';
import type { JsonOutline, OutlineLimits } from '../fhir/json/outline';
import { isJsonObject } from '../fhir/json';
import { parseMediaRange } from '../fhir/media-range';

/** The type of content without a content type. */
export const UNKNOWN_TYPE = 'application/octet-stream';

/** The content of a Binary, ready to be sent. */
export interface BinaryContent {
  /** A media type of safe characters. */
  readonly contentType: string;
  /** The reference in `securityContext`, if it has safe characters only. */
  readonly securityContext: string | undefined;
  /** Empty where it is stored apart. */
  readonly bytes: Buffer;
  readonly apart: ApartContent | undefined;
}

const STORED_DEPTH = { maxDepth: Number.MAX_SAFE_INTEGER };
const PRINTABLE = /^[\x20-\x7e]+$/;

interface Outliner {
  /** As that of Core. */
  outline(text: string, limits: OutlineLimits): Promise<JsonOutline>;
}

/** Reads the content of a stored Binary. A long text is parsed in a worker thread. */
export async function readBinary(
  core: Outliner,
  text: string,
  extensionBase: string,
): Promise<BinaryContent> {
  const { value, parts } = await core.outline(text, { ...STORED_DEPTH, levels: 1 });
  const resource = isJsonObject(value) ? value : {};
  const long = parts.find(({ path }) => path.length === 1 && path[0] === 'data')?.text;
  const data = long === undefined ? resource['data'] : long.slice(1, -1);
  const { contentType, securityContext } = resource;
  const reference = isJsonObject(securityContext) ? securityContext['reference'] : undefined;
  return {
    contentType:
      typeof contentType === 'string' &&
      PRINTABLE.test(contentType) &&
      parseMediaRange(contentType) !== undefined
        ? contentType
        : UNKNOWN_TYPE,
    securityContext: typeof reference === 'string' && PRINTABLE.test(reference) ? reference : undefined,
    bytes: typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.alloc(0),
    apart: typeof data === 'string' ? undefined : apartContentOf(resource, extensionBase),
  };
}
