/** What in the details of a client has no effect. It is stored all the same, because a policy may be made later. */
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { criterionFault } from '../authorization/criterion-fault';
import { ANY_TYPE } from '../authorization/right';
import { parseScope } from '../authorization/scope';
import { turns } from '../concurrency/turns';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES } from '../fhir/release';
import type { SearchTypeContext } from '../search/types/search-type';
import type { ClientDetails } from '../storage/accounts/client-applications';

/** Names of a client's details in a sentence are at most this long. */
const LONGEST = 80;

/** The tenant of a client, as far as the client's rights depend on it. */
export interface ClientSurroundings {
  /** Names. */
  readonly policies: readonly string[];
  /** One for each release of the tenant. */
  readonly contexts: readonly SearchTypeContext[];
}

/**
 * Returns a sentence for each scope of a type that no release has, or with a search that no release of the tenant takes, and for
 * each policy that does not exist. Cost: that of `criterionFault` for each scope with a search; other requests come first between them.
 */
export async function clientWarnings(
  client: Pick<ClientDetails, 'scopes' | 'policies'>,
  { policies, contexts }: ClientSurroundings,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const scope of client.scopes) {
    const reason = await scopeFault(scope, contexts);
    if (reason !== undefined)
      warnings.push(`The scope '${scope.slice(0, LONGEST)}' grants nothing: ${reason}`);
  }
  for (const name of client.policies)
    if (!policies.includes(name))
      warnings.push(
        `The policy '${name.slice(0, LONGEST)}' does not exist, so that it allows nothing${didYouMean(name, policies)}`,
      );
  return warnings;
}

/** Returns why a scope grants nothing. Scopes without a type, such as `openid`, have no fault. */
async function scopeFault(text: string, contexts: readonly SearchTypeContext[]): Promise<string | undefined> {
  const scope = parseScope(text);
  if (scope === undefined) return undefined;
  const { type, criteria } = scope;
  if (type !== ANY_TYPE && !RELEASE_NAMES.some((release) => loadDefinitions(release).isResourceType(type))) {
    const types = new Set(RELEASE_NAMES.flatMap((release) => loadDefinitions(release).resourceTypes));
    return `'${type}' is not a resource type${didYouMean(type, types)}`;
  }
  for (const criterion of criteria) {
    await turns.take();
    const fault = criterionFault(contexts, type, criterion);
    if (fault !== undefined)
      return `'${criterion.join('=').slice(0, LONGEST)}' is not a valid search of ${type === ANY_TYPE ? 'any type' : `${type}: ${fault}`}`;
  }
  return undefined;
}
