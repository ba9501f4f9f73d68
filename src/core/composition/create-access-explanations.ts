import type { AccessExplanations, AccessQuestion } from '../api/access-explanation';
import { EXPLAINED } from '../api/access-explanation';
import type { Policies } from '../api/access';
import { explainAccess } from '../authorization/explain-access';
import { readPolicy } from '../authorization/policy';
import type { Access, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { ExplainedCaller } from '../oauth/explained-caller';
import type { SearchServices } from '../ports';

export interface AccessExplanationParts {
  readonly services: SearchServices;
  readonly policies: Pick<Policies, 'check'>;
  callerOf(
    space: TenantSpace,
    question: Pick<AccessQuestion, 'client' | 'user' | 'patient'>,
  ): Promise<ExplainedCaller | undefined>;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

const PATIENCE_MS = 10_000;
/** What only a policy restricts. */
const EVERYTHING: Access = {
  ...{ client: '', scopes: ['system/*.cruds'], policies: [] },
  ...{ isAdministrator: false, isAuditor: false },
};

export function createAccessExplanations(parts: AccessExplanationParts): AccessExplanations {
  const { services, policies, callerOf, findSpace } = parts;
  return {
    async explain({ tenant, release, type, id, interactions = EXPLAINED, policy, requestId, log, ...whom }) {
      const found = await findSpace(tenant, release);
      if (found === undefined) throw fhirError('unknownTenant');
      const tried = policy && {
        name: policy.name,
        definition: await policies.check(tenant, policy.name, policy.definition),
      };
      const space = tried === undefined ? found : withPolicy(found, tried);
      const caller = (await callerOf(space, whom)) ?? nobody(tried?.name);
      const { access, fault, who } = caller;
      const explained = await explainAccess(
        services,
        {
          ...{ space, requestId, log, actor: access.client, deadline: Date.now() + PATIENCE_MS },
          access:
            tried === undefined ? access : { ...access, policies: withName(access.policies, tried.name) },
        },
        { type, id, interactions },
      );
      if (fault === undefined) return { who, ...explained };
      const answers = explained.answers.map((answer) => ({
        ...answer,
        allowed: 'no' as const,
        reason: fault,
      }));
      return { who, ...explained, answers };
    },
  };
}

function nobody(policy: string | undefined): ExplainedCaller {
  if (policy === undefined)
    throw fhirError('invalidValue', {
      reason: 'The question must name a client, an account, or a policy to try',
    });
  return { access: EVERYTHING, who: `A client that only the policy ${policy} restricts` };
}

function withPolicy(
  space: TenantSpace,
  { name, definition }: { readonly name: string; readonly definition: unknown },
): TenantSpace {
  const others = (space.policies ?? []).filter((policy) => policy.name !== name);
  return { ...space, policies: [...others, readPolicy(name, definition).policy] };
}

function withName(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name];
}
