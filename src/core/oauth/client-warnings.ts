/** What in the details of a client has no effect. It is stored all the same, because a policy may be made later. */
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { ANY_TYPE } from '../authorization/right';
import { parseScope } from '../authorization/scope';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES } from '../fhir/release';
import type { ClientDetails } from '../storage/accounts/client-applications';

/** Names of a client's details in a sentence are at most this long. */
const LONGEST = 80;

/** Returns a sentence for each scope of a type that no release has, and each policy that is not among `policies`. */
export function clientWarnings(
  client: Pick<ClientDetails, 'scopes' | 'policies'>,
  policies: readonly string[],
): readonly string[] {
  const scopes = client.scopes.flatMap((scope) => {
    const { type = ANY_TYPE } = parseScope(scope) ?? {};
    if (type === ANY_TYPE || RELEASE_NAMES.some((release) => loadDefinitions(release).isResourceType(type)))
      return [];
    const types = new Set(RELEASE_NAMES.flatMap((release) => loadDefinitions(release).resourceTypes));
    const reason = `'${type}' is not a resource type${didYouMean(type, types)}`;
    return [`The scope '${scope.slice(0, LONGEST)}' grants nothing: ${reason}`];
  });
  const missing = client.policies.filter((name) => !policies.includes(name));
  return [
    ...scopes,
    ...missing.map(
      (name) =>
        `The policy '${name.slice(0, LONGEST)}' does not exist, so that it allows nothing${didYouMean(name, policies)}`,
    ),
  ];
}
