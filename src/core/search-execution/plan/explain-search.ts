/** `_explain=true`: shows operators how a search was executed. */
import { permissionsOf } from '../../authorization/visibility';
import type { SearchPage } from '../../api/search';
import type { SearchRequest } from '../../search/requests/search-request';
import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import type { SearchServices } from '../../ports';
import { SearchExplanation } from './search-explanation';

const NAME = '_explain';

/**
 * Answers a search by `answer`, with an explanation if that is asked for and allowed. If `_explain` is not allowed, the
 * parameter stays in the request and fails as an unknown one.
 */
export async function explaining<S extends SearchServices>(
  services: S,
  context: RequestContext,
  request: SearchRequest,
  answer: (services: S, request: SearchRequest) => Promise<SearchPage>,
): Promise<SearchPage> {
  const explainParameters = request.parameters.filter(([name, value]) => name === NAME && value !== '');
  if (!services.explainsSearches || explainParameters.length === 0) return answer(services, request);
  for (const [name, value] of explainParameters) {
    if (value !== 'true' && value !== 'false') {
      const reason = 'it must be true or false';
      throw fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
    }
  }
  const others = { ...request, parameters: request.parameters.filter(([name]) => name !== NAME) };
  const isWanted = explainParameters.some(([, value]) => value === 'true');
  // Plans and row counts cover resources that the caller may not see.
  if (isWanted) permissionsOf(services, context)?.requireEverything('s', `The parameter ${NAME}`);
  const { release, number } = context.space;
  const definitions = services.definitions(release);
  const explanation = isWanted
    ? new SearchExplanation(number, (type) => definitions.typeName(type))
    : undefined;
  const page = await answer(explanation === undefined ? services : { ...services, explanation }, others);
  return {
    ...page,
    used: [...page.used, ...explainParameters],
    issues: [...page.issues, ...(explanation?.toIssues() ?? [])],
  };
}
