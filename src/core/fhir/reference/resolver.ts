import type { Release } from '../release';
import { parseRelative, type LocalReference } from '../../../../packages/fhir-values/reference';

export interface ReferenceResolver {
  /** Resolves a reference to a resource of this space; undefined for any other text. */
  local(reference: string): LocalReference | undefined;
  /**
   * Returns all texts that refer to the same resource of this space, without versions; only the text itself if it
   * refers to none.
   */
  spellings(reference: string): readonly string[];
  /** Returns the part below `{fhir_root}` of an absolute url of this space; undefined for any other text. */
  below(url: string): string | undefined;
  /** True if the text refers to another tenant or release at one of this server's addresses: it must be refused. */
  leaves(reference: string): boolean;
}

export interface ResolverOptions {
  /** The server's own addresses by its settings, never the Host header. */
  readonly ownAddresses: readonly string[];
  readonly tenant: string;
  readonly release: Release;
  /** Names of the concrete resource types of the release. */
  readonly resourceTypes: Iterable<string>;
}

/**
 * Creates a resolver that separates references in one space from those that leave it. An address is the server's only
 * in its configured spelling. A url that merely resembles one (http for https, another case, default port, trailing
 * dot, escapes, dot segments, backslashes) leaves the space, unless it is not below `/w/` at all.
 */
export function createReferenceResolver(options: ResolverOptions): ReferenceResolver {
  const types = new Set(options.resourceTypes);
  const addresses = options.ownAddresses.map((url) => toAddress(url, options));
  const anchor = addresses[0] ?? toAddress(NO_ADDRESS, options);
  const anchors = addresses.length > 0 ? addresses : [anchor];
  const below = (url: string): string | undefined => {
    const address = addresses.find(({ root }) => url.startsWith(`${root}/`));
    return address === undefined ? undefined : url.slice(address.root.length + 1);
  };
  const local = (reference: string): LocalReference | undefined => {
    const relative = reference.startsWith('http') ? below(reference) : reference;
    if (relative === undefined) return undefined;
    const target = parseRelative(relative);
    return target !== undefined && types.has(target.type) ? target : undefined;
  };
  return {
    below,
    local,
    spellings(reference) {
      const target = local(reference);
      if (target === undefined) return [reference];
      const relative = `${target.type}/${target.id}`;
      return [relative, ...addresses.map(({ root }) => `${root}/${relative}`)];
    },
    leaves(reference) {
      if (!mayLeave(reference)) return false;
      const url = toUrl(reference, `${anchor.root}/`);
      if (url === undefined) return false;
      const places = anchors.map((address) => placeOf(url, reference, address));
      return places.includes('elsewhere') && !places.includes('here');
    },
  };
}

/** Used if no address is configured, so that relative paths that climb out are still detected. */
const NO_ADDRESS = 'http://address.invalid';

interface Address {
  /** `{publicUrl}/w/{tenant}` */
  readonly tenantRoot: string;
  /** `{publicUrl}/w/{tenant}/api/v1/fhir/{release}` */
  readonly root: string;
  readonly host: string;
  readonly port: string;
  /** Path segments of the tenant's root. */
  readonly segments: readonly string[];
  readonly release: Release;
}

function toAddress(publicUrl: string, { tenant, release }: ResolverOptions): Address {
  const tenantRoot = `${publicUrl.replace(/\/+$/, '')}/w/${tenant}`;
  const url = new URL(publicUrl);
  return {
    tenantRoot,
    root: `${tenantRoot}/api/v1/fhir/${release}`,
    host: toHost(url),
    port: toPort(url),
    segments: [...toSegments(url.pathname), 'w', tenant],
    release,
  };
}

/** A cheap check, so that the many urls of code systems and profiles need no parsing. */
function mayLeave(text: string): boolean {
  const first = text.charCodeAt(0);
  // A path that starts with a letter (`Patient/1`) or a urn can climb out only by dots, escaped or not.
  const isPath = first > 0x40 && first !== 0x68 && first !== 0x48;
  return isPath ? text.includes('..') || text.includes('%') || text.includes('\\') : looksLocal(text);
}

/** True for a url that may point below an address of this server, in any spelling; false for almost all others. */
export function looksLocal(url: string): boolean {
  return POSSIBLY_LOCAL.test(url);
}

const POSSIBLY_LOCAL = /[%\\\s]|\.\.|\/\.|\/w\//i;

/** Classifies a url relative to one address: outside of it, in the resolver's space, or elsewhere below `/w/`. */
function placeOf(url: URL, text: string, address: Address): 'outside' | 'here' | 'elsewhere' {
  if (toHost(url) !== address.host || toPort(url) !== address.port) return 'outside';
  const segments = toSegments(url.pathname);
  const tenantAt = address.segments.length - 1;
  if (segments.length <= tenantAt) return 'outside';
  for (let at = 0; at < tenantAt; at++) {
    if (segments[at] !== address.segments[at]) return 'outside';
  }
  if (segments[tenantAt] !== address.segments[tenantAt]) return 'elsewhere';
  const release = releaseOf(segments.slice(tenantAt + 1));
  if (release !== undefined && release !== address.release) return 'elsewhere';
  if (isPathOnly(text)) return 'here';
  return isBelow(text, release === undefined ? address.tenantRoot : address.root) ? 'here' : 'elsewhere';
}

function isBelow(text: string, root: string): boolean {
  return text.startsWith(root) && /^(?:$|[/?#|])/.test(text.slice(root.length, root.length + 1));
}

/** True for a text without scheme and host: only its target matters, not its spelling. */
function isPathOnly(text: string): boolean {
  return !/^\s*(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i.test(text);
}

/**
 * Returns the release of a path below a tenant, `api/v1/fhir/{release}`; other paths there hold no data of a release.
 */
function releaseOf(segments: readonly string[]): string | undefined {
  const [api, version, service, release] = segments;
  const isFhir = api === 'api' && version === 'v1' && service === 'fhir';
  return isFhir && release !== undefined ? release.split('|', 1)[0] : undefined;
}

function toUrl(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function toHost(url: URL): string {
  return url.hostname.toLowerCase().replace(/\.+$/, '');
}

/** Returns '' for the default port of either scheme: http and https of one host count as the same server. */
function toPort(url: URL): string {
  return url.port === '80' || url.port === '443' ? '' : url.port;
}

/** Returns the segments of a path as the most tolerant server would read them: decoded, in lower case, without dots. */
function toSegments(pathname: string): string[] {
  let path = pathname;
  for (let round = 0; round < 4 && path.includes('%'); round++) path = decode(path);
  const segments: string[] = [];
  for (const segment of path.toLowerCase().split(/[/\\]+/)) {
    // Some servers drop spaces and dots at the end of a name.
    const name = segment.replace(/^\s+|[\s.]+$/g, '');
    if (/^\s*\.\.\s*$/.test(segment)) segments.pop();
    else if (name !== '') segments.push(name.replace(/;.*$/s, ''));
  }
  return segments;
}

/** Decodes each escape of an ASCII character; malformed and other escapes stay. */
function decode(path: string): string {
  return path.replace(/%([0-7][0-9a-f])/gi, (_whole, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}
