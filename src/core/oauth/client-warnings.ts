/** What in the details of a client has no effect. It is stored all the same, because a policy may be made later. */
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { ANY_TYPE } from '../authorization/right';
import { isOtherScope, OTHER_SCOPES, parseScope, SCOPE_CONTEXTS } from '../authorization/scope';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES } from '../fhir/release';
import type { ClientDetails } from '../storage/accounts/client-applications';

/** Names of a client's details in a sentence are at most this long. */
const LONGEST = 80;

/** Returns a sentence for each scope that grants nothing, and each policy that does not exist. `policies`: names of those that do. */
export function clientWarnings(
  client: Pick<ClientDetails, 'scopes' | 'policies'>,
  policies: readonly string[],
): readonly string[] {
  const scopes = client.scopes.flatMap((scope) => {
    const fault = scopeFault(scope);
    return fault === undefined ? [] : [`The scope '${scope.slice(0, LONGEST)}' grants nothing: ${fault}`];
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

function scopeFault(text: string): string | undefined {
  if (isOtherScope(text)) return undefined;
  const scope = parseScope(text);
  if (scope !== undefined) {
    const { type } = scope;
    const types = new Set(RELEASE_NAMES.flatMap((release) => [...loadDefinitions(release).resourceTypes]));
    if (type === ANY_TYPE || types.has(type)) return undefined;
    return `'${type}' is not a resource type${didYouMean(type, types)}`;
  }
  const [context = ''] = text.split('/', 1);
  const isOfType = text.includes('/') && !text.startsWith('launch');
  if (!isOfType) return `it is not a scope of SMART${didYouMean(text, OTHER_SCOPES)}`;
  if (!SCOPE_CONTEXTS.includes(context))
    return `it must begin with ${SCOPE_CONTEXTS.map((each) => `${each}/`).join(', ')}${didYouMean(context, SCOPE_CONTEXTS)}`;
  return 'it must be written like system/Patient.rs, with letters of cruds in this order';
}
