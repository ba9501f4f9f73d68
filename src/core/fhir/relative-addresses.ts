/** Where the lines of an import come from. */
export interface AddressesOfSource {
  /** Base of the server that the lines come from, without a slash at its end; undefined: not known. */
  readonly source: string | undefined;
  /** Returns the part below `{fhir_root}` of an absolute url of this space; undefined for any other text. */
  below(url: string): string | undefined;
}

const ID = String.raw`(?!\.{1,2}(?:/|$))[A-Za-z0-9.-]{1,64}`;
const BINARY = new RegExp(`^Binary/${ID}(?:/_history/${ID})?$`);
const RESOURCE = new RegExp(`^[A-Z][A-Za-z]{0,63}/${ID}(?:/_history/${ID})?$`);
/** A member with an address, in JSON that is valid: no string ends just before a name, and no name has this one at its end. */
const MEMBER = /(?<!\\)"(url|reference)"(\s*:\s*)("(?:[^"\\]|\\.){1,4096}")/g;

/**
 * Returns the text of a resource whose absolute urls of Binaries, of this space or of the source, are relative, and its references
 * to resources of the source too: `withAbsoluteAttachments` in the other direction. `isBundle`: entries keep their references, which
 * belong to their `fullUrl`. Other characters stay, also those of a text that is no valid JSON. Cost: a search through the text.
 */
export function withRelativeAddresses(
  text: string,
  { source, below }: AddressesOfSource,
  isBundle: boolean,
): string {
  return text.replace(MEMBER, (member, name: string, colon: string, quoted: string) => {
    if (name === 'reference' && (isBundle || source === undefined)) return member;
    const address = stringIn(quoted);
    if (address === undefined) return member;
    const ofSource =
      source !== undefined && address.startsWith(`${source}/`) ? address.slice(source.length + 1) : undefined;
    const found = name === 'url' ? (ofSource ?? below(address)) : ofSource;
    const isFitting = found !== undefined && (name === 'url' ? BINARY : RESOURCE).test(found);
    return isFitting ? `"${name}"${colon}"${found}"` : member;
  });
}

/** Undefined: its escapes are wrong. */
function stringIn(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
