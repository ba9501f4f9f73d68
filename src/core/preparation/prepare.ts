/**
 * Preparation of a resource between the parser and storage: it is checked, validated, and converted to the stored
 * text and index rows. The same function runs in the main thread and, for large resources, in the worker thread.
 */
import { OPERATION_DEFINITION, SEARCH_PARAMETER, SUBSCRIPTION } from '../fhir/type-names';
import type { TenantSpace } from '../context';
import { FhirError, fhirError, type Issue } from '../errors';
import { apartContentOf, withApartContent, type ApartContent } from '../fhir/apart-content';
import { requireWithinBudget } from '../indexing/exceeded-parameter';
import { loadDefinitions } from '../fhir/definitions';
import type { JsonDocument, JsonObject } from '../fhir/json';
import { withUniqueLabels } from '../fhir/meta-labels';
import { checkReferences, collectTargets, type LocalTarget, type ReferenceResolver } from '../fhir/reference';
import { checkResource, type IdMode } from '../fhir/resource';
import { toStoredText } from '../fhir/resource-text';
import type { IndexRows } from '../search/rows/index-rows';
import { MOST_LISTED } from '../search/rows/collector';
import { checkNamedQuery } from '../search/requests/named-query-check';
import type { SearchTypeContext } from '../search/types/search-type';
import {
  checkTenantParameter,
  type CheckedParameter,
  type ParameterPair,
} from '../search/parameters/tenant-parameter-check';
import { auditEventTagIssues } from './audit-event-tag';
import { findInContent, levelOf, type ContentTools } from './content';
import { refusalOf, toIssues } from './refusal';
import { prepareSubscription, type PreparedSubscription } from '../fhir/subscription/prepare-subscription';

/** A resource to be stored as a version. */
export interface Preparation {
  readonly space: TenantSpace;
  /** The type in the address. */
  readonly type: string;
  /** The id for the stored text. */
  readonly id: string;
  readonly idMode: IdMode;
  readonly document: JsonDocument;
  /** True: the server itself changes the status of a Subscription. */
  readonly byServer?: boolean;
  /** For a Binary whose content is stored apart. */
  readonly content?: ApartContent | undefined;
}

/** The stored form of a resource. */
export interface PreparedVersion {
  readonly text: string;
  readonly metaOffset: number;
  readonly rows: IndexRows;
  /** Findings that do not refuse the resource. */
  readonly warnings: readonly Issue[];
  /** References to resources in its space; undefined where the tenant's setting turns reference checks off. */
  readonly targets?: readonly LocalTarget[];
  /** For a SearchParameter: the pairs of type and parameter to index. */
  readonly pairs?: readonly ParameterPair[];
  /** For a Subscription. */
  readonly subscription?: PreparedSubscription;
  /** For a patch that only tests: no version is made. */
  readonly changesNothing?: true;
}

/** The services of preparation; each thread has its own. */
export interface PreparationTools extends ContentTools {
  readonly extensionBase: string;
  releaseTypes(space: TenantSpace): ReadonlySet<string>;
  references(space: TenantSpace): ReferenceResolver;
  extract(space: TenantSpace, type: string, resource: JsonObject): IndexRows;
  /** Returns the context for parsing a search in this space. */
  searchContext(space: TenantSpace): SearchTypeContext;
}

/**
 * Prepares a version. Throws one `FhirError` with all errors: 400 if the body is not FHIR of this type, else 422
 * (docs/reference/behaviour.md, Status codes); `tooCostly`; ExceededParameterError. Cost: about 100 µs for an ordinary
 * resource.
 */
export async function prepareVersion(
  tools: PreparationTools,
  preparation: Preparation,
): Promise<PreparedVersion> {
  const { space, type, id, idMode, document } = preparation;
  const sent = checkResource(document, { type, releaseTypes: tools.releaseTypes(space), idMode });
  // Such a text names the content of another version, and has none itself.
  if (apartContentOf(sent, tools.extensionBase) !== undefined)
    throw fhirError('subsetted', {}, `${type}.data.extension`);
  const found = await checkContent(tools, space, sent);
  const whole = withUniqueLabels(sent);
  const labelled =
    preparation.content === undefined
      ? whole
      : withApartContent(whole, preparation.content, tools.extensionBase);
  const subscribed =
    type === SUBSCRIPTION
      ? prepareSubscription(space.release, labelled, preparation.byServer === true)
      : undefined;
  const resource = subscribed?.resource ?? labelled;
  const parameter = type === SEARCH_PARAMETER ? requireParameter(space, id, resource) : undefined;
  const pairs = parameter?.pairs;
  const faults = [...namedQueryIssues(tools, space, type, resource), ...auditEventTagIssues(type, resource)];
  if (faults.length > 0) throw new FhirError('ruleViolated', faults);
  const rows = tools.extract(space, type, resource);
  requireWithinBudget(rows, space.searchParameters);
  const warnings = [...found, ...(parameter?.warnings ?? []), ...(rows.isCut === true ? [CUT] : [])];
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
    ...(subscribed === undefined ? {} : { subscription: subscribed.subscription }),
  };
}

function requireParameter(space: TenantSpace, id: string, resource: JsonObject): CheckedParameter {
  const checked = checkTenantParameter(loadDefinitions(space.release), id, resource, space.searchParameters);
  if (checked.issues.length > 0) throw new FhirError('ruleViolated', checked.issues);
  return checked;
}

/** Returns the errors of a named query of the tenant; none for resources that do not define one. */
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

/** Throws the findings that refuse the resource; returns the others. */
async function checkContent(
  tools: PreparationTools,
  space: TenantSpace,
  resource: JsonObject,
): Promise<readonly Issue[]> {
  const findings = await findInContent(tools, space, resource, levelOf(space));
  const isPublished = space.storesAsPublished === true;
  const refusal = join(isPublished ? undefined : refusalOf(findings), referenceFault(tools, space, resource));
  if (refusal !== undefined) throw refusal;
  if (findings.length === 0) return NO_ISSUES;
  const issues = toIssues(findings);
  return isPublished ? issues.map((issue) => ({ ...issue, severity: 'warning' })) : issues;
}

/** Combines the issues of two errors under the key of the first. */
function join(one: FhirError | undefined, other: FhirError | undefined): FhirError | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new FhirError(one.key, [...one.issues, ...other.issues]);
}

const NO_ISSUES: readonly Issue[] = [];

const CUT: Issue = {
  severity: 'warning',
  code: 'incomplete',
  diagnostics: `Searches by code find this resource by its first ${MOST_LISTED} codes only`,
};

/** Returns the error for references to other tenants and for unresolved references (docs/reference/behaviour.md, References). */
export function referenceFault(
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
