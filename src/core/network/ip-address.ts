/** IP addresses in a canonical form, so that equal addresses have equal texts. */
import { BlockList, isIP, isIPv4 } from 'node:net';

/** IPv6 prefixes that contain an IPv4 address: IPv4-mapped (RFC 4291, 2.5.5.2), and NAT64 (RFC 6052, 2.1). */
const IPV4_PREFIXES = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/** Returns the eight groups of a valid IPv6 address, in hexadecimal without leading zeros. */
function toGroups(address: string): readonly string[] {
  const [, rest = address, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const [a = 0, b = 0, c = 0, d = 0] = (dotted ?? '').split('.').map(Number);
  const text =
    dotted === undefined ? address : `${rest}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  const [head = '', tail] = text.split('::');
  const split = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const first = split(head);
  const last = tail === undefined ? [] : split(tail);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].map((group) => parseInt(group, 16).toString(16));
}

/**
 * Returns the canonical form of an address: IPv4 dotted, also where IPv6 contains it; IPv6 in eight groups. Zone,
 * brackets and port, which some proxies send, are removed. Undefined: the text is not an IP address.
 */
export function canonicalAddress(text: string): string | undefined {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  const [, beforePort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  const [address = ''] = (bracketed ?? beforePort ?? text).split('%');
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return undefined;
  const groups = toGroups(address);
  if (!IPV4_PREFIXES.includes(groups.slice(0, 6).join(':'))) return groups.join(':');
  const [high = 0, low = 0] = groups.slice(6).map((group) => parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns an IPv4 address, or the /64 network of an IPv6 address, which usually belongs to one client. Returns other
 * text unchanged.
 */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address);
  if (canonical === undefined) return address;
  return isIPv4(canonical) ? canonical : `${canonical.split(':').slice(0, 4).join(':')}::/64`;
}

/** True for a host name or address that only this machine can reach. */
export function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const address = canonicalAddress(host);
  return address !== undefined && (address.startsWith('127.') || address === '0:0:0:0:0:0:0:1');
}

/** A set of networks and addresses (CIDR notation). */
export class Networks {
  readonly #list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [address = '', length] = network.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      this.#list.addSubnet(
        address,
        length === undefined ? (family === 'ipv4' ? 32 : 128) : Number(length),
        family,
      );
    }
  }

  has(address: string): boolean {
    const canonical = canonicalAddress(address);
    return canonical !== undefined && this.#list.check(canonical, isIPv4(canonical) ? 'ipv4' : 'ipv6');
  }
}

/**
 * Source: https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast; 168.63.129.16 is the host of a virtual
 * machine of Azure (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
const SPECIAL_IPV4 = new Networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16'],
  ...['169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
]);
const GLOBAL_IPV6 = new Networks(['2000::/3']);
/** Source: https://www.iana.org/assignments/iana-ipv6-special-registry. 2002::/16 and 2001::/32 hold IPv4 addresses. */
const SPECIAL_IPV6 = new Networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** True for an address of the public internet: not private, link-local, loopback, multicast or reserved. */
export function isPublicAddress(text: string): boolean {
  const address = canonicalAddress(text);
  if (address === undefined) return false;
  if (isIPv4(address)) return !SPECIAL_IPV4.has(address);
  return GLOBAL_IPV6.has(address) && !SPECIAL_IPV6.has(address);
}
