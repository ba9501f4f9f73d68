/** Storage of the operations on the search parameters of a space. */
import { permissionsOf } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { fhirError, FhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { parseStoredObject } from '../fhir/json';
import { read } from '../versions/read';
import { addressOf, readOwn } from '../versions/resource-address';
import type { SearchParameterProgress } from '../operation-types/environment';
import { SEARCH_PARAMETER } from '../fhir/type-names';
import { checkTenantParameter } from '../search/parameters/tenant-parameter-check';
import type { SearchServices, Services } from '../ports';
import {
  readSearchParameters,
  registerSearchParameters,
  restartSearchParameters as restart,
  type ParameterProgress,
} from '../storage/indexing/search-parameters';

/** See `OperationStorage`. */
export async function searchParameterProgress(
  services: Pick<Services, 'createExtractor' | 'database' | 'keys' | 'searchContext'>,
  context: RequestContext,
  id: string | undefined,
): Promise<readonly SearchParameterProgress[]> {
  const permissions = permissionsOf(services, context);
  const all = await readSearchParameters(services.database, context.space);
  return all
    .filter(({ parameter: { owner, state } }) => state !== 'removing' && (id === undefined || owner === id))
    .map((progress) => toPlain(progress, permissions?.allowsAll(progress.parameter.type, 's') !== false));
}

/** `isVisible`: the result has the numbers of resources and the failure. */
function toPlain(
  { parameter, isPending, resources, indexed, failure }: ParameterProgress,
  isVisible: boolean,
): SearchParameterProgress {
  const { owner, url, type, code, state } = parameter;
  const status = failure !== undefined ? 'failed' : isPending ? 'in-progress' : 'completed';
  const numbers = isVisible
    ? { resources, indexed, failure }
    : { resources: undefined, indexed: undefined, failure: undefined };
  return { owner, url, type, code, status, isSearchable: state === 'active', ...numbers };
}

/** See `OperationStorage`. */
export async function restartSearchParameters(
  services: SearchServices & Pick<Services, 'parametersChanged'>,
  context: RequestContext,
  id: string | undefined,
): Promise<void> {
  const { space } = context;
  if (id !== undefined) await register(services, context, id);
  await restart(services.database, space.number, id);
  services.parametersChanged(space.tenant);
}

/** Registers the parameters of a SearchParameter; does nothing if they are registered unchanged. */
async function register(services: SearchServices, context: RequestContext, id: string): Promise<void> {
  const { space } = context;
  const current = await readOwn(services, context, {
    address: addressOf(services, context, SEARCH_PARAMETER, id),
    id,
  });
  if (current === undefined || current.change === 'delete') {
    // Throws if the base space has none either.
    await read(services, context, SEARCH_PARAMETER, id);
    throw fhirError('baseResourceReadOnly', { type: SEARCH_PARAMETER, id });
  }
  const { pairs, issues } = checkTenantParameter(
    loadDefinitions(space.release),
    id,
    parseStoredObject(current.body),
    space.searchParameters,
  );
  if (issues.length > 0) throw new FhirError('ruleViolated', issues);
  await registerSearchParameters(services.database, space.number, { owner: id, pairs });
}
