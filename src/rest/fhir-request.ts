import type { FastifyRequest } from 'fastify';
import type { Body } from './body';

/** In the place of a type: all types of a compartment. */
export const ALL_TYPES = '*';

/** Parts of the address that a FHIR route may have, percent-decoded. */
export interface RouteParts {
  readonly tenant: string;
  readonly release: string;
  readonly type?: string;
  readonly id?: string;
  /** In a compartment: the type that is searched, or ALL_TYPES. */
  readonly member?: string;
  readonly vid?: string;
  readonly code?: string;
  /** Of a request that is answered later. */
  readonly job?: string;
}

/** A request to a FHIR route; the body is undefined where there was none or it was not read. */
export type FhirRequest = FastifyRequest<{ Params: RouteParts; Body: Body | undefined }>;
