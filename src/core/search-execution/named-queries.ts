/** `_query`: the named queries of a tenant (search.html#query), read from the database each time. */
import type { NamedQueries, NamedQueryInfo } from '../api/capabilities';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import { parseCriterion } from '../search/criteria';
import {
  expandQuery,
  NAMED_QUERY,
  readNamedQuery,
  type ExpandedQuery,
  type NamedQuery,
} from '../search/requests/named-query';
import type { Criterion } from '../search/predicate';
import type { SearchTypeContext } from '../search/types/search-type';
import type { SearchServices, Services } from '../ports';
import { lastChangeOf } from '../storage/read/conformance';
import { keyOfText } from '../storage/read/version-row';
import { OPERATION_DEFINITION } from '../fhir/type-names';
import { fetchHeads } from './sort/fetch-heads';

/** Maximum number of definitions that are read, the newest first. */
const MAX_DEFINITIONS = 500;
/** Maximum number of names in an error message. */
const MAX_LISTED = 20;

/** The named query of a request; `version` differs after each change of its definition. */
export interface RequestedQuery extends ExpandedQuery {
  readonly version: string;
}

interface FoundQuery {
  readonly query: NamedQuery;
  readonly version: string;
}

/**
 * The named query for the `_query` of a request; undefined: it has none. Of several active definitions with one code
 * for the type, the last changed one counts. Throws invalidParameterValue. Cost: two statements.
 */
export async function findQuery(
  services: SearchServices,
  context: RequestContext,
  {
    typeContext,
    type,
    given,
  }: {
    readonly typeContext: SearchTypeContext;
    readonly type: string;
    readonly given: readonly (readonly [name: string, value: string])[];
  },
): Promise<RequestedQuery | undefined> {
  const [criteria, ...others] = given.filter(([name, value]) => name === NAMED_QUERY && value !== '');
  if (criteria === undefined) return undefined;
  const [, code] = criteria;
  const refused = (reason: string): Error =>
    fhirError('invalidParameterValue', { parameter: NAMED_QUERY, value: code.slice(0, 80), reason });
  if (others.length > 0) throw refused('a search has one named query at most');
  const ofType = ({ query }: FoundQuery): boolean => query.types.includes(type);
  const isCode = /^[A-Za-z0-9._-]{1,64}$/.test(code);
  const found = isCode ? await readQueries(services, context, typeContext, code) : [];
  const newest = found.find((one) => ofType(one) && one.query.code === code);
  if (newest !== undefined) return { ...expandQuery(newest.query, given), version: newest.version };
  const queries = (await readQueries(services, context, typeContext)).filter(ofType);
  const names = [...new Set(queries.map(({ query }) => query.code))].sort().slice(0, MAX_LISTED);
  throw refused(
    names.length === 0
      ? `${type} has no named queries here`
      : `the named queries of ${type} are ${names.join(', ')}`,
  );
}

/** See `Core.namedQueries`. */
export async function namedQueries(
  services: SearchServices,
  context: RequestContext,
  cachedVersion?: string,
): Promise<NamedQueries | undefined> {
  const version = await queriesVersion(services, context);
  if (version === cachedVersion) return undefined;
  const found = await listQueries(services, context, services.searchContext(context.space));
  const queries = found.map(({ code, url, types, inputs }): NamedQueryInfo => ({
    code,
    definition: url,
    types,
    inputs: inputs.map(({ name, isRequired, repeats, kind }) => ({ name, isRequired, repeats, kind })),
  }));
  return { version, queries };
}

/** All named queries of the tenant, the last changed first. Cost: two statements. */
export async function listQueries(
  services: SearchServices,
  context: RequestContext,
  typeContext: SearchTypeContext,
): Promise<readonly NamedQuery[]> {
  const found = await readQueries(services, context, typeContext);
  return found.map(({ query }) => query);
}

/** A text that differs after each change of the definitions of a space. Cost: one statement. */
function queriesVersion(
  services: Pick<Services, 'database' | 'definitions'>,
  { space }: RequestContext,
): Promise<string> {
  const type = services.definitions(space.release).typeNumber(OPERATION_DEFINITION);
  return lastChangeOf(services.database, space.number, type === undefined ? [] : [type]);
}

/** The active queries of the tenant's own space, optionally with one code; the last changed first. */
async function readQueries(
  services: SearchServices,
  { space }: RequestContext,
  typeContext: SearchTypeContext,
  code?: string,
): Promise<FoundQuery[]> {
  const type = services.definitions(space.release).typeNumber(OPERATION_DEFINITION);
  if (type === undefined) return [];
  const pairs = [['kind', 'query'], ['status', 'active'], ...(code === undefined ? [] : [['code', code]])];
  const criteria = pairs.map(([name = '', value = '']): Criterion => {
    const criterion = parseCriterion(typeContext, OPERATION_DEFINITION, name, value);
    if (criterion === undefined) throw new Error(`${OPERATION_DEFINITION} has no search parameter ${name}`);
    return criterion;
  });
  const heads = await fetchHeads(services, space.number, type, criteria);
  const newest = [...heads].sort((a, b) => b.lastUpdated - a.lastUpdated).slice(0, MAX_DEFINITIONS);
  const rows = await services.reader.readCurrent(
    space.number,
    newest.map(({ keyText }) => ({ type, key: keyOfText(keyText) })),
  );
  const queries: FoundQuery[] = [];
  for (const [index, row] of rows.entries()) {
    if (row === undefined || row.change === 'delete') continue;
    const { body } = await services.reader.complete(space.number, row);
    const query = readNamedQuery(parseStoredObject(body), services.extensionBase);
    if (query !== undefined) queries.push({ query, version: `${newest[index]?.keyText} ${row.version}` });
  }
  return queries;
}
