/** The operator's list of hosts that may be called although they are not public (OUTBOUND_ALLOWED_HOSTS). */
import { isIPv4, isIPv6 } from 'node:net';

/** `default`: 80 and 443; `any`: all ports. */
export type AllowedPorts = 'default' | 'any' | number;

export interface AllowedHost {
  /** A host name in lower case, an IP address, or a network in CIDR notation; without brackets. */
  readonly host: string;
  /** False: `host` is a name. */
  readonly isNetwork: boolean;
  readonly ports: AllowedPorts;
}

export const ALLOWED_HOST_EXPECTED =
  'a host name, an IP address or a network such as 10.0.0.0/8, perhaps with a port such as idp.internal:8443 or [::1]:8443, or :* for all ports';

const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?$/;
const HIGHEST_PORT = 65_535;
const DEFAULT_PORTS: readonly number[] = [80, 443];

/** Parses a member of the list. Undefined: it is not valid. */
export function parseAllowedHost(text: string): AllowedHost | undefined {
  const lower = text.toLowerCase();
  // A bare IPv6 address has colons of its own, so that only one in brackets has a port.
  const [, bracketed, plain, port] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}|\*))?$/.exec(lower) ??
    (isIPv6Network(lower) ? [lower, lower] : []);
  const host = bracketed ?? plain;
  if (host === undefined) return undefined;
  const isNetwork = isIPv6Network(host) || isIPv4Network(host);
  if (bracketed === undefined ? !isNetwork && !NAME.test(host) : !isIPv6Network(host)) return undefined;
  const ports = port === undefined ? 'default' : port === '*' ? 'any' : Number(port);
  if (typeof ports === 'number' && (ports === 0 || ports > HIGHEST_PORT)) return undefined;
  return { host, isNetwork, ports };
}

/** Returns the text of a member of the list, which `parseAllowedHost` understands. */
export function printAllowedHost({ host, ports }: AllowedHost): string {
  if (ports === 'default') return host;
  return `${host.includes(':') ? `[${host}]` : host}:${ports === 'any' ? '*' : ports}`;
}

/** True: a member of the list with these ports allows this one. */
export function includesPort(ports: AllowedPorts, port: number): boolean {
  return ports === 'any' || (ports === 'default' ? DEFAULT_PORTS.includes(port) : ports === port);
}

/** Returns the port of an address by http or https. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

const isIPv4Network = (text: string): boolean => isNetworkOf(text, isIPv4, 32);
const isIPv6Network = (text: string): boolean => isNetworkOf(text, isIPv6, 128);

function isNetworkOf(text: string, isAddress: (address: string) => boolean, bits: number): boolean {
  const [address = '', length, ...more] = text.split('/');
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
  return isAddress(address) && isLength && more.length === 0;
}
