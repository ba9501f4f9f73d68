/** Tells from the settings whether other machines can reach the server; makes the warnings of a start. */
import { isLoopback } from '../core/network/ip-address';
import { loopbackAddresses } from '../core/network/own-addresses';
import type { Settings } from './settings';

type ExposureSettings = Pick<Settings, 'HOST' | 'PUBLIC_URL' | 'TRUST_PROXY'>;

/** The setting by which other machines reach the server; undefined if none does. */
export function findExposure({ HOST, PUBLIC_URL, TRUST_PROXY }: ExposureSettings): string | undefined {
  if (!isLoopback(HOST)) return `HOST is ${HOST}`;
  const address = PUBLIC_URL.find((url) => !isLoopback(new URL(url).hostname));
  if (address !== undefined) return `PUBLIC_URL is ${address}`;
  return TRUST_PROXY === false ? undefined : 'TRUST_PROXY is set';
}

/** True if the addresses of this server are known from the settings. The host of a request is not trusted. */
export function isAudienceKnown(settings: ExposureSettings): boolean {
  return settings.PUBLIC_URL.length > 0 || findExposure(settings) === undefined;
}

/**
 * The addresses below which absolute references are the server's own: PUBLIC_URL, else the loopback addresses with PORT
 * of a server that listens there. The Host header of a request never counts.
 */
export function ownAddresses({
  HOST,
  PORT,
  PUBLIC_URL,
}: Pick<Settings, 'HOST' | 'PORT' | 'PUBLIC_URL'>): readonly string[] {
  if (PUBLIC_URL.length > 0) return PUBLIC_URL;
  return isLoopback(HOST) && PORT !== 0 ? loopbackAddresses(PORT) : [];
}

type WarningSettings = ExposureSettings & Pick<Settings, 'AUTH_MODE' | 'AUDIT'>;

/** The warnings of every start. `isSet`: whether the environment sets a setting. */
export function startWarnings(
  settings: WarningSettings,
  isSet: (name: 'AUTH_MODE' | 'AUDIT') => boolean,
): readonly string[] {
  const exposure = findExposure(settings);
  const warnings: string[] = [];
  if (settings.AUTH_MODE === 'open')
    warnings.push(
      exposure === undefined
        ? 'AUTH_MODE=open: every program on this machine can read and write everything'
        : `AUTH_MODE=open: everyone who reaches this server can read and write everything (${exposure})`,
    );
  const chosen = [
    ...(isSet('AUTH_MODE') ? [] : ['AUTH_MODE is enforced']),
    ...(isSet('AUDIT') ? [] : ['AUDIT is on']),
  ];
  if (exposure !== undefined && isLoopback(settings.HOST) && chosen.length > 0)
    warnings.push(
      `${chosen.join(' and ')}, because ${exposure}. Earlier versions used open and off here; set these settings to choose`,
    );
  if (settings.AUTH_MODE === 'enforced' && !isAudienceKnown(settings))
    warnings.push(
      `PUBLIC_URL is not set and ${exposure ?? ''}: clients cannot authenticate by private_key_jwt, because the audience of a client_assertion is unknown`,
    );
  return warnings;
}
