import type { FastifyRequest } from 'fastify';
import type { Space } from '../../core';
import { parseHost } from '../connections/host';

/** Makes the `{fhir_root}` of responses: below the first public address, else below the host of the request. */
export class AddressBook {
  readonly #publicUrl: string | undefined;

  constructor(publicUrls: readonly string[]) {
    this.#publicUrl = publicUrls[0]?.replace(/\/+$/, '');
  }

  /** Returns `{fhir_root}` of a space, without a trailing slash; safe in JSON and in a header. */
  root(request: FastifyRequest, space: Space): string {
    return `${this.base(request)}/w/${space.tenant}/api/v1/fhir/${space.release}`;
  }

  /** Returns `{base_url}`, without a trailing slash. */
  base(request: FastifyRequest): string {
    return this.#publicUrl ?? baseOf(request);
  }
}

/** Fastify uses `X-Forwarded-Host` and `-Proto` only with TRUST_PROXY. An invalid host is not repeated. */
function baseOf(request: FastifyRequest): string {
  const host = request.host;
  if (parseHost(host) !== undefined) return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  return `http://localhost:${request.socket.localPort ?? 80}`;
}
