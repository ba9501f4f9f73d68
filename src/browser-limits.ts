/** Headers by which browsers keep other sites away from answers (docs/run/security.md). */
import type { FastifyInstance, FastifyReply } from 'fastify';

const RESOURCE_POLICY = 'cross-origin-resource-policy';

/** No page of the server uses any of these. */
const NO_DEVICES = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope', 'hid', 'magnetometer'],
  ...['microphone', 'midi', 'payment', 'serial', 'usb'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Keeps other origins from loading any answer as an image, script or style of theirs. Requests by CORS, which
 * CORS_ORIGINS allows, are not affected (https://fetch.spec.whatwg.org/#cross-origin-resource-policy-header).
 */
export function limitBrowsers(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    limitAnswer(reply);
    done();
  });
}

/** The same for one answer, for which no hook runs. */
export function limitAnswer(reply: FastifyReply): void {
  reply.header(RESOURCE_POLICY, 'same-origin');
}

/** Lets pages of other origins show the answer, as an image without CORS. */
export function showElsewhere(reply: FastifyReply): void {
  reply.header(RESOURCE_POLICY, 'cross-origin');
}

/**
 * Keeps a document from cameras and the like. `opener`: `none` for pages that no other page opens to talk to, so that the
 * opener loses its handle; `any` for those of sign-in, which apps open in a window that they watch.
 */
export function limitPage(reply: FastifyReply, opener: 'none' | 'any'): FastifyReply {
  return reply
    .header('permissions-policy', NO_DEVICES)
    .header('cross-origin-opener-policy', opener === 'none' ? 'same-origin' : 'unsafe-none');
}

/**
 * Limits the content of a Binary that a browser displays. It has no opener policy: by the specification a document
 * with one and with a sandbox is not displayed at all (https://html.spec.whatwg.org/multipage/browsing-the-web.html, the use of
 * finalSandboxFlags), although Chromium does.
 */
export function limitContent(reply: FastifyReply): FastifyReply {
  // Its address has ids, and perhaps a signature.
  return reply.header('permissions-policy', NO_DEVICES).header('referrer-policy', 'no-referrer');
}
