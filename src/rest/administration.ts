/** Routes below /w/system/api/v1/tenants/{tenant} in which JSON of our own travels. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fhirError, isJsonObject, parseJson, type JsonObject } from '../core';
import { requireContentType } from './body';
import { methodNotAllowed } from './method';

interface Parts {
  /** Of the tenant. */
  readonly name: string;
  readonly client: string;
  readonly secret: string;
  readonly policy: string;
}
export type AdministrationRequest = FastifyRequest<{ Params: Parts; Body: string | undefined }>;
export type Answer = (request: AdministrationRequest, reply: FastifyReply) => Promise<FastifyReply>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

const ROOT = '/w/system/api/v1/tenants/:name';
const LONGEST_BODY = 256 * 1024;

/** `scope`: of routes that only administrators reach (administrator.ts). Other methods are 405. */
export function addAdministration(
  scope: FastifyInstance,
  path: string,
  methods: Readonly<Partial<Record<Method, Answer>>>,
): void {
  const url = ROOT + path;
  const served: Method[] = [];
  for (const method of METHODS) {
    const answer = methods[method];
    if (answer === undefined) continue;
    served.push(method);
    scope.route<{ Params: Parts; Body: string | undefined }>({ method, url, handler: answer });
  }
  scope.route({
    method: METHODS.filter((method) => !served.includes(method)),
    url,
    handler: (request) => {
      throw methodNotAllowed(request.method, served.join(', '));
    },
  });
}

/** Throws `noSuchAddress`. */
export function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw fhirError('noSuchAddress');
  return value;
}

/** The object that a body is. Throws `invalidValue`, `invalidJson`, `unsupportedMediaType`, `bodyTooLarge`. */
export function readObject(request: AdministrationRequest): JsonObject {
  requireContentType(request.headers, ['application/json', 'application/merge-patch+json'], 'r4');
  const body = request.body ?? '';
  if (Buffer.byteLength(body) > LONGEST_BODY) throw fhirError('bodyTooLarge', { limit: LONGEST_BODY });
  const { value } = parseJson(body);
  if (!isJsonObject(value)) throw fhirError('invalidValue', { reason: 'The body is a JSON object' });
  return value;
}
