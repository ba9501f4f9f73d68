/**
 * Tenant administration, for administrators only (administrator.ts). POST /w/system/api/v1/tenants {"name":"acme"}
 * responds with 201, with 409 if the name is taken, or with 400. The body may also have `display` and `settings`;
 * `time-zone` can be set only there. GET lists 1,000 by name; `next`, if there are more, is the `after` of the next request.
 *
 * PATCH /w/system/api/v1/tenants/acme {"settings":{"validation":"structure"}} changes its settings; null resets one to
 * the default of the server. "status" is active or disabled, "display" a name for people. GET shows all. DELETE
 * /w/system/api/v1/tenants/acme?confirm=acme removes the tenant and all its data: 200 with a report when it is done;
 * 202 when it takes longer, to be sent again (docs/run/tenants.md).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, parseJson, type Core, type JsonObject, type JsonValue, type Tenant } from '../../core';
import { requireContentType } from '../requests/body';
import { refuseOtherMethods } from '../requests/method';

type NamedRequest = FastifyRequest<{
  Body: string | undefined;
  Params: { name: string };
  Querystring: { confirm?: unknown };
}>;
type TenantRequest = FastifyRequest<{ Body: string | undefined }>;

const PATH = '/w/system/api/v1/tenants';
const NAMED = `${PATH}/:name`;
/** Milliseconds after which the response to a removal is its progress. */
const REMOVAL_MS = 20_000;
/** Tenants in one list. */
const MOST_LISTED = 1_000;

export function registerTenantRoutes(server: FastifyInstance, core: Core): void {
  server.get(PATH, async (request, reply) => {
    const tenants = await core.tenants.list({ after: readAfter(request.query), most: MOST_LISTED + 1 });
    const listed = tenants.slice(0, MOST_LISTED);
    const next = tenants.length > MOST_LISTED ? listed.at(-1)?.name : undefined;
    return send(request, reply, 200, { tenants: listed.map(toAnswer), next });
  });
  server.post(PATH, async (request: TenantRequest, reply) => {
    requireContentType(request.headers, ['application/json'], 'r4');
    const { name, display, settings } = readNew(request.body ?? '');
    const tenant = await core.tenants.create(name, settings, display);
    return send(request, reply, 201, toAnswer(tenant));
  });
  refuseOtherMethods(server, PATH, ['GET', 'POST']);
  const describe = async (request: NamedRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tenant = await core.tenants.describe(request.params.name);
    if (tenant === undefined) throw fhirError('unknownTenant');
    const { settings, own, usage } = tenant;
    return send(request, reply, 200, { ...toAnswer(tenant), settings, own, usage });
  };
  server.get(NAMED, async (request: NamedRequest, reply) => {
    return describe(request, reply);
  });
  server.patch(NAMED, async (request: NamedRequest, reply) => {
    requireContentType(request.headers, ['application/json', 'application/merge-patch+json'], 'r4');
    await change(core, request.params.name, readChanges(request.body ?? ''));
    return describe(request, reply);
  });
  server.delete(NAMED, async (request: NamedRequest, reply) => {
    const { name } = request.params;
    if (request.query.confirm !== name) {
      const reason = 'This deletes the tenant with all its data; confirm with ?confirm=name';
      throw fhirError('invalidValue', { reason });
    }
    const removal = await core.tenants.remove(name, REMOVAL_MS);
    if (removal === undefined) throw fhirError('unknownTenant');
    return send(request, reply, removal.isComplete ? 200 : 202, removal);
  });
  refuseOtherMethods(server, NAMED, ['GET', 'PATCH', 'DELETE']);
}

function readAfter(query: unknown): string {
  const { after = '', ...others } = Object.fromEntries(Object.entries(query ?? {}));
  if (typeof after !== 'string')
    throw fhirError('invalidValue', { reason: 'The parameter after must be the name of a tenant, once' });
  const [other] = Object.keys(others);
  if (other === undefined) return after;
  const reason = `'${other.slice(0, 40)}' is not allowed; the query may have after`;
  throw fhirError('invalidValue', { reason });
}

/** All bodies here are short: they are parsed at once, in the main thread. */
const LONGEST_BODY = 64 * 1024;

function parseBody(body: string): JsonValue {
  if (Buffer.byteLength(body) > LONGEST_BODY) throw fhirError('bodyTooLarge', { limit: LONGEST_BODY });
  return parseJson(body).value;
}

interface NewTenant {
  readonly name: string;
  readonly display?: string;
  readonly settings: Record<string, string>;
}

/** Reads `{"name":"acme"}`, optionally with `"display":"Acme"` and `"settings":{"time-zone":"Europe/Copenhagen"}`. */
function readNew(body: string): NewTenant {
  const value = parseBody(body);
  const { name, display, settings = {}, ...others } = isObject(value) ? value : {};
  if (typeof name !== 'string') throw fhirError('invalidTenantName');
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const reason = `A tenant has no member '${other}': "name", "display" and "settings" may be given`;
    throw fhirError('invalidValue', { reason });
  }
  if (display !== undefined && typeof display !== 'string')
    throw fhirError('invalidValue', { reason: 'The member "display" must be a text' });
  const first = new Map<string, string>();
  for (const [setting, wanted] of Object.entries(isObject(settings) ? settings : { settings })) {
    if (typeof wanted !== 'string') {
      const reason = 'The member "settings" must be an object of names and values, which are texts';
      throw fhirError('invalidValue', { reason });
    }
    first.set(setting, wanted);
  }
  return { name, ...(display === undefined ? {} : { display }), settings: Object.fromEntries(first) };
}

interface TenantChanges {
  readonly settings?: Readonly<Record<string, string | null>>;
  readonly status?: 'active' | 'disabled';
  readonly display?: string | null;
}

/**
 * Reads `{"settings":{"validation":"structure","search-unknown":null},"status":"disabled","display":"Acme"}`; each
 * member is optional, but one must be present.
 */
function readChanges(body: string): TenantChanges {
  const value = parseBody(body);
  const { settings, status, display, ...others } = isObject(value) ? value : { '': null };
  const isAny = settings !== undefined || status !== undefined || display !== undefined;
  if (!isAny || Object.keys(others).length > 0 || (settings !== undefined && !isObject(settings))) {
    const reason =
      'The body must be an object with "settings" (an object of names and values), "status" or "display"';
    throw fhirError('invalidValue', { reason });
  }
  if (status !== undefined && status !== 'active' && status !== 'disabled')
    throw fhirError('invalidValue', { reason: 'The status must be active or disabled' });
  if (display !== undefined && display !== null && typeof display !== 'string')
    throw fhirError('invalidValue', { reason: 'The member "display" must be a text, or null for the name' });
  return {
    ...(settings === undefined ? {} : { settings: readSettings(settings) }),
    ...(status === undefined ? {} : { status }),
    ...(display === undefined ? {} : { display }),
  };
}

function readSettings(settings: JsonObject): Readonly<Record<string, string | null>> {
  const changes = new Map<string, string | null>();
  for (const [name, wanted] of Object.entries(settings)) {
    if (typeof wanted !== 'string' && wanted !== null) {
      const reason = 'The value of a setting must be a text, or null for the default of the server';
      throw fhirError('invalidValue', { reason });
    }
    changes.set(name, wanted);
  }
  return Object.fromEntries(changes);
}

/**
 * Changes the tenant. Throws unknownTenant, invalidValue, forbidden, tenantBusy. An invalid setting is refused before
 * any change.
 */
async function change(core: Core, name: string, { settings, status, display }: TenantChanges): Promise<void> {
  const steps = [
    ...(settings === undefined ? [] : [() => core.tenants.changeSettings(name, settings)]),
    ...(display === undefined ? [] : [() => core.tenants.rename(name, display)]),
    ...(status === undefined
      ? []
      : [() => (status === 'active' ? core.tenants.enable(name) : core.tenants.disable(name))]),
  ];
  for (const step of steps) if (!(await step())) throw fhirError('unknownTenant');
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toAnswer({ name, display, status, created }: Tenant): object {
  return { name, display, status, created: new Date(created).toISOString() };
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
