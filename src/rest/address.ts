import type { FastifyRequest } from 'fastify';
import type { Space } from '../core';
import { parseHost } from './host';

/** Makes the `{fhir_root}` of answers: under the first public address, else under the host that was asked. */
export class AddressBook {
  readonly #publicUrl: string | undefined;

  constructor(publicUrls: readonly string[]) {
    this.#publicUrl = publicUrls[0]?.replace(/\/+$/, '');
  }

  /** `{fhir_root}` of a space, without a trailing slash; safe to stand in JSON and in a header. */
  root(request: FastifyRequest, space: Space): string {
    return `${this.base(request)}/w/${space.tenant}/api/v1/fhir/${space.release}`;
  }

  /** `{base_url}`, without a trailing slash. */
  base(request: FastifyRequest): string {
    return this.#publicUrl ?? baseOf(request);
  }
}

/** Fastify believes `X-Forwarded-Host` and `-Proto` only with TRUST_PROXY. A host that is none is not repeated. */
function baseOf(request: FastifyRequest): string {
  const host = request.host;
  if (parseHost(host) !== undefined) return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
  return `http://localhost:${request.socket.localPort ?? 80}`;
}
