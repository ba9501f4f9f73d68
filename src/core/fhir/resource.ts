import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { FhirError, fhirError, toIssue, type Issue } from '../errors';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from './json';
import { shorten } from './json/fault';

/**
 * Origin of a resource's id: the server assigns it (create), the address has it (update), or criteria found it
 * (conditional update), in which case the body may omit it.
 */
export type IdMode = 'assigned' | { readonly id: string; readonly isFound?: boolean };

export interface ResourceExpectation {
  /** The type in the address. */
  readonly type: string;
  /** The concrete resource types of the release. */
  readonly releaseTypes: ReadonlySet<string>;
  readonly idMode: IdMode;
}

export { ID, isValidId } from '../../../packages/fhir-values/id';

const SUBSETTED_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';

/**
 * Returns the resource in a body after checking that it is complete and has the expected type and id. The validator
 * checks all other content.
 *
 * Throws one `FhirError` with all issues: status 400 (`invalidResource`), or 422 (`subsetted`) if the only fault is the
 * tag SUBSETTED (https://hl7.org/fhir/R4/resource.html#simple-tags). Cost: well under a microsecond.
 */
export function checkResource(document: JsonDocument, expected: ResourceExpectation): JsonObject {
  const resource = document.value;
  if (!isJsonObject(resource)) {
    throw fhirError('invalidResource', {
      reason: `The body must be a JSON object: a ${expected.type} resource`,
    });
  }
  const issues: Issue[] = [];
  checkType(resource, expected, issues);
  if (expected.idMode !== 'assigned') checkId(resource, expected.type, expected.idMode, issues);
  if (issues.length > 0) throw new FhirError('invalidResource', issues);
  const subsetted = subsettedTag(resource['meta']);
  if (subsetted !== undefined) throw fhirError('subsetted', {}, `${expected.type}.meta.tag[${subsetted}]`);
  return resource;
}

function checkType(resource: JsonObject, expected: ResourceExpectation, issues: Issue[]): void {
  const type = resource['resourceType'];
  if (type === expected.type) return;
  if (type === undefined) {
    const reason = `The body has no resourceType; at this address it must be '${expected.type}'`;
    issues.push(toIssue('requiredMissing', { reason }, `${expected.type}.resourceType`));
  } else if (typeof type !== 'string') {
    issues.push(
      toIssue('invalidValue', { reason: 'resourceType must be a string' }, `${expected.type}.resourceType`),
    );
  } else {
    const addition = expected.releaseTypes.has(type)
      ? ''
      : ', which is not a resource type of this FHIR release';
    const hint = addition === '' ? '' : didYouMean(type, expected.releaseTypes);
    const reason = `The body is a '${shorten(type)}'${addition}, but the address is for ${expected.type}${hint}`;
    issues.push(toIssue('invalidValue', { reason }, `${expected.type}.resourceType`));
  }
}

function checkId(
  resource: JsonObject,
  type: string,
  { id, isFound = false }: Exclude<IdMode, 'assigned'>,
  issues: Issue[],
): void {
  const given = resource['id'];
  if (given === id || (given === undefined && isFound)) return;
  if (given === undefined) {
    const reason = `The body has no id; an update must repeat the id of its address, '${id}'`;
    issues.push(toIssue('requiredMissing', { reason }, `${type}.id`));
  } else if (typeof given !== 'string') {
    issues.push(toIssue('invalidValue', { reason: 'id must be a string' }, `${type}.id`));
  } else {
    const other = isFound ? 'resource that meets the criteria' : 'address';
    const reason = `The id in the body, '${shorten(given)}', differs from the id of the ${other}, '${id}'`;
    issues.push(toIssue('invalidValue', { reason }, `${type}.id`));
  }
}

/** Returns the index of a tag SUBSETTED. */
function subsettedTag(meta: JsonValue | undefined): number | undefined {
  const tags = isJsonObject(meta) ? meta['tag'] : undefined;
  if (!Array.isArray(tags)) return undefined;
  const index = tags.findIndex(
    (tag) => isJsonObject(tag) && tag['code'] === 'SUBSETTED' && tag['system'] === SUBSETTED_SYSTEM,
  );
  return index === -1 ? undefined : index;
}
