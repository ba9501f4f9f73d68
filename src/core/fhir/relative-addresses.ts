import { FhirError } from '../errors';
import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from './json';

/** Where the lines of an import come from. */
export interface AddressesOfSource {
  /** Base of the server that the lines come from, without a slash at its end; undefined: not known. */
  readonly source: string | undefined;
  /** Returns the part below `{fhir_root}` of an absolute url of this space; undefined for any other text. */
  below(url: string): string | undefined;
}

const ID = '[A-Za-z0-9.-]{1,64}';
const BINARY = new RegExp(`^Binary/${ID}(?:/_history/${ID})?$`);
const RESOURCE = new RegExp(`^[A-Z][A-Za-z]{0,63}/${ID}(?:/_history/${ID})?$`);
/** Slashes may be escaped in JSON. */
const MAY_NAME_BINARY = /\/Binary\\?\//;

/**
 * Returns a resource whose absolute urls of Binaries, of this space or of the source, are relative, and its references to resources
 * of the source too: `withAbsoluteAttachments` in the other direction. Entries of a Bundle keep their references, which belong to
 * their `fullUrl`. A text that is no valid JSON is returned as it is. Cost: a search; where such an address may be in it, parsing.
 */
export function withRelativeAddresses(text: string, addresses: AddressesOfSource): string {
  const { source } = addresses;
  const names = (address: string): boolean => text.includes(address);
  const mayName =
    MAY_NAME_BINARY.test(text) ||
    (source !== undefined && (names(`${source}/`) || names(`${source}/`.replaceAll('/', '\\/'))));
  if (!mayName) return text;
  try {
    const { value, marked } = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER });
    const isBundle = isJsonObject(value) && value['resourceType'] === 'Bundle';
    const rewriter = new Rewriter(addresses, isBundle);
    const rewritten = rewriter.rewrite(value);
    return rewriter.hasChanged ? stringifyJson(rewritten, marked) : text;
  } catch (error) {
    // Its write says what is wrong with it.
    if (error instanceof FhirError) return text;
    throw error;
  }
}

class Rewriter {
  hasChanged = false;

  constructor(
    private readonly addresses: AddressesOfSource,
    private readonly keepsReferences: boolean,
  ) {}

  rewrite(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((item) => this.rewrite(item));
    if (!isJsonObject(value)) return value;
    const rewritten: JsonObject = {};
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      rewritten[name] = typeof member === 'string' ? this.#toRelative(name, member) : this.rewrite(member);
    }
    return rewritten;
  }

  #toRelative(name: string, text: string): string {
    const { source, below } = this.addresses;
    const ofSource =
      source !== undefined && text.startsWith(`${source}/`) ? text.slice(source.length + 1) : undefined;
    let relative: string | undefined;
    if (name === 'url') {
      const found = ofSource ?? below(text);
      relative = found !== undefined && BINARY.test(found) ? found : undefined;
    } else if (name === 'reference' && !this.keepsReferences) {
      relative = ofSource !== undefined && RESOURCE.test(ofSource) ? ofSource : undefined;
    }
    this.hasChanged ||= relative !== undefined;
    return relative ?? text;
  }
}
