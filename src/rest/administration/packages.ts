/**
 * The packages of implementation guides that a tenant has, for administrators only (administrator.ts), at
 * /w/system/api/v1/tenants/{tenant}/packages. GET lists them. POST {"package":"hl7.fhir.uv.ips@2.0.0"} imports one of the
 * registry, and `application/gzip` the file of one, with its options in the query. The response is 202 with the address of
 * the job (administration-jobs.ts).
 */
import type { FastifyInstance } from 'fastify';
import {
  ANONYMOUS,
  fhirError,
  RELEASE_NAMES,
  type Core,
  type JsonObject,
  type Log,
  type NewAdministrationJob,
} from '../../core';
import { parsePackageName } from '../../packages/package-name';
import { recordedPackages } from '../../packages/package-record';
import {
  addAdministration,
  readFlag,
  readMembers,
  readRelease,
  readText,
  refuse,
  toInstant,
  type AdministrationRequest,
} from './administration';
import { begin, type JobRoutesOptions } from './administration-jobs';
import { nameContentType } from '../requests/body';
import { readBytes } from '../requests/body-bytes';
import { toBuffer } from '../requests/collected-bytes';
import { sendJson } from '../responses/send-json';

const GZIP = 'application/gzip';
const OPTIONS = ['release', 'examples', 'dependencies'] as const;
/** Limit on the searches of a list. */
const PATIENCE_MS = 30_000;

export interface PackageRoutesOptions extends JobRoutesOptions {
  /** Limit on the bytes of a file. */
  readonly largestFile: number;
  readonly log: Log;
}

/** Registers the routes in `scope`, which only administrators reach. */
export function registerPackageRoutes(scope: FastifyInstance, options: PackageRoutesOptions): void {
  scope.addContentTypeParser(GZIP, (request, payload, done) =>
    readBytes(payload, request, options.largestFile, (error, bytes) => done(error, bytes && toBuffer(bytes))),
  );
  addAdministration(scope, '/packages', {
    GET: async (request, reply) => {
      const answer = { packages: await listPackages(options, request) };
      return sendJson(request, reply, { status: 200, answer });
    },
    POST: async (request, reply) => begin(options, { request, reply }, readJob(request)),
  });
}

async function listPackages(
  { core, log }: PackageRoutesOptions,
  { params: { name }, id, logEntry }: AdministrationRequest,
): Promise<readonly object[]> {
  const lists: object[] = [];
  for (const release of RELEASE_NAMES) {
    const space = await core.findSpace(name, release);
    if (space === undefined) throw await absent(core, name);
    const actor = logEntry.caller?.actor ?? ANONYMOUS;
    const context = { space, actor, deadline: Date.now() + PATIENCE_MS, requestId: id, log };
    for (const { imported, ...each } of await recordedPackages(core, context))
      lists.push({ release, ...each, imported: toInstant(imported) });
  }
  return lists;
}

/** Why a tenant cannot be read. */
async function absent(core: Core, tenant: string): Promise<Error> {
  const described = await core.tenants.describe(tenant);
  return described === undefined
    ? fhirError('unknownTenant')
    : fhirError('tenantBusy', { tenant, status: described.status });
}

function readJob(request: AdministrationRequest): NewAdministrationJob {
  const content: unknown = request.body;
  if (Buffer.isBuffer(content)) {
    if (content.length === 0) refuse('The body must be the file of a package, which is gzipped');
    const given = readQuery(request.url);
    const flag = (name: string): boolean | undefined => readFlag(name, toFlag(given.get(name)));
    return {
      kind: 'import-package',
      request: { bytes: content.length, ...readOptions(given.get('release'), flag) },
      content,
    };
  }
  const contentType = nameContentType(request.headers);
  if (contentType === GZIP) refuse('The body must be the file of a package, which is gzipped');
  const members = readMembers(request, ['package', ...OPTIONS]);
  const name = readText('package', members['package']);
  if (name === undefined || parsePackageName(name) === undefined)
    refuse('"package" must be NAME@VERSION, such as hl7.fhir.uv.ips@2.0.0');
  const options = readOptions(members['release'], (flag) => readFlag(flag, members[flag]));
  return { kind: 'import-package', request: { package: name, ...options } };
}

function readOptions(release: unknown, flag: (name: string) => boolean | undefined): JsonObject {
  const chosen = readRelease('release', release);
  return {
    ...(chosen === undefined ? {} : { release: chosen }),
    examples: flag('examples') ?? false,
    dependencies: flag('dependencies') ?? false,
  };
}

/** Reads the options of a file. Throws `invalidValue` for others, so that a typing error is not ignored. */
function readQuery(url: string): ReadonlyMap<string, string> {
  const start = url.indexOf('?');
  const given = new Map(new URLSearchParams(start === -1 ? '' : url.slice(start)));
  const unknown = [...given.keys()].find((name) => !OPTIONS.some((option) => option === name));
  if (unknown !== undefined)
    refuse(`'${unknown.slice(0, 40)}' is not allowed; the query may have ${OPTIONS.join(', ')}`);
  return given;
}

function toFlag(text: string | undefined): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
