/** Tells from the settings whether other machines can reach the server; makes the warnings of a start. */
import { isLoopback } from '../core/network/ip-address';
import { loopbackAddresses } from '../core/network/own-addresses';
import type { Settings } from './settings';

type ExposureSettings = Pick<Settings, 'http'>;

/** The setting by which other machines reach the server; undefined if none does. */
export function findExposure({
  http: { host, publicUrls, trustProxy },
}: ExposureSettings): string | undefined {
  if (!isLoopback(host)) return `HOST is ${host}`;
  const address = publicUrls.find((url) => !isLoopback(new URL(url).hostname));
  if (address !== undefined) return `PUBLIC_URL is ${address}`;
  return trustProxy === false ? undefined : 'TRUST_PROXY is set';
}

/** True if the addresses of this server are known from the settings. The host of a request is not trusted. */
export function isAudienceKnown(settings: ExposureSettings): boolean {
  return settings.http.publicUrls.length > 0 || findExposure(settings) === undefined;
}

/**
 * The addresses below which absolute references are the server's own: PUBLIC_URL, else the loopback addresses with PORT
 * of a server that listens there. The Host header of a request never counts.
 */
export function ownAddresses({ http: { host, port, publicUrls } }: ExposureSettings): readonly string[] {
  if (publicUrls.length > 0) return publicUrls;
  return isLoopback(host) && port !== 0 ? loopbackAddresses(port) : [];
}

/** The warnings of every start. `isSet`: whether the environment sets a setting. */
export function startWarnings(
  settings: Pick<Settings, 'http' | 'core'>,
  isSet: (name: 'AUTH_MODE' | 'AUDIT') => boolean,
): readonly string[] {
  const exposure = findExposure(settings);
  const warnings: string[] = [];
  if (settings.core.authMode === 'open')
    warnings.push(
      exposure === undefined
        ? 'AUTH_MODE=open: every program on this machine can read and write everything'
        : `AUTH_MODE=open: everyone who reaches this server can read and write everything (${exposure})`,
    );
  const chosen = [
    ...(isSet('AUTH_MODE') ? [] : ['AUTH_MODE is enforced']),
    ...(isSet('AUDIT') ? [] : ['AUDIT is on']),
  ];
  if (exposure !== undefined && isLoopback(settings.http.host) && chosen.length > 0)
    warnings.push(
      `${chosen.join(' and ')}, because ${exposure}. Earlier versions used open and off here; set these settings to choose`,
    );
  if (settings.core.authMode === 'enforced' && !isAudienceKnown(settings))
    warnings.push(
      `PUBLIC_URL is not set and ${exposure ?? ''}: clients cannot authenticate by private_key_jwt, because the audience of a client_assertion is unknown`,
    );
  return warnings;
}
