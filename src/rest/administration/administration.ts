/** Routes below /w/system/api/v1/tenants/{tenant} whose JSON is not FHIR. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  fhirError,
  isJsonObject,
  isRelease,
  isReleaseScope,
  parseJson,
  RELEASE_NAMES,
  type JsonObject,
  type Release,
  type ReleaseScope,
} from '../../core';
import { requireContentType } from '../requests/body';
import { refuseOtherMethods } from '../requests/method';

interface Parts {
  /** Name of the tenant. */
  readonly name: string;
  readonly client: string;
  readonly secret: string;
  readonly policy: string;
  readonly user: string;
  readonly job: string;
}
export type AdministrationRequest = FastifyRequest<{ Params: Parts; Body: string | undefined }>;
export type Answer = (request: AdministrationRequest, reply: FastifyReply) => Promise<FastifyReply>;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

/** Below it are the addresses of administration. */
export const ADMINISTRATION = '/w/system/api/v1';
const ROOT = `${ADMINISTRATION}/tenants/:name`;
const LONGEST_BODY = 256 * 1024;

/** Adds routes to `scope`, which only administrators reach (administrator.ts). Other methods get 405. */
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
  refuseOtherMethods(scope, url, served);
}

/** Returns the value, or throws `noSuchAddress` when it is undefined. */
export function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw fhirError('noSuchAddress');
  return value;
}

/** Returns the object of a body. Throws `invalidValue`, `invalidJson`, `unsupportedMediaType`, `bodyTooLarge`. */
export function readObject(request: AdministrationRequest): JsonObject {
  requireContentType(request.headers, ['application/json', 'application/merge-patch+json'], 'r4');
  const body = request.body ?? '';
  if (Buffer.byteLength(body) > LONGEST_BODY) throw fhirError('bodyTooLarge', { limit: LONGEST_BODY });
  const { value } = parseJson(body);
  if (!isJsonObject(value)) throw fhirError('invalidValue', { reason: 'The body must be a JSON object' });
  return value;
}

/** Reads the object of a body. Throws `invalidValue` for unknown members, so that a typing error is not ignored. */
export function readMembers(request: AdministrationRequest, allowed: readonly string[]): JsonObject {
  const value = readObject(request);
  const unknown = Object.keys(value).find((name) => !allowed.includes(name));
  if (unknown !== undefined)
    refuse(`'${unknown.slice(0, 40)}' is not allowed; the body may have ${allowed.join(', ')}`);
  return value;
}

export function readText(name: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return refuse(`"${name}" must be a text`);
}

export function readFlag(name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  return refuse(`"${name}" must be true or false`);
}

export function readWords(name: string, value: unknown): readonly string[] | undefined {
  const isText = (each: unknown): each is string => typeof each === 'string';
  if (value === undefined || (Array.isArray(value) && value.every(isText))) return value;
  return refuse(`"${name}" must be a list of texts`);
}

export function readRelease(name: string, value: unknown): Release | undefined {
  if (value === undefined || (typeof value === 'string' && isRelease(value))) return value;
  return refuse(`"${name}" must be ${RELEASE_NAMES.join(' or ')}`);
}

export function readReleaseScope(value: unknown): ReleaseScope | undefined {
  if (value === undefined || (typeof value === 'string' && isReleaseScope(value))) return value;
  return refuse('"release" must be r4, r4b or both');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}

export function toInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
