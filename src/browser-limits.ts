/** Headers by which browsers keep other sites away from answers (docs/run/security.md). */
import { isLoopback } from './core';

type Headers = Readonly<Record<string, string>>;

/** No page of the server uses any of these. */
const NO_DEVICES = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'serial', 'usb'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Headers of every answer: no other origin loads it as an image, script or style. Requests by CORS, which CORS_ORIGINS
 * allows, are not affected (https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header).
 */
export const ANSWER_LIMITS: Headers = { 'cross-origin-resource-policy': 'same-origin' };

/** In place of those: pages of other origins may show the answer, as an image without CORS. */
export const SHOWN_ELSEWHERE: Headers = { 'cross-origin-resource-policy': 'cross-origin' };

/** The parts of a request that tell whether a browser trusts the origin of the server. */
interface PageRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly headers: { readonly 'sec-fetch-site'?: string | string[] | undefined };
}

/** Headers of a page that no other page opens to talk to: its opener loses its handle. */
export function pageLimits(request: PageRequest): Headers {
  return { 'permissions-policy': NO_DEVICES, ...openerPolicy(request, 'same-origin') };
}

/** Headers of the pages and redirects of sign-in, which apps also begin in a window that they watch. */
export function signInLimits(request: PageRequest): Headers {
  return { 'permissions-policy': NO_DEVICES, ...openerPolicy(request, 'unsafe-none') };
}

/**
 * Empty for plain http from other machines, where browsers ignore the policy and print an error. A proxy may end TLS
 * unknown to this server; browsers send Sec-Fetch-Site to the origins that they trust alone.
 */
function openerPolicy({ protocol, hostname, headers }: PageRequest, policy: string): Headers {
  const isTrusted = protocol === 'https' || isLoopback(hostname) || headers['sec-fetch-site'] !== undefined;
  return isTrusted ? { 'cross-origin-opener-policy': policy } : {};
}

/**
 * Headers of the content of a Binary, which a browser may display. Its address has ids, and perhaps a signature. It has no
 * opener policy: by the specification a document with one and with a sandbox is not displayed at all
 * (https://html.spec.whatwg.org/multipage/browsing-the-web.html, the use of finalSandboxFlags), although Chromium does.
 */
export const CONTENT_LIMITS: Headers = { 'permissions-policy': NO_DEVICES, 'referrer-policy': 'no-referrer' };
