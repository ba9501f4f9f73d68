/** Serves the schema of a space, or parts of it, as files. */
import { type FastifyInstance } from 'fastify';
import { type Core, fhirError } from '../core/index';
import type { SubgraphRequest } from '../schema/subgraph';
import {
  type Address,
  CACHE_URLS,
  type GatewayRequest,
  INTROSPECTION_URL,
  SCHEMA_URL,
  SUBGRAPH_URL,
  toCacheUrl,
} from './addresses';
import type { Callers } from './callers';
import { toSearch } from './http';
import type { SchemaForm } from './introspection';
import type { QueryExecutor } from './query-executor';
import { type SchemaFile, type SchemaFiles, sendSchemaFile } from './schema-file';

export interface SchemaRoutesOptions {
  readonly core: Core;
  readonly callers: Callers;
  readonly executor: QueryExecutor;
  readonly files: SchemaFiles;
  /** False: no schema is served. */
  readonly introspection: boolean;
  /** Set: the schemas are subgraphs of Apollo Federation. */
  readonly subgraph: Pick<SubgraphRequest, 'isShareable'> | undefined;
}

/** Registers the addresses of schemas; all of them throw `noSuchAddress` where no schema is served. */
export function registerSchemaRoutes(scope: FastifyInstance, options: SchemaRoutesOptions): void {
  const { core, callers, executor, files, introspection, subgraph } = options;

  const serve = (
    url: string,
    form: SchemaForm,
    fileOf: (request: GatewayRequest) => Promise<SchemaFile>,
  ): void => {
    scope.get<{ Params: Address }>(url, async (request, reply) =>
      sendSchemaFile(request, reply, await fileOf(request), form),
    );
  };
  const wholeSchema = async (request: GatewayRequest, form: SchemaForm): Promise<SchemaFile> => {
    const identified = await callers.identify(request);
    if (!introspection) throw fhirError('noSuchAddress');
    return files.of(await executor.currentOf(callers.contextOf(request, identified)), form);
  };

  serve(SCHEMA_URL, 'graphql', (request) => wholeSchema(request, 'graphql'));
  serve(INTROSPECTION_URL, 'json', (request) => wholeSchema(request, 'json'));
  for (const form of CACHE_URLS)
    serve(toCacheUrl(form), 'json', async (request) => {
      const { space } = await callers.identify(request);
      if (!introspection) throw fhirError('noSuchAddress');
      return files.ofRelease(space.release, form);
    });
  serve(SUBGRAPH_URL, 'graphql', async (request) => {
    const identified = await callers.identify(request);
    const { space } = identified;
    if (subgraph === undefined || !introspection) throw fhirError('noSuchAddress');
    const served = await executor.currentOf(callers.contextOf(request, identified));
    const types = readTypes(toSearch(request), core.interactions.resourceTypes(space.release));
    const wanted = { ...subgraph, ...(types === undefined ? {} : { types }) };
    return files.subgraph(served, wanted, space.tenantNumber);
  });
}

/** Reads `?types=Patient,Observation`; undefined: all types. Throws `unknownType`, `invalidValue`. */
function readTypes(search: string, existing: readonly string[]): readonly string[] | undefined {
  const given = new URLSearchParams(search).get('types');
  if (given === null) return undefined;
  const types = [...new Set(given.split(',').filter((type) => type !== ''))].sort();
  const stray = types.find((type) => !existing.includes(type));
  if (stray !== undefined || types.length === 0)
    throw fhirError('invalidValue', {
      reason:
        stray === undefined
          ? "'types' names no resource type"
          : `'types' has '${stray.slice(0, 80)}', which is not a resource type`,
    });
  return types;
}
