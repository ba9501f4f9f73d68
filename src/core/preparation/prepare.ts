/**
 * What happens to a resource between its parser and its storage: it is checked, validated, and made into the text and
 * the index rows that are stored. The same function runs in the server's own thread and in the worker for long ones.
 */
import type { TenantSpace } from '../context';
import { FhirError, type Issue } from '../errors';
import type { JsonDocument, JsonObject } from '../fhir/json';
import { checkReferences, type ReferenceResolver } from '../fhir/reference';
import { checkResource, type IdMode } from '../fhir/resource';
import { toStoredText } from '../fhir/resource-text';
import type { Finding, PendingCode, ResourceProfile, Validator } from '../fhir/validate';
import type { IndexRows } from '../search/index-rows';
import { refusalOf, toIssues } from './refusal';

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
}

/** What a resource is prepared with; the worker has one of its own. */
export interface PreparationTools {
  readonly extensionBase: string;
  releaseTypes(space: TenantSpace): ReadonlySet<string>;
  validator(space: TenantSpace): Validator;
  references(space: TenantSpace): ReferenceResolver;
  extract(space: TenantSpace, type: string, resource: JsonObject): IndexRows;
  /** The profiles that a resource and the resources in it claim; undefined: none, the usual case. */
  profilesOf(
    space: TenantSpace,
    resource: JsonObject,
  ): Promise<{ profiles: readonly ResourceProfile[]; findings: readonly Finding[] }> | undefined;
  /** What the terminology of the space says about codes that the definitions alone cannot judge. */
  judge(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
}

/**
 * Throws one `FhirError` with all that is wrong: 400 if the body is not FHIR of this type, else 422
 * (contract.md, REST answers); tooCostly. Cost: some 100 µs for an ordinary resource.
 */
export async function prepareVersion(
  tools: PreparationTools,
  preparation: Preparation,
): Promise<PreparedVersion> {
  const { space, type, id, idMode, document } = preparation;
  const resource = checkResource(document, { type, releaseTypes: tools.releaseTypes(space), idMode });
  const warnings = await checkContent(tools, space, resource);
  const rows = tools.extract(space, type, resource);
  const { text, metaOffset } = toStoredText(resource, document.marked, {
    id,
    extensionBase: tools.extensionBase,
  });
  return { text, metaOffset, rows, warnings };
}

/** Throws what refuses the resource; returns the rest. */
async function checkContent(
  tools: PreparationTools,
  space: TenantSpace,
  resource: JsonObject,
): Promise<readonly Issue[]> {
  const isFull = space.settings.validation === 'full';
  const loading = isFull ? tools.profilesOf(space, resource) : undefined;
  const claimed = loading === undefined ? undefined : await loading;
  const { findings, pending } = tools
    .validator(space)
    .validate(resource, claimed === undefined ? { isFull } : { isFull, profiles: claimed.profiles });
  const judged = pending.length === 0 ? NONE : await tools.judge(space, pending);
  const all =
    claimed === undefined && judged.length === 0
      ? findings
      : [...findings, ...judged, ...(claimed?.findings ?? NONE)];
  const refusal = join(refusalOf(all), wallFault(tools, space, resource));
  if (refusal !== undefined) throw refusal;
  return all.length === 0 ? NO_ISSUES : toIssues(all);
}

/** One error with the issues of both; the first decides what it is. */
function join(one: FhirError | undefined, other: FhirError | undefined): FhirError | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return new FhirError(one.key, [...one.issues, ...other.issues]);
}

const NONE: readonly Finding[] = [];
const NO_ISSUES: readonly Issue[] = [];

/** References to other tenants (contract.md, releases and tenants). */
function wallFault(tools: PreparationTools, space: TenantSpace, resource: JsonObject): FhirError | undefined {
  try {
    checkReferences(resource, tools.references(space));
    return undefined;
  } catch (error) {
    if (error instanceof FhirError) return error;
    throw error;
  }
}
