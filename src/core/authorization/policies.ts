import { createHash } from 'node:crypto';
import type { Policies, StoredPolicy } from '../api/access';
import type { VersionGuard } from '../api/version';
import { turns } from '../concurrency/turns';
import type { TenantSpace } from '../context';
import { fhirError } from '../errors';
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import type { Operation } from '../operation-types/operation';
import { EXPORT_DEFINITIONS } from '../operation-types/own-definitions';
import { listOperations } from '../operation-types/registry';
import type { SearchTypeContext } from '../search/types/search-type';
import type { TenantStore } from '../storage/tenants/tenants';
import { criterionFault } from './criterion-fault';
import { elementFault } from './elements';
import { readPolicy, requirePolicyName, type Policy } from './policy';
import { type PolicyDefinition } from '../api/policy';
import { ANY_TYPE } from './right';

export interface PoliciesOptions {
  readonly store: TenantStore;
  /** All that there are. */
  readonly operations: readonly Operation[];
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  searchContext(space: TenantSpace): SearchTypeContext;
  /** Called after a change of the tenant here. */
  changed(tenant: string): void;
}

const ANY_SIZE = 2 ** 31 - 1;
/** Criteria of one policy: each is compared with each type of its rule. */
const MOST_CRITERIA = 1_000;
/** Limit for all policies of a tenant together. */
const MOST_BYTES = 256 * 1024;

/** The policies of tenants. A policy is checked before it is stored, because an invalid part would grant and hide nothing. */
export function createPolicies({
  store,
  operations,
  findSpace,
  searchContext,
  changed,
}: PoliciesOptions): Policies {
  const definitionsOf = async (tenant: string): Promise<Readonly<Record<string, PolicyDefinition>>> => {
    const row = await store.find(tenant);
    if (row === undefined) throw fhirError('unknownTenant');
    return JSON.parse(row.policies) as Record<string, PolicyDefinition>;
  };
  const find = async (tenant: string, name: string): Promise<StoredPolicy | undefined> => {
    const all = await definitionsOf(tenant);
    const definition = Object.hasOwn(all, name) ? all[name] : undefined;
    return definition && { definition, tag: tagOf(definition) };
  };
  /** Changes a policy only where it is still the one that the guard was checked against. */
  const change = async (
    tenant: string,
    name: string,
    definition: PolicyDefinition | null,
    guard: VersionGuard | undefined,
  ): Promise<{ readonly existed: boolean; readonly isChanged: boolean }> => {
    const before = await find(tenant, name);
    requireUnchanged(guard, before);
    const isChanged = await store.changePolicy(
      tenant,
      name,
      definition === null ? null : JSON.stringify(definition),
      {
        most: definition === null ? ANY_SIZE : MOST_BYTES,
        expected: guard && (before === undefined ? null : JSON.stringify(before.definition)),
      },
    );
    if (isChanged) changed(tenant);
    // A concurrent request has changed the policy.
    else if (guard !== undefined && (await find(tenant, name))?.tag !== before?.tag) throw policyChanged();
    return { existed: before !== undefined, isChanged };
  };
  const check = async (tenant: string, name: string, given: unknown): Promise<PolicyDefinition> => {
    requirePolicyName(name);
    const { policy, definition } = readPolicy(name, given);
    const spaces: TenantSpace[] = [];
    for (const release of RELEASE_NAMES) {
      const space = await findSpace(tenant, release);
      if (space !== undefined) spaces.push(space);
    }
    if (spaces.length === 0) throw fhirError('unknownTenant');
    await requireExisting(policy, spaces.map(searchContext), operations);
    return definition;
  };
  return {
    list: definitionsOf,
    ...{ find, check },
    async put(tenant, name, given, guard) {
      const definition = await check(tenant, name, given);
      const { existed, isChanged } = await change(tenant, name, definition, guard);
      if (!isChanged)
        throw fhirError('tooCostly', {
          reason: `The policies of a tenant may have ${MOST_BYTES} bytes in all`,
        });
      return { created: !existed, definition, tag: tagOf(definition) };
    },
    async delete(tenant, name, guard) {
      const { existed, isChanged } = await change(tenant, name, null, guard);
      return existed && isChanged;
    },
  };
}

/** The entity tag of a policy; it does not depend on the order of members. */
function tagOf({ rules, operations, hidden, readOnly }: PolicyDefinition): string {
  const ordered = [
    rules.map(({ types, interactions, criteria }) => [types, interactions, criteria]),
    operations,
    hidden,
    readOnly,
  ];
  return createHash('sha256').update(JSON.stringify(ordered)).digest('base64url').slice(0, 22);
}

function requireUnchanged(guard: VersionGuard | undefined, present: StoredPolicy | undefined): void {
  const { ifMatch, ifNoneMatchAny } = guard ?? {};
  if (ifNoneMatchAny === true && present !== undefined) throw policyChanged();
  if (ifMatch === undefined) return;
  if (present === undefined || !(ifMatch.includes('*') || ifMatch.includes(present.tag)))
    throw policyChanged();
}

function policyChanged(): Error {
  return fhirError('preconditionFailed', {
    reason: 'The policy has another version than the request expects',
  });
}

/**
 * Throws `invalidValue` unless all types, criteria, elements and operations exist in one of the releases. Cost: some 10 µs for each
 * criterion and type; other requests come first between them.
 */
async function requireExisting(
  { rules, operations = [], hidden, readOnly }: Policy,
  contexts: readonly SearchTypeContext[],
  known: readonly Operation[],
): Promise<void> {
  const refused = (reason: string, place: string): Error => fhirError('invalidValue', { reason }, place);
  for (const [member, paths] of Object.entries({ hidden, readOnly }))
    for (const [index, path] of paths.entries()) {
      const faults = RELEASE_NAMES.map((release) => elementFault(loadDefinitions(release), path));
      const [fault] = faults;
      if (fault !== undefined && !faults.includes(undefined)) throw refused(fault, `${member}[${index}]`);
    }
  for (const [index, code] of operations.entries())
    if (code !== ANY_TYPE && !RELEASE_NAMES.some((release) => isOperation(known, release, code)))
      throw refused(`'$${code.slice(0, 40)}' is not an operation`, `operations[${index}]`);
  if (rules.reduce((sum, { anyOf }) => sum + anyOf.length, 0) > MOST_CRITERIA)
    throw refused(`A policy has at most ${MOST_CRITERIA} criteria in all`, 'rules');
  for (const [index, { types, anyOf }] of rules.entries()) {
    for (const [place, type] of types.entries())
      if (type !== ANY_TYPE && !contexts.some(({ definitions }) => definitions.isResourceType(type)))
        throw refused(
          `'${type.slice(0, 40)}' is not a resource type${didYouMean(type, typesOf(contexts))}`,
          `rules[${index}].types[${place}]`,
        );
    for (const type of types)
      for (const [place, query] of anyOf.entries())
        for (const [name, value] of query) {
          await turns.take();
          const filled = value.replace(/\{(user|patient)\}/g, 'Patient/1');
          const fault = criterionFault(contexts, type, [name, filled]);
          if (fault !== undefined)
            throw refused(
              `'${name.slice(0, 80)}=${value.slice(0, 80)}' is not a valid search of ${type === ANY_TYPE ? 'any type' : `${type}: ${fault}`}`,
              `rules[${index}].criteria[${place}]`,
            );
        }
  }
}

function isOperation(known: readonly Operation[], release: Release, code: string): boolean {
  const available = [...listOperations(known, loadDefinitions(release)), ...EXPORT_DEFINITIONS];
  return available.some((operation) => operation.code === code);
}

function typesOf(contexts: readonly SearchTypeContext[]): Set<string> {
  return new Set(contexts.flatMap(({ definitions }) => [...definitions.resourceTypes]));
}
