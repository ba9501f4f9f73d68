import { canonicalAddress, isLoopback, isPublicAddress, Networks } from '../network/ip-address';

/**
 * The allowed destinations of outbound requests: public addresses by https, and the operator's list
 * (OUTBOUND_ALLOWED_HOSTS), also by http.
 */
export class Destinations {
  readonly #names: ReadonlySet<string>;
  readonly #networks: Networks;

  /** `allowed`: host names in lower case, IP addresses, and networks in CIDR notation. */
  constructor(allowed: readonly string[]) {
    const isNetwork = (entry: string): boolean => canonicalAddress(entry.split('/')[0] ?? '') !== undefined;
    this.#names = new Set(allowed.filter((entry) => !isNetwork(entry)));
    this.#networks = new Networks(allowed.filter(isNetwork));
  }

  /** True: the host is listed by name, whatever its address. */
  isListedName(name: string): boolean {
    return this.#names.has(name);
  }

  /** True: a host with this address may be called. `isEncrypted`: by https. */
  mayCall(address: string, isEncrypted: boolean): boolean {
    return this.#networks.has(address) || (isEncrypted && isPublicAddress(address));
  }

  /**
   * Returns why a URL may not be called, as far as this is certain before name resolution; undefined: no fault found.
   * The host must be in the canonical form of URLs, because other spellings (encoded, octal, capital letters) hide
   * the destination.
   */
  findFault(url: string): string | undefined {
    if (!URL.canParse(url)) return 'it is not a URL';
    const { protocol, hostname, username, password, hash } = new URL(url);
    if (username !== '' || password !== '' || hash !== '') return 'it has a user or a fragment';
    if (protocol !== 'https:' && protocol !== 'http:') return 'it does not begin with https://';
    const [, written = ''] = /^[a-z]+:\/\/(\[[^\]]*\]|[^/?:]*)/.exec(url) ?? [];
    if (written !== hostname) return `its host is to be written ${hostname}`;
    if (this.isListedName(hostname)) return undefined;
    const isEncrypted = protocol === 'https:';
    const isAddress = canonicalAddress(hostname) !== undefined;
    const isLocalName = isLoopback(hostname) || /(?:^|\.)localhost\.?$/.test(hostname);
    if (isAddress ? this.mayCall(hostname, isEncrypted) : isEncrypted && !isLocalName) return undefined;
    const unlisted = `OUTBOUND_ALLOWED_HOSTS does not list ${hostname}`;
    return isEncrypted ? unlisted : `it does not begin with https://, and ${unlisted}`;
  }
}
