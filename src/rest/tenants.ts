/**
 * Tenant administration, from this machine only: POST /w/system/api/v1/tenants {"name":"acme"} answers 201, or 409 if
 * the name is taken, or 400; GET lists all.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, parseJson, type Core, type Tenant } from '../core';
import { requireContentType } from './body';
import { INTERACTIONS } from './interaction-names';
import { methodNotAllowed } from './method';

type TenantRequest = FastifyRequest<{ Body: string | undefined }>;

const PATH = '/w/system/api/v1/tenants';

export function registerTenantRoutes(server: FastifyInstance, core: Core): void {
  server.get(PATH, async (request, reply) => {
    admit(request);
    const tenants = await core.tenants.list();
    return send(request, reply, 200, { tenants: tenants.map(toAnswer) });
  });
  server.post(PATH, async (request: TenantRequest, reply) => {
    admit(request);
    requireContentType(request.headers, ['application/json'], 'r4');
    const tenant = await core.tenants.create(readName(request.body ?? ''));
    return send(request, reply, 201, toAnswer(tenant));
  });
  server.route({
    method: ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'],
    url: PATH,
    handler: (request) => {
      admit(request);
      throw methodNotAllowed(request.method, 'GET, HEAD, POST');
    },
  });
}

/**
 * Throws `forbidden` unless the caller is on this machine: by its socket, not through a proxy that tells so, and
 * under a local name, so that a web page whose name was made to point here stays outside.
 */
function admit(request: FastifyRequest): void {
  request.visit.interaction = INTERACTIONS.tenants;
  const { headers, socket } = request;
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  if (isLoopback(socket.remoteAddress ?? '') && !isForwarded && (host === 'localhost' || isLoopback(host)))
    return;
  throw fhirError('forbidden', { reason: 'Tenants are administered from the machine of the server only' });
}

function isLoopback(address: string): boolean {
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(address) || address === '::1' || address === '[::1]';
}

function readName(body: string): string {
  const { value } = parseJson(body);
  const name = typeof value === 'object' && value !== null && !Array.isArray(value) ? value.name : undefined;
  if (typeof name === 'string') return name;
  throw fhirError('invalidTenantName');
}

function toAnswer({ name, status, created }: Tenant): object {
  return { name, status, created: new Date(created).toISOString() };
}

function send(request: FastifyRequest, reply: FastifyReply, status: number, answer: object): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff')
    .header('x-request-id', request.id)
    .send(JSON.stringify(answer));
}
