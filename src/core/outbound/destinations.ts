import { canonicalAddress, isLoopback, isPublicAddress, Networks } from '../network/ip-address';
import { includesPort, parseAllowedHost, portOf, type AllowedPorts } from './allowed-hosts';

/** The way in which a host is called. */
export interface Transport {
  /** True: by https. */
  readonly isEncrypted: boolean;
  readonly port: number;
}

/** Returns the way in which a URL calls its host. */
export function transportOf(url: URL): Transport {
  return { isEncrypted: url.protocol === 'https:', port: portOf(url) };
}

/**
 * The allowed destinations of outbound requests: public addresses by https, and the operator's list
 * (OUTBOUND_ALLOWED_HOSTS), also by http.
 */
export class Destinations {
  readonly #names: readonly { readonly name: string; readonly ports: AllowedPorts }[];
  readonly #networks: readonly { readonly networks: Networks; readonly ports: AllowedPorts }[];

  /** `allowed`: as `parseAllowedHost` understands them. Throws Error for others. */
  constructor(allowed: readonly string[]) {
    const hosts = allowed.map((entry) => {
      const parsed = parseAllowedHost(entry);
      if (parsed === undefined) throw new Error(`${entry} is not a host that can be allowed`);
      return parsed;
    });
    this.#names = hosts
      .filter(({ isNetwork }) => !isNetwork)
      .map(({ host, ports }) => ({ name: host, ports }));
    this.#networks = hosts
      .filter(({ isNetwork }) => isNetwork)
      .map(({ host, ports }) => ({ networks: new Networks([host]), ports }));
  }

  /** True: the host is listed by name, with this port, whatever its address. */
  isListedName(name: string, port: number): boolean {
    return this.#names.some((listed) => listed.name === name && includesPort(listed.ports, port));
  }

  /** True: a host with this address may be called so. */
  mayCall(address: string, { isEncrypted, port }: Transport): boolean {
    const isListed = this.#networks.some(
      ({ networks, ports }) => includesPort(ports, port) && networks.has(address),
    );
    return isListed || (isEncrypted && isPublicAddress(address));
  }

  /**
   * Returns why a URL may not be called, as far as this is certain before name resolution; undefined: no fault found.
   * The host must be in the canonical form of URLs, because other spellings (encoded, octal, capital letters) hide
   * the destination.
   */
  findFault(url: string): string | undefined {
    if (!URL.canParse(url)) return 'it is not a URL';
    const parsed = new URL(url);
    const { protocol, host, hostname, username, password, hash } = parsed;
    if (username !== '' || password !== '' || hash !== '') return 'it has a user or a fragment';
    if (protocol !== 'https:' && protocol !== 'http:') return 'it does not begin with https://';
    const [, written = ''] = /^[a-z]+:\/\/(\[[^\]]*\]|[^/?:]*)/.exec(url) ?? [];
    if (written !== hostname) return `its host is to be written ${hostname}`;
    const calling = transportOf(parsed);
    const { isEncrypted, port } = calling;
    if (this.isListedName(hostname, port)) return undefined;
    const isAddress = canonicalAddress(hostname) !== undefined;
    const isLocalName = isLoopback(hostname) || /(?:^|\.)localhost\.?$/.test(hostname);
    if (isAddress ? this.mayCall(hostname, calling) : isEncrypted && !isLocalName) return undefined;
    const unlisted = `OUTBOUND_ALLOWED_HOSTS does not list ${host}`;
    return isEncrypted ? unlisted : `it does not begin with https://, and ${unlisted}`;
  }
}
