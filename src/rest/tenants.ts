/**
 * Tenant administration, from this machine only: POST /w/system/api/v1/tenants {"name":"acme"} answers 201, or 409 if
 * the name is taken, or 400; `settings` may stand beside the name, `time-zone` only there; GET lists all. PATCH /w/system/api/v1/tenants/acme {"settings":{"validation":"structure"}} sets its
 * settings, null takes one back to the default of the server; GET shows them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, parseJson, type Core, type JsonObject, type JsonValue, type Tenant } from '../core';
import { requireContentType } from './body';
import { INTERACTIONS } from './interaction-names';
import { methodNotAllowed } from './method';

type NamedRequest = FastifyRequest<{ Body: string | undefined; Params: { name: string } }>;
type TenantRequest = FastifyRequest<{ Body: string | undefined }>;

const PATH = '/w/system/api/v1/tenants';
const NAMED = `${PATH}/:name`;

export function registerTenantRoutes(server: FastifyInstance, core: Core): void {
  server.get(PATH, async (request, reply) => {
    admit(request);
    const tenants = await core.tenants.list();
    return send(request, reply, 200, { tenants: tenants.map(toAnswer) });
  });
  server.post(PATH, async (request: TenantRequest, reply) => {
    admit(request);
    requireContentType(request.headers, ['application/json'], 'r4');
    const { name, settings } = readNew(request.body ?? '');
    const tenant = await core.tenants.create(name, settings);
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
  const describe = async (request: NamedRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tenant = await core.tenants.describe(request.params.name);
    if (tenant === undefined) throw fhirError('unknownTenant');
    const { settings, own } = tenant;
    return send(request, reply, 200, { ...toAnswer(tenant), settings, own });
  };
  server.get(NAMED, async (request: NamedRequest, reply) => {
    admit(request);
    return describe(request, reply);
  });
  server.patch(NAMED, async (request: NamedRequest, reply) => {
    admit(request);
    requireContentType(request.headers, ['application/json', 'application/merge-patch+json'], 'r4');
    const changes = readSettings(request.body ?? '');
    if (!(await core.tenants.changeSettings(request.params.name, changes))) throw fhirError('unknownTenant');
    return describe(request, reply);
  });
  server.route({
    method: ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'],
    url: NAMED,
    handler: (request) => {
      admit(request);
      throw methodNotAllowed(request.method, 'GET, HEAD, PATCH');
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

/** Nothing here is long: it is parsed at once, in the server's own thread. */
const LONGEST_BODY = 64 * 1024;

function parseBody(body: string): JsonValue {
  if (Buffer.byteLength(body) > LONGEST_BODY) throw fhirError('bodyTooLarge', { limit: LONGEST_BODY });
  return parseJson(body).value;
}

/** `{"name":"acme"}`, with `"settings":{"time-zone":"Europe/Copenhagen"}` if wanted. */
function readNew(body: string): { readonly name: string; readonly settings: Record<string, string> } {
  const value = parseBody(body);
  const { name, settings = {} } = isObject(value) ? value : {};
  if (typeof name !== 'string') throw fhirError('invalidTenantName');
  const first = new Map<string, string>();
  for (const [setting, wanted] of Object.entries(isObject(settings) ? settings : { settings })) {
    if (typeof wanted !== 'string') {
      const reason = 'The member "settings" is an object of names and values, which are texts';
      throw fhirError('invalidValue', { reason });
    }
    first.set(setting, wanted);
  }
  return { name, settings: Object.fromEntries(first) };
}

/** `{"settings":{"validation":"structure","search-unknown":null}}` and nothing else. */
function readSettings(body: string): Record<string, string | null> {
  const value = parseBody(body);
  const members = isObject(value) ? Object.keys(value) : [];
  const settings = isObject(value) && members.length === 1 ? value['settings'] : undefined;
  if (!isObject(settings)) {
    const reason = 'The body is an object with the one member "settings", an object of names and values';
    throw fhirError('invalidValue', { reason });
  }
  const changes = new Map<string, string | null>();
  for (const [name, wanted] of Object.entries(settings)) {
    if (typeof wanted !== 'string' && wanted !== null) {
      const reason = 'The value of a setting is a text, or null for the default of the server';
      throw fhirError('invalidValue', { reason });
    }
    changes.set(name, wanted);
  }
  return Object.fromEntries(changes);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
