import type { Settings } from './settings';
import { SETTINGS } from './table';

/** The contradictions of the settings of Redis, one line each. */
export function findRedisFaults(redis: Settings['redis']): string[] {
  const { host, port, sentinelName } = SETTINGS.redis;
  const places = [
    ...(redis.host === host.default ? [] : [host.variable]),
    ...(redis.cluster.length === 0 ? [] : ['REDIS_CLUSTER']),
    ...(redis.sentinels.length === 0 ? [] : ['REDIS_SENTINELS']),
  ];
  const faults: string[] = [];
  const [place] = places;
  if (places.length > 1)
    faults.push(
      `${places.join(' and ')} are set, but only one of REDIS_HOST, REDIS_CLUSTER and REDIS_SENTINELS may be`,
    );
  else if (place !== undefined && place !== host.variable && redis.port !== port.default)
    faults.push(`REDIS_PORT is set, but it belongs to REDIS_HOST: write ports in ${place}`);
  for (const [name, isSet] of [
    ['REDIS_SENTINEL_NAME', redis.sentinelName !== sentinelName.default],
    ['REDIS_SENTINEL_USERNAME', redis.sentinelUsername !== undefined],
    ['REDIS_SENTINEL_PASSWORD', redis.sentinelPassword !== undefined],
  ] as const)
    if (isSet && redis.sentinels.length === 0) faults.push(`${name} is set, but REDIS_SENTINELS is not`);
  for (const [user, username, password] of [
    ['REDIS', redis.username, redis.password],
    ['REDIS_SENTINEL', redis.sentinelUsername, redis.sentinelPassword],
  ] as const)
    if (username !== undefined && password === undefined)
      faults.push(`${user}_USERNAME is set, but ${user}_PASSWORD is not`);
  return faults;
}
