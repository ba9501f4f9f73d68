import type { Policies } from '../api';
import type { TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { parseCriterion } from '../search/criteria';
import type { SearchTypeContext } from '../search/types/search-type';
import type { TenantStore } from '../storage/tenants';
import { isElement } from './elements';
import { parsePolicy, requirePolicyName, type Policy, type PolicyDefinition } from './policy';
import { ANY_TYPE } from './right';

export interface PoliciesOptions {
  readonly store: TenantStore;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  searchContext(space: TenantSpace): SearchTypeContext;
  /** Something of the tenant was changed here. */
  changed(tenant: string): void;
}

const ANY_SIZE = 2 ** 31 - 1;
/** Of all policies of a tenant. */
const MOST_BYTES = 256 * 1024;

/** The policies of tenants; what is put is looked through first, because what is not understood grants and hides nothing. */
export function createPolicies({ store, findSpace, searchContext, changed }: PoliciesOptions): Policies {
  const definitionsOf = async (tenant: string): Promise<Readonly<Record<string, PolicyDefinition>>> => {
    const row = await store.find(tenant);
    if (row === undefined) throw fhirError('unknownTenant');
    return JSON.parse(row.policies) as Record<string, PolicyDefinition>;
  };
  return {
    list: definitionsOf,
    async put(tenant, name, definition) {
      requirePolicyName(name);
      const policy = parsePolicy(name, definition);
      const spaces: TenantSpace[] = [];
      for (const release of RELEASE_NAMES) {
        const space = await findSpace(tenant, release);
        if (space !== undefined) spaces.push(space);
      }
      if (spaces.length === 0) throw fhirError('unknownTenant');
      requireKnown(policy, spaces.map(searchContext));
      if (!(await store.changePolicy(tenant, name, JSON.stringify(definition), MOST_BYTES)))
        throw fhirError('tooCostly', {
          reason: `The policies of a tenant may have ${MOST_BYTES} bytes in all`,
        });
      changed(tenant);
    },
    async delete(tenant, name) {
      if (!Object.hasOwn(await definitionsOf(tenant), name)) return false;
      const isChanged = await store.changePolicy(tenant, name, null, ANY_SIZE);
      if (isChanged) changed(tenant);
      return isChanged;
    },
  };
}

/** Types, criteria and elements are those of one of the releases. Throws `invalidValue`. */
function requireKnown({ rules, hidden, readOnly }: Policy, contexts: readonly SearchTypeContext[]): void {
  const refused = (reason: string): Error => fhirError('invalidValue', { reason });
  for (const path of [...hidden, ...readOnly])
    if (!RELEASE_NAMES.some((release) => isElement(loadDefinitions(release), path)))
      throw refused(
        `'${path.slice(0, 100)}' is not an element that can be hidden: it is written Type.element`,
      );
  for (const { types, anyOf } of rules) {
    for (const type of types) {
      if (type !== ANY_TYPE && !contexts.some(({ definitions }) => definitions.isResourceType(type)))
        throw refused(`'${type.slice(0, 40)}' is not a resource type`);
      if (type === ANY_TYPE) continue;
      for (const [name, value] of anyOf.flat()) {
        const filled = value.replace(/\{(user|patient)\}/g, 'Patient/1');
        if (!contexts.some((context) => isUnderstood(context, type, name, filled)))
          throw refused(`'${name.slice(0, 80)}=${value.slice(0, 80)}' cannot be asked of ${type}`);
      }
    }
  }
}

function isUnderstood(context: SearchTypeContext, type: string, name: string, value: string): boolean {
  try {
    return (
      context.definitions.isResourceType(type) && parseCriterion(context, type, name, value) !== undefined
    );
  } catch (error) {
    if (error instanceof FhirError) return false;
    throw error;
  }
}
