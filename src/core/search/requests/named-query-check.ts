/** Checks an OperationDefinition that is a named query before it is stored. */
import { FhirError, toIssue, type Issue } from '../../errors';
import type { JsonObject } from '../../fhir/json';
import { isInclude } from './include';
import {
  criteriaExtensions,
  fillIn,
  parseCriteria,
  readInputs,
  type CriterionTemplate,
  type QueryInput,
} from './named-query';
import { parseSearch } from './parse-search';
import type { SearchTypeContext } from '../types/search-type';

const ROOT = 'OperationDefinition';
const MAX_CRITERIA_LENGTH = 4_000;
const MAX_TYPES = 200;
const CODE = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const INPUT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Parameters of the page and its presentation, which only the client may set. */
const OF_THE_CLIENT: ReadonlySet<string> = new Set([
  ...['_count', '_offset', '_cursor', '_total', '_summary', '_elements', '_contained', '_containedType'],
  ...['_query', '_format', '_pretty', '_explain'],
]);
/** True for parameters whose values have a syntax of their own, in which a client's value could mean anything. */
const isFixed = (name: string): boolean => name === '_filter' || name === '_sort' || isInclude(name);

/** Sample values for each kind of parameter, or for each type. */
const SAMPLES: Readonly<Record<string, string>> = {
  ...{
    number: '1',
    quantity: '1',
    integer: '1',
    decimal: '1',
    positiveInt: '1',
    unsignedInt: '1',
    Quantity: '1',
  },
  ...{ date: '2020-01-01', dateTime: '2020-01-01', instant: '2020-01-01T00:00:00Z' },
  ...{
    boolean: 'true',
    uri: 'http://example.org',
    url: 'http://example.org',
    canonical: 'http://example.org',
  },
};
const OTHER_SAMPLES = ['true', '1', '2020-01-01'] as const;

/**
 * Returns the reasons why a definition with our extension cannot be stored; 422 each. Only active definitions are
 * checked, because no others are executed. `resource`: structurally an OperationDefinition. Cost: below a millisecond
 * for a few types.
 */
export function checkNamedQuery(
  context: SearchTypeContext,
  resource: JsonObject,
  extensionBase: string,
): readonly Issue[] {
  const extensions = criteriaExtensions(resource, extensionBase);
  const [extension] = extensions;
  if (extension === undefined || resource['status'] !== 'active') return [];
  const issues: Issue[] = [];
  const refuse = (reason: string, place: string): void => {
    issues.push(toIssue('ruleViolated', { reason }, `${ROOT}.${place}`));
  };
  if (resource['kind'] !== 'query')
    refuse("An OperationDefinition with search criteria must be of the kind 'query'", 'kind');
  if (resource['type'] !== true)
    refuse('A named query must run on a resource type: type must be true', 'type');
  if (typeof resource['url'] !== 'string')
    refuse('A named query must have a url, which the CapabilityStatement refers to', 'url');
  const code = resource['code'];
  if (typeof code !== 'string' || !CODE.test(code))
    refuse(
      'The code of a named query must have 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter',
      'code',
    );
  const types = readTypes(context, resource, refuse);
  const inputs = readInputs(resource);
  checkInputs(inputs, refuse);
  for (const { place } of extensions.slice(1))
    refuse('A named query must have its criteria once', `extension[${place}]`);
  const { value, place } = extension;
  const refuseCriteria = (reason: string): void => refuse(reason, `extension[${place}].value`);
  if (typeof value !== 'string' || value.length > MAX_CRITERIA_LENGTH)
    refuseCriteria(`The criteria must be a valueString of at most ${MAX_CRITERIA_LENGTH} characters`);
  else checkCriteria(context, { types, inputs, text: value, refuseCriteria, refuse });
  return issues;
}

type Refuse = (reason: string, place: string) => void;

function readTypes({ definitions }: SearchTypeContext, { resource }: JsonObject, refuse: Refuse): string[] {
  const types: string[] = [];
  if (!Array.isArray(resource) || resource.length === 0 || resource.length > MAX_TYPES) {
    refuse('A named query must name the resource types that it searches', 'resource');
    return types;
  }
  for (const [index, type] of resource.entries()) {
    if (typeof type === 'string' && definitions.isResourceType(type)) types.push(type);
    else refuse('This must be a resource type that is not abstract', `resource[${index}]`);
  }
  return types;
}

function checkInputs(inputs: readonly QueryInput[], refuse: Refuse): void {
  const names = new Set<string>();
  for (const { name, place } of inputs) {
    if (!INPUT_NAME.test(name))
      refuse(
        'The name must have 1 to 64 of A-Z a-z 0-9 _ - and begin with a letter',
        `parameter[${place}].name`,
      );
    if (names.has(name)) refuse(`There is another parameter '${name}'`, `parameter[${place}].name`);
    names.add(name);
  }
}

/** The criteria of a named query, its types and inputs, and where mistakes are reported. */
interface CriteriaCheck {
  readonly types: readonly string[];
  readonly inputs: readonly QueryInput[];
  readonly text: string;
  readonly refuseCriteria: (reason: string) => void;
  readonly refuse: Refuse;
}

function checkCriteria(
  context: SearchTypeContext,
  { types, inputs, text, refuseCriteria, refuse }: CriteriaCheck,
): void {
  const templates = parseCriteria(text);
  if (typeof templates === 'string') {
    refuseCriteria(templates);
    return;
  }
  const declared = new Set(inputs.map(({ name }) => name));
  const used = new Set<string>();
  let isSound = true;
  for (const { name, parts } of templates) {
    if (OF_THE_CLIENT.has(name))
      refuseCriteria(`'${name}' is not allowed: the client gives it with its request`);
    for (const part of parts) {
      if (typeof part === 'string') continue;
      used.add(part.input);
      if (!declared.has(part.input))
        refuseCriteria(`The parameter '${part.input}' with the use in does not exist`);
      if (isFixed(name)) refuseCriteria(`'${name}' must have a fixed value`);
      isSound &&= declared.has(part.input) && !isFixed(name);
    }
    isSound &&= !OF_THE_CLIENT.has(name);
  }
  for (const { name, place } of inputs)
    if (!used.has(name)) refuse(`The criteria do not use {${name}}`, `parameter[${place}]`);
  if (!isSound) return;
  for (const type of types) {
    const fault = faultOf(context, type, templates, inputs);
    if (fault === undefined) continue;
    refuseCriteria(`As a search of ${type}: ${fault}`);
    return;
  }
}

/** Returns the fault of the criteria as a search, with a sample value for each input. */
function faultOf(
  context: SearchTypeContext,
  type: string,
  templates: readonly CriterionTemplate[],
  inputs: readonly QueryInput[],
): string | undefined {
  for (const template of templates) {
    let fault: string | undefined;
    // The kind of a string's value depends on its parameter.
    for (const other of OTHER_SAMPLES) {
      const values = new Map(inputs.map(({ name, kind = '' }) => [name, [SAMPLES[kind] ?? other]]));
      const found = parseFault(context, type, fillIn([template], values));
      if (found === undefined) {
        fault = undefined;
        break;
      }
      fault ??= found;
    }
    if (fault !== undefined) return fault;
  }
  return parseFault(
    context,
    type,
    fillIn(
      templates.filter(({ parts }) => parts.every((part) => typeof part === 'string')),
      new Map(),
    ),
  );
}

function parseFault(
  context: SearchTypeContext,
  type: string,
  parameters: readonly (readonly [string, string])[],
): string | undefined {
  try {
    parseSearch(context, type, { parameters }, 'strict');
    return undefined;
  } catch (error) {
    if (error instanceof FhirError) return error.message;
    throw error;
  }
}
