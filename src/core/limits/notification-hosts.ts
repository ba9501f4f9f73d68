/** Hosts to which notifications of Subscriptions may go. */
const HOST = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const MOST_HOSTS = 100;

export const NOTIFICATION_HOSTS_EXPECTED =
  'off, or at most 100 host names in lower case with commas between them, such as hooks.example.org,*.ward.example';

/** Undefined: the text is invalid; an empty list: all hosts (`off`). */
export function parseNotificationHosts(text: string): readonly string[] | undefined {
  if (text === 'off') return [];
  const hosts = text.split(',');
  return hosts.length <= MOST_HOSTS && hosts.every((host) => host.length <= 253 && HOST.test(host))
    ? hosts
    : undefined;
}

/** True if a notification may go to the host of a URL. `hosts`: undefined allows all; `*.` stands for any subdomains. */
export function mayNotify(hosts: readonly string[] | undefined, url: string): boolean {
  if (hosts === undefined) return true;
  const { hostname } = new URL(url);
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host));
}
