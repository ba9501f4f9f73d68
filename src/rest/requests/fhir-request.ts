import type { FastifyRequest } from 'fastify';
import type { Body } from './body';

/** Replaces a type: all types of a compartment. */
export const ALL_TYPES = '*';

/** Percent-decoded parts of the address of a FHIR route. */
export interface RouteParts {
  readonly tenant: string;
  readonly release: string;
  readonly type?: string;
  readonly id?: string;
  /** In a compartment: the searched type, or ALL_TYPES. */
  readonly member?: string;
  readonly vid?: string;
  readonly code?: string;
  /** Id of an asynchronous request, an export or an import. */
  readonly job?: string;
  /** Name of a file of an export or import. */
  readonly file?: string;
}

/** A request to a FHIR route; the body is undefined where there is none or it was not read. */
export type FhirRequest = FastifyRequest<{ Params: RouteParts; Body: Body | undefined }>;
