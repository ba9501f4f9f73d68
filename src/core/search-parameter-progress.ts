/** What operations do about the search parameters of a space. */
import type { RequestContext } from './context';
import { fhirError, FhirError } from './errors';
import { loadDefinitions } from './fhir/definitions';
import { parseStoredObject } from './fhir/json';
import { read } from './interactions/read';
import { addressOf, readOwn } from './interactions/resource-address';
import type { SearchParameterProgress } from './operations/environment';
import { SEARCH_PARAMETER } from './preparation/prepare';
import { checkTenantParameter } from './search/tenant-parameter-check';
import type { Services } from './services';
import {
  readSearchParameters,
  registerSearchParameters,
  restartSearchParameters as restart,
  type ParameterProgress,
} from './storage/search-parameters';

/** See `OperationStorage`. */
export async function searchParameterProgress(
  services: Services,
  { space }: RequestContext,
  id: string | undefined,
): Promise<readonly SearchParameterProgress[]> {
  const all = await readSearchParameters(services.database, space);
  return all
    .filter(({ parameter: { owner, state } }) => state !== 'removing' && (id === undefined || owner === id))
    .map(toPlain);
}

function toPlain({
  parameter,
  isPending,
  resources,
  indexed,
  failure,
}: ParameterProgress): SearchParameterProgress {
  const { owner, url, type, code, state } = parameter;
  const status = failure !== undefined ? 'failed' : isPending ? 'in-progress' : 'completed';
  return { owner, url, type, code, status, isSearchable: state === 'active', resources, indexed, failure };
}

/** See `OperationStorage`. */
export async function restartSearchParameters(
  services: Services,
  context: RequestContext,
  id: string | undefined,
): Promise<void> {
  const { space } = context;
  if (id !== undefined) await register(services, context, id);
  await restart(services.database, space.number, id);
  services.parametersChanged(space.tenant);
}

/** Changes nothing where the SearchParameter is registered as it stands. */
async function register(services: Services, context: RequestContext, id: string): Promise<void> {
  const { space } = context;
  const current = await readOwn(services, context, addressOf(services, context, SEARCH_PARAMETER, id), id);
  if (current === undefined || current.change === 'delete') {
    // Throws, where there is none of the base space either.
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
