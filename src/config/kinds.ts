import { parseNotificationHosts } from '../core/limits/notification-hosts';
import { ALLOWED_HOST_EXPECTED, parseAllowedHost, printAllowedHost } from '../core/outbound/allowed-hosts';
import { parseRates, printRates, RATES_EXPECTED, type Rate } from '../core/memory/rate';

/** The types of settings. `parse` throws `Malformed` with what is allowed. */
export class Malformed extends Error {}

export interface Kind<Value> {
  /** The allowed values, for the documentation. */
  readonly expects: string;
  parse(text: string): Value;
  /** The text of a value, for `andiron config`. */
  print(value: Value): string;
}

function malformed(expects: string): never {
  throw new Malformed(`must be ${expects}`);
}

export const text: Kind<string> = {
  expects: 'text',
  parse: (written) => written,
  print: (value) => value,
};

export const boolean: Kind<boolean> = {
  expects: 'true or false',
  parse(written) {
    const lower = written.toLowerCase();
    if (lower === 'true' || lower === '1') return true;
    if (lower === 'false' || lower === '0') return false;
    return malformed(this.expects);
  },
  print: String,
};

/** A whole number from `least` to `most`, both included. */
export function integer(least: number, most: number): Kind<number> {
  const expects = `a whole number from ${least} to ${most}`;
  return {
    expects,
    parse(written) {
      const value = /^\d{1,15}$/.test(written) ? Number(written) : NaN;
      return value >= least && value <= most ? value : malformed(expects);
    },
    print: String,
  };
}

/** A number, or `auto`. */
export function orAuto(kind: Kind<number>): Kind<number | 'auto'> {
  const expects = `${kind.expects}, or auto`;
  return {
    expects,
    parse(written) {
      if (written.toLowerCase() === 'auto') return 'auto';
      try {
        return kind.parse(written);
      } catch {
        return malformed(expects);
      }
    },
    print: (value) => (value === 'auto' ? value : kind.print(value)),
  };
}

export function choice<Name extends string>(...names: readonly Name[]): Kind<Name> {
  const expects = names.join(' or ');
  return {
    expects,
    parse: (written) => names.find((name) => name === written.toLowerCase()) ?? malformed(expects),
    print: (value) => value,
  };
}

/** A value by its name. */
export function named<Value>(values: Readonly<Record<string, Value>>): Kind<Value> {
  const entries = Object.entries(values);
  const expects = Object.keys(values).join(' or ');
  return {
    expects,
    parse(written) {
      const [, value] = entries.find(([name]) => name === written.toLowerCase()) ?? malformed(expects);
      return value;
    },
    print: (value) => entries.find(([, each]) => each === value)?.[0] ?? '',
  };
}

/** Comma-separated; blanks around members and empty members are ignored. */
export function list<Member>(member: Kind<Member>, expects: string): Kind<readonly Member[]> {
  return {
    expects,
    parse: (written) =>
      written
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map((part) => member.parse(part)),
    print: (values) => values.map((value) => member.print(value)).join(','),
  };
}

function toUrl(written: string): URL | undefined {
  try {
    return new URL(written);
  } catch {
    return undefined;
  }
}

/** An http or https address without query and fragment; the value has no trailing slash. */
export const webAddress: Kind<string> = {
  expects: 'an http or https address without query and fragment',
  parse(written) {
    const url = toUrl(written);
    const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '';
    if (!isWeb || url.search !== '' || url.hash !== '') return malformed(this.expects);
    return url.href.replace(/\/+$/, '');
  },
  print: (value) => value,
};

export const mailServer: Kind<string> = {
  expects: 'an address such as smtps://user:password@mail.example:465',
  parse(written) {
    const url = toUrl(written);
    const isServer = url !== undefined && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
    return isServer && url.hash === '' ? written : malformed(this.expects);
  },
  print: (value) => value,
};

export const mailAddress: Kind<string> = {
  expects: 'a mail address such as andiron@hospital.example',
  parse(written) {
    return /^[^\s@<>,;:"]+@[a-z0-9.-]+$/i.test(written) ? written : malformed(this.expects);
  },
  print: (value) => value,
};

/** An origin as browsers send it (`https://app.example.org`), or `*` for any. */
export const origin: Kind<string> = {
  expects: 'an origin such as https://app.example.org, or *',
  parse(written) {
    if (written === '*') return written;
    const url = toUrl(written);
    if (url === undefined || url.origin === 'null' || url.href !== `${url.origin}/`)
      return malformed(this.expects);
    return url.origin;
  },
  print: (value) => value,
};

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

/** `host:port` (`[::1]:9464` for IPv6), or `off`. */
export const socketAddress: Kind<SocketAddress | undefined> = {
  expects: 'host:port, or off',
  parse(written) {
    if (written.toLowerCase() === 'off') return undefined;
    const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s]+)):(\d{1,5})$/.exec(written);
    const host = match?.[1] ?? match?.[2];
    const port = Number(match?.[3]);
    return host === undefined || port > 65535 ? malformed(this.expects) : { host, port };
  },
  print(value) {
    if (value === undefined) return 'off';
    return `${value.host.includes(':') ? `[${value.host}]` : value.host}:${value.port}`;
  },
};

/** `host` or `host:port` (`[::1]:6379` for IPv6). */
export function addressWithPort(standard: number): Kind<SocketAddress> {
  const expects = `a host, or host:port; without a port it is ${standard}`;
  return {
    expects,
    parse(written) {
      const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:;\s/@[\]]+))(?::(\d{1,5}))?$/.exec(written);
      const host = match?.[1] ?? match?.[2];
      const port = Number(match?.[3] ?? standard);
      return host === undefined || port === 0 || port > 65535 ? malformed(expects) : { host, port };
    },
    print: (value) => socketAddress.print(value),
  };
}

/** A host name, perhaps with its subdomains, in lower case. */
export const notificationHost: Kind<string> = {
  expects: 'a host name, or *. and a host name',
  parse(written) {
    const lower = written.toLowerCase();
    return parseNotificationHosts(lower)?.length === 1 ? lower : malformed(this.expects);
  },
  print: (value) => value,
};

/** A host, an address or a network with its ports, in lower case. */
export const allowedHost: Kind<string> = {
  expects: ALLOWED_HOST_EXPECTED,
  parse(written) {
    const host = parseAllowedHost(written);
    return host === undefined ? malformed(this.expects) : printAllowedHost(host);
  },
  print: (value) => value,
};

/** The trusted `X-Forwarded-*` headers: none, all, or those from the listed addresses. */
export const trust: Kind<boolean | readonly string[]> = {
  expects: 'true, false, or a comma-separated list of addresses and networks such as 10.0.0.0/8',
  parse(written) {
    if (/^(true|false|0|1)$/i.test(written)) return boolean.parse(written);
    const networks = written.split(',').map((part) => part.trim());
    const isNetwork = (network: string): boolean => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(network);
    return networks.every(isNetwork) ? networks : malformed(this.expects);
  },
  print: (value) => (typeof value === 'boolean' ? String(value) : value.join(',')),
};

/** Requests in a second, in a minute, or both. */
export const rates: Kind<readonly Rate[]> = {
  expects: RATES_EXPECTED,
  parse: (written) => parseRates(written.replaceAll(' ', '')) ?? malformed(RATES_EXPECTED),
  print: printRates,
};
