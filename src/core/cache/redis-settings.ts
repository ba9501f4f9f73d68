/** The settings to check for a reason why Redis cannot be used; an operator finds them in the log. */
export function settingsBehind(reason: string): readonly string[] {
  if (/WRONGPASS|NOAUTH|NOPERM|AUTH/.test(reason)) return ['REDIS_USERNAME', 'REDIS_PASSWORD'];
  if (/as by a port for TLS|wrong version number|packet length/.test(reason))
    return ['REDIS_TLS', 'REDIS_PORT'];
  if (/certificate|self-signed/.test(reason)) return ['REDIS_CA_FILE', 'REDIS_HOST'];
  return ['REDIS_HOST', 'REDIS_PORT'];
}
