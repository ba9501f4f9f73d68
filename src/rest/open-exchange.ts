/** Makes the exchange of a request to a FHIR address. */
import type { FastifyReply } from 'fastify';
import {
  ANONYMOUS_CALLER,
  EMPTY_REQUEST_STATE,
  FhirError,
  fhirError,
  isRelease,
  isValidId,
  unknownType,
  type Caller,
  type Credentials,
  type Release,
  type TenantSpace,
} from '../core';
import { BINARY } from './binary';
import { Exchange } from './exchange';
import { ALL_TYPES, type FhirRequest } from './requests/fhir-request';
import { INTERACTIONS, type Interaction } from './interaction-names';
import { jobTime } from './job-time';
import { requireJsonAccepted, wantsLines } from './requests/negotiation';
import { readProvenance } from './requests/provenance';
import { readQuery } from './requests/query';
import type { RestContext } from './rest-context';
import { signatureOf } from './requests/signed-address';

const TENANT_NAME = /^[a-z0-9-]{1,63}$/;
/** Discovery is open to all callers. */
const OPEN_TO_ALL: readonly Interaction[] = [INTERACTIONS.capabilities, INTERACTIONS.smartConfiguration];
const NO_RIGHT: readonly FhirError['key'][] = ['unauthorized', 'forbidden'];
/** A caller without rights in the tenant. No response may disclose whether the tenant exists. */
const STRANGER: Caller = Object.freeze({ ...ANONYMOUS_CALLER });
const READS: readonly Interaction[] = [INTERACTIONS.read, INTERACTIONS.vread];

/**
 * Checks the address (release, tenant, type, id), and that the client accepts JSON; makes the context for core. Throws
 * `unknownRelease`, `unknownTenant`, `unknownType`, `invalidId`, `notAcceptable`, and the errors of `Core.identify`. A
 * percent-encoded tenant name is not valid.
 * Cost: one look-up in a cache of core.
 */
export async function openExchange(
  shared: RestContext,
  request: FhirRequest,
  reply: FastifyReply,
  interaction: Interaction,
): Promise<Exchange> {
  const { core, settings, log } = shared;
  const { logEntry } = request;
  const { tenant, release, type, id, member } = request.params;
  logEntry.interaction = interaction;
  if (!isRelease(release)) throw fhirError('unknownRelease', { release });
  if (!TENANT_NAME.test(tenant) || !isSpelledOut(request.url, tenant, release))
    throw fhirError('unknownTenant');
  const found = await core.access.findSpace(tenant, release);
  const later = jobTime.getStore();
  const now = later === undefined ? await identify(shared, request, found, interaction) : undefined;
  const space = now === STRANGER ? (core.access.decoy(tenant, release) ?? found) : found;
  if (space === undefined) throw core.access.unknownTenant(tenant);
  const caller = now ?? (await core.access.renewCaller(space, later?.caller ?? ANONYMOUS_CALLER));
  logEntry.caller = caller;
  if (found !== undefined) logEntry.tenant = tenant;
  logEntry.release = release;
  if (type !== undefined) {
    if (!shared.isType(release, type))
      throw unknownType(type, release, core.interactions.resourceTypes(release));
    logEntry.type = type;
    if (id !== undefined && !isValidId(id)) throw fhirError('invalidId', { id });
  }
  if (member !== undefined && member !== ALL_TYPES && !shared.isType(release, member))
    throw unknownType(member, release, core.interactions.resourceTypes(release));
  const query = readQuery(request.url);
  // The form of a Binary's response is determined when it is read, and a file of an export has one form.
  const isSentAsLines = interaction === INTERACTIONS.bulkFile || wantsLines(request, query.format);
  if ((type !== BINARY || !READS.includes(interaction)) && !isSentAsLines)
    requireJsonAccepted(request.headers.accept, query.format, release);
  const provenance = readProvenance(request, interaction, settings.maxDepth);
  const deadline = later?.deadline ?? Date.now() + settings.requestTimeoutMs;
  if (later?.signal.aborted === true) logEntry.end();
  else later?.signal.addEventListener('abort', () => logEntry.end());
  const context = {
    space,
    actor: caller.actor,
    deadline,
    cancellation: logEntry.waitUntil(deadline),
    bytes: logEntry.bytes,
    requestId: request.id,
    address: request.ip,
    log,
    ...EMPTY_REQUEST_STATE,
    ...(later === undefined ? {} : { revoked: later.revoked, isJob: true }),
    ...(caller.access === undefined ? {} : { access: caller.access }),
    ...(provenance === undefined ? {} : { provenance }),
  };
  // An asynchronous request was counted when it was submitted.
  const admission = later === undefined ? core.access.admit(context) : undefined;
  if (admission !== undefined) await logEntry.requireAdmission(admission, request, reply);
  return new Exchange({ restContext: shared, request, reply, context, query });
}

function identify(
  shared: RestContext,
  request: FhirRequest,
  space: TenantSpace | undefined,
  interaction: Interaction,
): Caller | Promise<Caller> {
  const signed = interaction === INTERACTIONS.vread ? signatureOf(request) : undefined;
  if (signed !== undefined) return shared.core.access.openSignedRead(space, signed);
  const { headers, ip, id, url, params } = request;
  const { authorization } = headers;
  const { tenant } = params;
  const credentials = { tenant, space, authorization, address: ip, requestId: id, requestLine: url };
  return OPEN_TO_ALL.includes(interaction)
    ? identifyIfPossible(shared, credentials)
    : shared.core.access.identify(credentials);
}

/** Throws the errors of `Core.identify`, except that a caller without rights is STRANGER. */
async function identifyIfPossible(
  { core, settings }: RestContext,
  credentials: Credentials,
): Promise<Caller> {
  if (credentials.authorization === undefined || settings.authMode === 'open') return STRANGER;
  try {
    return await core.access.identify(credentials);
  } catch (error) {
    if (error instanceof FhirError && NO_RIGHT.includes(error.key)) return STRANGER;
    throw error;
  }
}

/**
 * Returns false when the path has a percent-encoded tenant or release; an address without a percent sign costs one
 * scan.
 */
function isSpelledOut(url: string, tenant: string, release: Release): boolean {
  return !url.includes('%') || url.includes(`/w/${tenant}/api/v1/fhir/${release}`);
}
