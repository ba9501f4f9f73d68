import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import {
  RELEASE_NAMES,
  type Core,
  type Log,
  type Release,
  type ResourceInput,
  toBundleInput,
  toResourceInput,
} from '../core';
import { AddressBook } from './responses/address';
import { RESOURCE_TYPES, requireContentType, type Body } from './requests/body';
import { WebConsole } from './pages/console';
import type { Described } from './oidc/discovery';
import type { RestSettings } from './settings';
import { UploadTurns } from './requests/upload-turns';

/** The context that all routes share: core, the settings, and the parsing of bodies. */
export class RestContext {
  readonly core: Core;
  readonly settings: RestSettings;
  readonly log: Log;
  readonly addresses: AddressBook;
  readonly webConsole: WebConsole;
  readonly uploads: UploadTurns;
  readonly #types = new Map<Release, ReadonlySet<string>>();

  constructor(core: Core, settings: RestSettings, log: Log) {
    this.core = core;
    this.settings = settings;
    this.log = log;
    this.webConsole = new WebConsole(settings.pages, settings.authMode);
    const { maxUploads, maxTenantUploads } = settings.transfers;
    this.uploads = new UploadTurns(maxUploads, maxTenantUploads);
    this.addresses = new AddressBook(settings.publicUrls);
    for (const release of RELEASE_NAMES)
      this.#types.set(release, new Set(core.interactions.resourceTypes(release)));
  }

  /** Returns the description of the server for discovery. */
  describe(request: FastifyRequest, tenant: string): Described {
    return { base: this.addresses.base(request), tenant, takesAssertions: this.settings.takesAssertions };
  }

  isType(release: Release, name: string): boolean {
    return this.#types.get(release)?.has(name) === true;
  }

  /**
   * Returns the JSON of a body of one of these content types. A long one stays text, which core parses in a worker
   * thread. Throws `unsupportedMediaType`, and the errors of core's parser; an absent body is `invalidJson`, whatever
   * type it claims.
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

  /** Returns the same for a batch or transaction. */
  readBundle(body: Body | undefined, headers: IncomingHttpHeaders, release: Release): ResourceInput {
    if (body !== undefined && body !== '') requireContentType(headers, RESOURCE_TYPES, release);
    return toBundleInput(body ?? '', this.settings);
  }

  /** Like `read`, for a text without a content type. */
  parse(text: Body): ResourceInput {
    return toResourceInput(text, this.settings);
  }
}
