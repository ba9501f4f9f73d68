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
import { AddressBook } from './address';
import { RESOURCE_TYPES, requireContentType, type Body } from './body';
import type { Described } from './oidc/discovery';
import type { RestSettings } from './settings';

/** What all routes share: core, the settings, and how bodies are read. */
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

  /** What discovery is about. */
  describe(request: FastifyRequest, tenant: string): Described {
    return { base: this.addresses.base(request), tenant, takesAssertions: this.settings.takesAssertions };
  }

  isType(release: Release, name: string): boolean {
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
