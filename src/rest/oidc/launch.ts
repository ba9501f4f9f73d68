/**
 * POST /w/{tenant}/oidc/launch: stores the context of an app that an EHR is about to open
 * (https://hl7.org/fhir/smart-app-launch/app-launch.html#launch-app-ehr-launch). For administrator clients of the
 * tenant.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  fhirError,
  isJsonObject,
  isLoopback,
  isRelease,
  isValidId,
  parseJson,
  type JsonObject,
  type TenantSpace,
} from '../../core';
import { requireContentType } from '../requests/body';
import type { RestContext } from '../rest-context';
import { sendJson } from '../responses/send-json';

const BANNER = 'need_patient_banner';
const STYLE = 'smart_style_url';
const MEMBERS = ['client', 'release', 'patient', 'encounter', BANNER, STYLE];
const LONGEST_ADDRESS = 2_000;

export async function launch(
  { core }: RestContext,
  request: FastifyRequest<{ Body: string | undefined }>,
  reply: FastifyReply,
  space: TenantSpace,
): Promise<FastifyReply> {
  const { authorization } = request.headers;
  const { access } = await core.access.identify({
    ...{ tenant: space.tenant, space, authorization, address: request.ip },
    ...{ requestId: request.id, requestLine: request.url },
  });
  if (access === undefined)
    throw fhirError('unauthorized', { reason: 'Credentials of an administrator client are required' });
  if (!access.isAdministrator)
    throw fhirError('forbidden', { reason: 'Only administrator clients of this tenant may do that' });
  requireContentType(request.headers, ['application/json'], space.release);
  const { value } = parseJson(request.body ?? '');
  if (!isJsonObject(value) || Object.keys(value).some((name) => !MEMBERS.includes(name)))
    refuse(`The body must be a JSON object of ${MEMBERS.join(', ')}`);
  const release = readText(value, 'release') ?? 'r4';
  const client = readText(value, 'client');
  const patient = readText(value, 'patient');
  const encounter = readText(value, 'encounter');
  if (client === undefined) refuse('"client" must be the id of the client to open');
  if (!isRelease(release)) refuse('"release" must be r4 or r4b');
  for (const id of [patient, encounter])
    if (id !== undefined && !isValidId(id)) refuse('"patient" and "encounter" must be ids');
  const banner = value[BANNER];
  if (banner !== undefined && typeof banner !== 'boolean') refuse(`"${BANNER}" must be true or false`);
  const style = readText(value, STYLE);
  if (style !== undefined && !isWebAddress(style))
    refuse(`"${STYLE}" must be an absolute https address of up to ${LONGEST_ADDRESS} characters`);
  const made = await core.access.signIn.launch(space, {
    ...{ client, release },
    ...{ patient: patient ?? null, encounter: encounter ?? null },
    ...{ needPatientBanner: banner ?? null, smartStyleUrl: style ?? null },
  });
  return sendJson(request, reply, { status: 201, answer: { launch: made.launch, expires_in: made.seconds } });
}

/** True for https; http on this machine is for trying out. */
function isWebAddress(text: string): boolean {
  if (text.length > LONGEST_ADDRESS || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function readText(members: JsonObject, name: string): string | undefined {
  const value = members[name];
  if (value === undefined || typeof value === 'string') return value;
  return refuse(`"${name}" must be a text`);
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
