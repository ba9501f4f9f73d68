import { FhirError, fhirError, toIssue, type Issue } from '../errors';
import { isJsonObject, type JsonDocument, type JsonObject, type JsonValue } from './json';
import { shorten, toExpression } from './json/fault';

/** Where the id of a resource comes from: the server makes one (create), or the address names it (update). */
export type IdMode = 'assigned' | { readonly id: string };

export interface ResourceExpectation {
  /** The type that the address names. */
  readonly type: string;
  /** The concrete resource types of the release. */
  readonly releaseTypes: ReadonlySet<string>;
  readonly idMode: IdMode;
}

const ID = /^[A-Za-z0-9\-.]{1,64}$/;
const SUBSETTED_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';

/** True for what https://hl7.org/fhir/R4/datatypes.html#id allows. */
export function isValidId(id: string): boolean {
  return ID.test(id);
}

/**
 * The resource in a body, once it is certain that it is one of the expected type and id and that its `meta` has the
 * right shape. Everything else about its content is for the validator.
 *
 * Throws one `FhirError` with all issues: status 400 (`invalidResource`), or 422 (`subsetted`) when the only fault is
 * the tag SUBSETTED (https://hl7.org/fhir/R4/resource.html#simple-tags). Cost: well under a microsecond.
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
  if (expected.idMode !== 'assigned') checkId(resource, expected.type, expected.idMode.id, issues);
  const meta = resource['meta'];
  const subsetted = meta === undefined ? undefined : checkMeta(meta, expected.type, issues);
  if (issues.length > 0) throw new FhirError('invalidResource', issues);
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
    const known = expected.releaseTypes.has(type)
      ? ''
      : ', which is not a resource type of this FHIR release';
    const reason = `The body is a '${shorten(type)}'${known}, but the address is for ${expected.type}`;
    issues.push(toIssue('invalidValue', { reason }, `${expected.type}.resourceType`));
  }
}

function checkId(resource: JsonObject, type: string, id: string, issues: Issue[]): void {
  const given = resource['id'];
  if (given === id) return;
  if (given === undefined) {
    const reason = `The body has no id; an update must repeat the id of its address, '${id}'`;
    issues.push(toIssue('requiredMissing', { reason }, `${type}.id`));
  } else if (typeof given !== 'string') {
    issues.push(toIssue('invalidValue', { reason: 'id must be a string' }, `${type}.id`));
  } else {
    const reason = `The id in the body, '${shorten(given)}', differs from the id of the address, '${id}'`;
    issues.push(toIssue('invalidValue', { reason }, `${type}.id`));
  }
}

/** Adds what is wrong with the shape of `meta`; returns the index of a tag SUBSETTED. */
function checkMeta(meta: JsonValue, type: string, issues: Issue[]): number | undefined {
  const refuse = (path: readonly (string | number)[], expectation: string): void => {
    const expression = toExpression(type, ['meta', ...path]);
    issues.push(toIssue('invalidResource', { reason: `${expression} must be ${expectation}` }, expression));
  };
  if (!isJsonObject(meta)) {
    refuse([], 'an object');
    return undefined;
  }
  for (const name of STRING_MEMBERS) {
    const value = meta[name];
    if (value !== undefined && !isText(value)) refuse([name], 'a string');
  }
  eachElement(meta, 'profile', refuse, (value, index) => {
    // A null holds the place of an element that has only an id or extensions, in `_profile`.
    const isPlaceholder = value === null && meta['_profile'] !== undefined;
    if (!isText(value) && !isPlaceholder) refuse(['profile', index], 'a string');
  });
  eachElement(meta, 'security', refuse, (value, index) => {
    if (!isJsonObject(value)) refuse(['security', index], 'an object');
  });
  eachElement(meta, 'extension', refuse, (value, index) => {
    if (!isJsonObject(value)) refuse(['extension', index], 'an object');
    else if (!isText(value['url'])) refuse(['extension', index, 'url'], 'a string');
  });
  let subsetted: number | undefined;
  eachElement(meta, 'tag', refuse, (value, index) => {
    if (!isJsonObject(value)) refuse(['tag', index], 'an object');
    else if (value['code'] === 'SUBSETTED' && value['system'] === SUBSETTED_SYSTEM) subsetted = index;
  });
  return subsetted;
}

const STRING_MEMBERS = ['id', 'versionId', 'lastUpdated', 'source'] as const;

function eachElement(
  meta: JsonObject,
  name: string,
  refuse: (path: readonly (string | number)[], expectation: string) => void,
  check: (value: JsonValue, index: number) => void,
): void {
  const elements = meta[name];
  if (elements === undefined) return;
  if (Array.isArray(elements)) elements.forEach(check);
  else refuse([name], 'an array');
}

/** A string that is not a marked decimal. */
function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.charCodeAt(0) !== 1;
}
