import { METHODS } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FhirError, toIssue } from '../../core';

type AnyRequest<Params> = FastifyRequest<{ Params: Params; Body: string | undefined }>;

/**
 * Adds all other methods, such as WebDAV's, to the router, so that they get 405 instead of 404. CONNECT is left out,
 * because it has no address.
 */
export function admitEveryMethod(server: FastifyInstance): void {
  for (const method of METHODS)
    if (method !== 'CONNECT' && !server.supportedMethods.includes(method)) server.addHttpMethod(method);
}

interface OtherMethodOptions<Params> {
  /** Called first; its errors come before the 405. */
  readonly before?: (request: AnyRequest<Params>, reply: FastifyReply) => Promise<unknown>;
  /** The configuration of the route. */
  readonly config?: FastifyContextConfig;
}

/**
 * Responds with 405 and `Allow` to all methods at `url` that are not `served` (HEAD with GET) (RFC 9110, section
 * 15.5.6).
 */
export function refuseOtherMethods<Params>(
  server: FastifyInstance,
  url: string,
  served: readonly string[],
  { before, config = {} }: OtherMethodOptions<Params> = {},
): void {
  const allowed = served.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  server.route<{ Params: Params; Body: string | undefined }>({
    method: server.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    exposeHeadRoute: false,
    config,
    handler: async (request, reply) => {
      await before?.(request, reply);
      throw methodNotAllowed(request.method, allowed.join(', '));
    },
  });
}

/** `allowed`: the value of `Allow`, such as `GET, HEAD`. */
function methodNotAllowed(method: string, allowed: string): FhirError {
  return new FhirError('methodNotAllowed', [toIssue('methodNotAllowed', { method, allowed })], allowed);
}
