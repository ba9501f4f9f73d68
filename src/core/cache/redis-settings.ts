import type { RedisOptions } from './redis-connection';

/** The settings to check for a reason why Redis cannot be used; an operator finds them in the log. */
export function settingsBehind(reason: string, options: RedisOptions): readonly string[] {
  const isOfSentinel = /^(no|the) Sentinel /.test(reason);
  const address = addressSettings(options);
  if (/WRONGPASS|NOAUTH|NOPERM|AUTH/.test(reason))
    return isOfSentinel
      ? ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD']
      : ['REDIS_USERNAME', 'REDIS_PASSWORD'];
  if (/as by a port for TLS|wrong version number|packet length/.test(reason))
    return ['REDIS_TLS', address.at(-1) ?? 'REDIS_PORT'];
  if (/certificate|self-signed/.test(reason)) return ['REDIS_CA_FILE', address[0] ?? 'REDIS_HOST'];
  if (/No such master/.test(reason)) return ['REDIS_SENTINEL_NAME'];
  if (/MOVED|cluster support disabled|Redis Cluster/.test(reason)) return ['REDIS_CLUSTER', 'REDIS_HOST'];
  if (/unknown command|is a Sentinel/.test(reason) && !('cluster' in options))
    return ['REDIS_SENTINELS', 'REDIS_HOST'];
  return address;
}

/** The settings that say where Redis is. */
function addressSettings(options: RedisOptions): readonly string[] {
  if ('cluster' in options) return ['REDIS_CLUSTER'];
  return 'sentinels' in options ? ['REDIS_SENTINELS'] : ['REDIS_HOST', 'REDIS_PORT'];
}
