/**
 * Admits administrators: of the tenant `system` at the operator's addresses, and of a tenant at its own. They are clients
 * that are administrators, and people whose account is one, for a client with the scope `administration`.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  didYouMean,
  FhirError,
  fhirError,
  isLoopback,
  type Caller,
  type Core,
  type TenantSpace,
} from '../../core';
import { parseHost } from '../connections/host';
import { INTERACTIONS } from '../interaction-names';
import { READING_METHODS, type RequestLogEntry } from '../observation/request-log-entry';
import type { RestContext } from '../rest-context';
import type { Mount } from './mounts';

/** An address below a mount, and the tenant in it. */
const ADDRESS = /^\/w\/([^/]*)\/api\/v1\//;
/** The tenant of an operator's address. */
const TENANT_OF = /^\/w\/system\/api\/v1\/tenants\/([a-z0-9-]{1,63})(?=[/?]|$)/;
/** Names among which that of a missing tenant is looked for. */
const MOST_NAMES = 1_000;
/** Requests that are in the audit record: a failed recording leads to a second response. */
const isRecorded = new WeakSet<RequestLogEntry>();

/**
 * Refuses all requests to the routes of `scope` that do not come from an administrator, and records the others in the
 * tenant whose administrator it is. Throws `unauthorized` and `forbidden`; at the address of a tenant `unknownTenant` where
 * the credentials are those of another one, whether or not the tenant in the address exists. In open mode, requests from
 * this machine are allowed too. The check comes before the body of a request is read.
 */
export function admitAdministratorsOnly(
  scope: FastifyInstance,
  { core, settings, log }: RestContext,
  mount: Mount,
): void {
  if (mount.name === 'operator')
    scope.setErrorHandler(async (error, { url }) => {
      throw await namingTenant(core, error, url);
    });
  scope.addHook('onRequest', async (request, reply) => {
    const { logEntry } = request;
    logEntry.interaction = INTERACTIONS.tenants;
    // A percent-encoded name is not valid.
    const [, named = ''] = ADDRESS.exec(request.url) ?? [];
    const tenant = mount.adminOf(named);
    const space = await core.access.findSpace(tenant, 'r4');
    const caller = await identify(request, tenant, space);
    logEntry.caller = caller;
    const { access } = caller;
    if (access !== undefined || settings.authMode === 'enforced') requireAdministrator(caller, mount);
    else requireThisMachine(request, mount);
    if (space === undefined) throw core.access.unknownTenant(tenant);
    if (mount.name === 'tenant') {
      logEntry.tenant = tenant;
      await requireAdmitted(request, reply, { space, caller });
    }
  });
  // `identify` itself records a caller that it refuses.
  scope.addHook('onSend', async ({ logEntry, method, url, ip, id }, reply) => {
    const { caller } = logEntry;
    if (caller === undefined || isRecorded.has(logEntry)) return;
    isRecorded.add(logEntry);
    const [, named = ''] = ADDRESS.exec(url) ?? [];
    const requestLine = `${method} ${url.replace(ADDRESS, '')}`;
    const mayChange = !READING_METHODS.includes(method);
    await core.access.recordAdministration(
      { tenant: mount.adminOf(named), caller, requestLine, mayChange, address: ip, requestId: id },
      reply.statusCode,
    );
  });
  scope.addHook('onResponse', (request, _reply, done) => {
    request.logEntry.leave();
    done();
  });

  async function identify(
    request: FastifyRequest,
    tenant: string,
    space: TenantSpace | undefined,
  ): Promise<Caller> {
    const { authorization } = request.headers;
    const origin = { address: request.ip, requestId: request.id, requestLine: request.url };
    try {
      return await core.access.identify({ tenant, space, authorization, ...origin });
    } catch (error) {
      const isOfOtherTenant = error instanceof FhirError && error.key === 'forbidden';
      throw isOfOtherTenant && mount.name === 'tenant' ? fhirError('unknownTenant') : error;
    }
  }

  /** Counts the request as one of the tenant's. Throws `tooManyRequests`. */
  async function requireAdmitted(
    request: FastifyRequest,
    reply: FastifyReply,
    { space, caller: { actor, access } }: { readonly space: TenantSpace; readonly caller: Caller },
  ): Promise<void> {
    const admission = core.access.admit({
      ...{ space, actor, log, requestId: request.id, address: request.ip },
      deadline: Date.now() + settings.requestTimeoutMs,
      ...(access === undefined ? {} : { access }),
    });
    if (admission !== undefined) await request.logEntry.requireAdmission(admission, request, reply);
  }
}

function requireAdministrator({ access }: Caller, { name }: Mount): void {
  if (access?.isAdministrator === true) return;
  const whose = name === 'operator' ? 'the tenant system' : 'this tenant';
  throw fhirError('forbidden', { reason: `Only administrators of ${whose} may do that` });
}

/** Headers of proxies for forwarded requests, besides those that begin with `x-forwarded-`. */
const FORWARDING_HEADERS: readonly string[] = ['forwarded', 'via', 'x-real-ip'];

/**
 * Throws unless the request comes from this machine: by its socket, without headers of a proxy, and under a local name.
 * The name keeps out web pages whose host name was made to point here.
 */
function requireThisMachine({ headers, socket }: FastifyRequest, { name }: Mount): void {
  const isForwarded = Object.keys(headers).some(
    (header) => header.startsWith('x-forwarded-') || FORWARDING_HEADERS.includes(header),
  );
  const host = parseHost(headers.host ?? '')?.name;
  if (isLoopback(socket.remoteAddress ?? '') && !isForwarded && host !== undefined && isLoopback(host))
    return;
  const [what, whose] = name === 'operator' ? ['server', 'the tenant system'] : ['tenant', 'the tenant'];
  const reason = `The ${what} is administered from the machine of the server, or with the credentials of an administrator of ${whose}`;
  throw fhirError('forbidden', { reason });
}

/** The operator knows all tenants, so that the answer names the one that is not there, and the one that was meant. */
async function namingTenant({ tenants }: Core, error: unknown, url: string): Promise<unknown> {
  const [, tenant] = TENANT_OF.exec(url) ?? [];
  if (tenant === undefined || !(error instanceof FhirError) || error.key !== 'unknownTenant') return error;
  const all = await tenants.list({ after: '', most: MOST_NAMES });
  const explanation = didYouMean(
    tenant,
    all.map(({ name }) => name),
  );
  return fhirError('noSuchTenant', { tenant, explanation });
}
