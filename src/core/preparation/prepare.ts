/**
 * What happens to a resource between its parser and its storage: it is checked, validated, and made into the text and
 * the index rows that are stored. The same function runs in the server's own thread and in the worker for long ones.
 */
import type { TenantSpace } from '../context';
import { FhirError, type Issue } from '../errors';
import { requireWithinBudget } from '../indexing/exceeded-parameter';
import { loadDefinitions } from '../fhir/definitions';
import type { JsonDocument, JsonObject } from '../fhir/json';
import { checkReferences, collectTargets, type LocalTarget, type ReferenceResolver } from '../fhir/reference';
import { checkResource, type IdMode } from '../fhir/resource';
import { toStoredText } from '../fhir/resource-text';
import type { IndexRows } from '../search/index-rows';
import { checkNamedQuery } from '../search/named-query-check';
import type { SearchTypeContext } from '../search/types/search-type';
import {
  checkTenantParameter,
  type CheckedParameter,
  type ParameterPair,
} from '../search/tenant-parameter-check';
import { findInContent, type ContentTools } from './content';
import { refusalOf, toIssues } from './refusal';
import { subscriptionIssues } from './subscription';

/** A resource that is to become a version. */
export interface Preparation {
  readonly space: TenantSpace;
  /** The type that the address names. */
  readonly type: string;
  /** The id that the stored text shall have. */
  readonly id: string;
  readonly idMode: IdMode;
  readonly document: JsonDocument;
}

/** All that storage needs of a resource. */
export interface PreparedVersion {
  readonly text: string;
  readonly metaOffset: number;
  readonly rows: IndexRows;
  /** What was found and does not refuse the resource. */
  readonly warnings: readonly Issue[];
  /** What it refers to in its space; undefined where the tenant does not want references to be looked after. */
  readonly targets?: readonly LocalTarget[];
  /** Of a SearchParameter: what is to be indexed and searched by it. */
  readonly pairs?: readonly ParameterPair[];
}

/** The type whose resources say what can be searched by. */
export const SEARCH_PARAMETER = 'SearchParameter';

/** The type whose resources may be named queries. */
export const OPERATION_DEFINITION = 'OperationDefinition';

/** What a resource is prepared with; the worker has one of its own. */
export interface PreparationTools extends ContentTools {
  readonly extensionBase: string;
  releaseTypes(space: TenantSpace): ReadonlySet<string>;
  references(space: TenantSpace): ReferenceResolver;
  extract(space: TenantSpace, type: string, resource: JsonObject): IndexRows;
  /** What parsing of a search in this space needs. */
  searchContext(space: TenantSpace): SearchTypeContext;
}

/**
 * Throws one `FhirError` with all errors: 400 if the body is not FHIR of this type, else 422 (docs/behaviour.md, Status
 * codes); tooCostly. Throws ExceededParameterError. Cost: about 100 µs for an ordinary resource.
 */
export async function prepareVersion(
  tools: PreparationTools,
  preparation: Preparation,
): Promise<PreparedVersion> {
  const { space, type, id, idMode, document } = preparation;
  const resource = checkResource(document, { type, releaseTypes: tools.releaseTypes(space), idMode });
  const found = await checkContent(tools, space, resource);
  const parameter = type === SEARCH_PARAMETER ? requireParameter(space, id, resource) : undefined;
  const pairs = parameter?.pairs;
  const warnings = parameter === undefined ? found : [...found, ...parameter.warnings];
  const faults = namedQueryIssues(tools, space, type, resource);
  if (faults.length > 0) throw new FhirError('ruleViolated', faults);
  const running = subscriptionIssues(type, resource);
  if (running.length > 0) throw new FhirError('notSupported', running);
  const rows = tools.extract(space, type, resource);
  requireWithinBudget(rows, space.searchParameters);
  const { text, metaOffset } = toStoredText(resource, document.marked, {
    id,
    extensionBase: tools.extensionBase,
  });
  const targets =
    space.settings.referentialIntegrity === 'off'
      ? undefined
      : collectTargets(resource, tools.references(space));
  return {
    text,
    metaOffset,
    rows,
    warnings,
    ...(targets === undefined ? {} : { targets }),
    ...(pairs === undefined ? {} : { pairs }),
  };
}

function requireParameter(space: TenantSpace, id: string, resource: JsonObject): CheckedParameter {
  const checked = checkTenantParameter(loadDefinitions(space.release), id, resource, space.searchParameters);
  if (checked.issues.length > 0) throw new FhirError('ruleViolated', checked.issues);
  return checked;
}

/** Why a resource of this type is no sound named query of the tenant; nothing for all that is none. */
export function namedQueryIssues(
  tools: PreparationTools,
  space: TenantSpace,
  type: string,
  resource: JsonObject,
): readonly Issue[] {
  return type === OPERATION_DEFINITION
    ? checkNamedQuery(tools.searchContext(space), resource, tools.extensionBase)
    : NO_ISSUES;
}

/** Throws what refuses the resource; returns the rest. */
async function checkContent(
  tools: PreparationTools,
  space: TenantSpace,
  resource: JsonObject,
): Promise<readonly Issue[]> {
  const isFull = space.settings.validation === 'full';
  const findings = await findInContent(tools, space, resource, { isFull });
  const refusal = join(refusalOf(findings), wallFault(tools, space, resource));
  if (refusal !== undefined) throw refusal;
  return findings.length === 0 ? NO_ISSUES : toIssues(findings);
}

/** One error with the issues of both; the first decides what it is. */
function join(one: FhirError | undefined, other: FhirError | undefined): FhirError | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new FhirError(one.key, [...one.issues, ...other.issues]);
}

const NO_ISSUES: readonly Issue[] = [];

/** The error for references to other tenants and for unresolved references (docs/behaviour.md, References). */
export function wallFault(
  tools: PreparationTools,
  space: TenantSpace,
  resource: JsonObject,
): FhirError | undefined {
  try {
    checkReferences(resource, tools.references(space));
    return undefined;
  } catch (error) {
    if (error instanceof FhirError) return error;
    throw error;
  }
}
