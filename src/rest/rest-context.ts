import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  FhirError,
  fhirError,
  isRelease,
  EMPTY_REQUEST_STATE,
  RELEASE_NAMES,
  type Caller,
  type Core,
  type Credentials,
  type Log,
  type Release,
  type ResourceInput,
  type TenantSpace,
  toBundleInput,
  toResourceInput,
} from '../core';
import { AddressBook } from './address';
import { BINARY } from './binary';
import { RESOURCE_TYPES, requireContentType, type Body } from './body';
import { ALL_TYPES, Exchange, type FhirRequest } from './exchange';
import type { Described } from './oidc/discovery';
import { INTERACTIONS, type Interaction } from './interaction-names';
import { jobTime } from './job-time';
import { requireJsonAccepted } from './negotiation';
import { readProvenance } from './provenance';
import { readQuery } from './query';
import type { RestSettings } from './settings';

const TENANT_NAME = /^[a-z0-9-]{1,63}$/;
/** What tells clients how to get in is told to everybody. */
const OPEN_TO_ALL: readonly Interaction[] = [INTERACTIONS.capabilities, INTERACTIONS.smartConfiguration];
const ANONYMOUS: Caller = Object.freeze({ actor: 'anonymous' });
const NO_RIGHT: readonly FhirError['key'][] = ['unauthorized', 'forbidden'];
/** A caller without rights in the tenant: no answer says whether the tenant exists. */
const STRANGER: Caller = Object.freeze({ actor: 'anonymous' });
const READS: readonly Interaction[] = [INTERACTIONS.read, INTERACTIONS.vread];
const RESOURCE_ID = /^[A-Za-z0-9\-.]{1,64}$/;

/** What all routes share: core's door, the settings, and how a request becomes an exchange. */
export class RestContext {
  readonly core: Core;
  readonly settings: RestSettings;
  readonly log: Log;
  readonly addresses: AddressBook;
  readonly #types = new Map<Release, ReadonlySet<string>>();

  constructor(core: Core, settings: RestSettings, log: Log) {
    this.core = core;
    this.settings = settings;
    this.log = log;
    this.addresses = new AddressBook(settings.publicUrls);
    for (const release of RELEASE_NAMES) this.#types.set(release, new Set(core.resourceTypes(release)));
  }

  /**
   * Checks the address (release, tenant, type, id) and whether the client takes JSON, and makes the context in which
   * core works. Throws `unknownRelease`, `unknownTenant`, `unknownType`, `invalidId`, `notAcceptable`, and what
   * `Core.identify` throws. A tenant must be spelled as it is: an encoded spelling of its name is no address. Cost: one look-up in core's memory.
   */
  async open(request: FhirRequest, reply: FastifyReply, interaction: Interaction): Promise<Exchange> {
    const { visit } = request;
    const { tenant, release, type, id, member } = request.params;
    visit.interaction = interaction;
    if (!isRelease(release)) throw fhirError('unknownRelease', { release });
    if (!TENANT_NAME.test(tenant) || !isSpelledOut(request.url, tenant, release))
      throw fhirError('unknownTenant');
    const found = await this.core.findSpace(tenant, release);
    const later = jobTime.getStore();
    const now = later === undefined ? await this.#identify(request, tenant, found, interaction) : undefined;
    const space = now === STRANGER ? (this.core.decoy(tenant, release) ?? found) : found;
    if (space === undefined) throw fhirError('unknownTenant');
    const caller = now ?? (await this.core.renewCaller(space, later?.caller ?? ANONYMOUS));
    visit.caller = caller;
    if (found !== undefined) visit.tenant = tenant;
    visit.release = release;
    if (type !== undefined) {
      if (!this.#isType(release, type)) throw unknownType(type, release);
      visit.type = type;
      if (id !== undefined && !RESOURCE_ID.test(id)) throw fhirError('invalidId', { id });
    }
    if (member !== undefined && member !== ALL_TYPES && !this.#isType(release, member))
      throw unknownType(member, release);
    const query = readQuery(request.url);
    // What form a Binary is sent in is known when it is read.
    if (type !== BINARY || !READS.includes(interaction))
      requireJsonAccepted(request.headers.accept, query.format, release);
    const provenance = readProvenance(request, interaction, this.settings.maxDepth);
    const deadline = later?.deadline ?? Date.now() + this.settings.requestTimeoutMs;
    if (later?.signal.aborted === true) visit.end();
    else later?.signal.addEventListener('abort', () => visit.end());
    const context = {
      space,
      actor: caller.actor,
      deadline,
      cancellation: visit.waitUntil(deadline),
      bytes: visit.bytes,
      requestId: request.id,
      address: request.ip,
      log: this.log,
      ...EMPTY_REQUEST_STATE,
      ...(later === undefined ? {} : { revoked: later.revoked }),
      ...(caller.access === undefined ? {} : { access: caller.access }),
      ...(provenance === undefined ? {} : { provenance }),
    };
    // What is answered later was counted when it was taken.
    const admission = later === undefined ? this.core.admit(context) : undefined;
    if (admission !== undefined) await visit.requireAdmission(admission, request, reply);
    return new Exchange(this, request, reply, context, query);
  }

  /** What discovery is about. */
  describe(request: FastifyRequest, tenant: string): Described {
    return { base: this.addresses.base(request), tenant, takesAssertions: this.settings.takesAssertions };
  }

  #identify(
    { headers, ip, id, url }: FastifyRequest,
    tenant: string,
    space: TenantSpace | undefined,
    interaction: Interaction,
  ): Caller | Promise<Caller> {
    const { authorization } = headers;
    const credentials = { tenant, space, authorization, address: ip, requestId: id, asked: url };
    return OPEN_TO_ALL.includes(interaction)
      ? this.#identifyIfPossible(credentials)
      : this.core.identify(credentials);
  }

  /** Throws what `Core.identify` throws, except that a caller without rights is STRANGER. */
  async #identifyIfPossible(credentials: Credentials): Promise<Caller> {
    if (credentials.authorization === undefined || this.settings.authMode === 'open') return STRANGER;
    try {
      return await this.core.identify(credentials);
    } catch (error) {
      if (error instanceof FhirError && NO_RIGHT.includes(error.key)) return STRANGER;
      throw error;
    }
  }

  #isType(release: Release, name: string): boolean {
    return this.#types.get(release)?.has(name) === true;
  }

  /**
   * The JSON of a body of one of these content types; a long one stays text, which core has parsed in a thread of its
   * own. Throws `unsupportedMediaType`, and what core's parser finds; an absent body is `invalidJson`, whatever type it
   * claims.
   */
  read(
    body: Body | undefined,
    headers: IncomingHttpHeaders,
    types: readonly string[],
    release: Release,
  ): ResourceInput {
    if (body !== undefined && body !== '') requireContentType(headers, types, release);
    return this.parse(body ?? '');
  }

  /** The same for a batch or transaction. */
  readBundle(body: Body | undefined, headers: IncomingHttpHeaders, release: Release): ResourceInput {
    if (body !== undefined && body !== '') requireContentType(headers, RESOURCE_TYPES, release);
    return toBundleInput(body ?? '', this.settings);
  }

  /** Like `read`, of a text that no content type goes with. */
  parse(text: Body): ResourceInput {
    return toResourceInput(text, this.settings);
  }
}

function unknownType(type: string, release: Release): Error {
  return fhirError('unknownType', { type, release: release.toUpperCase() });
}

/** Only an address with a percent sign can hide a spelling, so that others cost one scan. */
function isSpelledOut(url: string, tenant: string, release: Release): boolean {
  return !url.includes('%') || url.includes(`/w/${tenant}/api/v1/fhir/${release}`);
}
