import type { AccessExplanations, AccessQuestion } from '../api/access-explanation';
import { EXPLAINED } from '../api/access-explanation';
import type { Policies } from '../api/access';
import type { CoreAccess } from '../api/core';
import { OPERATOR_ACTOR } from '../audit/audit-trail';
import { queryText } from '../audit/describe';
import { explainAccess } from '../authorization/explain-access';
import { readPolicy } from '../authorization/policy';
import type { Access, RequestContext, TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { ExplainedCaller } from '../oauth/explained-caller';
import type { SearchServices } from '../ports';

export interface AccessExplanationParts {
  readonly services: SearchServices;
  readonly policies: Pick<Policies, 'check'>;
  readonly recordAsOneAccess: CoreAccess['recordAsOneAccess'];
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
    async explain(question) {
      const {
        tenant,
        release,
        type,
        id,
        interactions = EXPLAINED,
        content,
        policy,
        requestId,
        log,
        ...whom
      } = question;
      const found = await findSpace(tenant, release);
      if (found === undefined) throw fhirError('unknownTenant');
      const tried = policy && {
        name: policy.name,
        definition: await policies.check(tenant, policy.name, policy.definition),
      };
      const space = tried === undefined ? found : withPolicy(found, tried);
      const caller = (await callerOf(space, whom)) ?? nobody(tried?.name);
      const { access, fault, who } = caller;
      const explain = (trail?: RequestContext['trail']): ReturnType<typeof explainAccess> =>
        explainAccess(
          services,
          {
            ...{ space, requestId, log, actor: access.client, deadline: Date.now() + PATIENCE_MS },
            access:
              tried === undefined ? access : { ...access, policies: withName(access.policies, tried.name) },
            ...(trail === undefined ? {} : { trail }),
          },
          // Each answer names all criteria: a list that repeats itself would be answered without end.
          { type, id, content, interactions: [...new Set(interactions)] },
        );
      // Criteria of a policy that is tried ask about the content of a resource, as a search does.
      const explained = id === undefined ? await explain() : await recorded(parts, found, question, explain);
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

/** Does the work, and records in the tenant what it has read, for whom, and by which policy. */
function recorded<Found>(
  { recordAsOneAccess }: AccessExplanationParts,
  space: TenantSpace,
  { caller, address, requestId, log, client, user, policy }: AccessQuestion,
  work: (trail: RequestContext['trail']) => Promise<Found>,
): Promise<Found> {
  const asked = { client, user, policy: policy && JSON.stringify(policy.definition) };
  return recordAsOneAccess(
    {
      ...{ space, address, requestId, log, deadline: Date.now() + PATIENCE_MS },
      ...{ actor: caller?.actor ?? OPERATOR_ACTOR, access: caller?.access },
    },
    queryText(
      'access',
      Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ),
    ({ trail }) => work(trail),
    () => 200,
  );
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
