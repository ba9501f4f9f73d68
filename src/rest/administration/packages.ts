/**
 * The packages of implementation guides that a tenant has. An import takes one of the registry, or the file of one, with
 * its options in the query. The response is 202 with the address of the job (administration-jobs.ts).
 */
import type { FastifyRequest } from 'fastify';
import {
  fhirError,
  OPERATOR_ACTOR,
  RELEASE_NAMES,
  type Core,
  type JobBeginner,
  type JsonObject,
  type Log,
  type NewAdministrationJob,
} from '../../core';
import { parsePackageName } from '../../packages/package-name';
import { recordedPackages } from '../../packages/package-record';
import { begin, beginnerOf, type JobOptions } from './administration-jobs';
import type { Mount } from './mounts';
import type * as jobSchemas from './job-schemas';
import { refuse } from './read-request';
import type { PACKAGE_ROUTES } from './routes';
import type { Value } from './schema-kinds';
import { toInstant, type AdministrationCall, type HandlersOf } from './serve-routes';

/** Limit on the searches of a list. */
const PATIENCE_MS = 30_000;

export interface PackageOptions extends JobOptions {
  readonly log: Log;
}

export function packageHandlers(options: PackageOptions): HandlersOf<typeof PACKAGE_ROUTES> {
  return {
    listPackages: async (call) => ({ status: 200, answer: { packages: await listPackages(options, call) } }),
    importPackage: async (call) => begin(options, call, toJob(call.body, call.query, call.request.body)),
  };
}

type PackageList = Value<typeof jobSchemas.PackageList>['packages'];
type PackageRequest = Value<typeof jobSchemas.PackageRequest>;
type ImportOptions = Omit<PackageRequest, 'package'>;

async function listPackages(
  { core, log, mount }: PackageOptions,
  { params: { tenant }, request }: AdministrationCall,
): Promise<PackageList> {
  const lists: PackageList[number][] = [];
  for (const release of RELEASE_NAMES) {
    const space = await core.access.findSpace(tenant, release);
    if (space === undefined) throw await absent(core, tenant);
    const { client: actor, ...others } = readerOf(request, mount);
    const context = { ...others, space, actor, deadline: Date.now() + PATIENCE_MS, log };
    for (const { imported, ...each } of await recordedPackages(core, context))
      lists.push({ release, ...each, imported: toInstant(imported) });
  }
  return lists;
}

/** Who reads, for the audit record of the tenant: it need not know more of the operator. */
function readerOf(request: FastifyRequest, { name }: Mount): JobBeginner {
  return name === 'operator' ? { client: OPERATOR_ACTOR, requestId: request.id } : beginnerOf(request);
}

/** Why a tenant cannot be read. */
async function absent(core: Core, tenant: string): Promise<Error> {
  const described = await core.tenants.describe(tenant);
  return described === undefined
    ? fhirError('unknownTenant')
    : fhirError('tenantBusy', { tenant, status: described.status });
}

function toJob(
  body: PackageRequest | undefined,
  query: ImportOptions,
  content: unknown,
): NewAdministrationJob {
  if (body === undefined) {
    if (!Buffer.isBuffer(content) || content.length === 0)
      refuse('The body must be the file of a package, which is gzipped');
    const request = { bytes: content.length, ...toOptions(query) };
    return { kind: 'import-package', request, content };
  }
  if (parsePackageName(body.package) === undefined)
    refuse('"package" must be NAME@VERSION, such as hl7.fhir.uv.ips@2.0.0');
  return { kind: 'import-package', request: { package: body.package, ...toOptions(body) } };
}

function toOptions({ release, examples = false, dependencies = false }: ImportOptions): JsonObject {
  return { ...(release === undefined ? {} : { release }), examples, dependencies };
}
