import { errorOf, type FhirError, toIssue } from '../errors';
import { parseCriterion } from '../search/criteria';
import { explainParameters } from '../search/parameters/searchable-parameters';
import type { SearchTypeContext } from '../search/types/search-type';
import { ANY_TYPE } from './right';

/**
 * Returns why a criterion, such as `category=laboratory`, is valid for the type in none of the contexts (the releases of a
 * tenant); undefined: it is valid in one. The type `*` stands for all: one that has the parameter is enough. Cost: some 10 µs for each
 * context and type.
 */
export function criterionFault(
  contexts: readonly SearchTypeContext[],
  type: string,
  [name, value]: readonly [name: string, value: string],
): string | undefined {
  const faults = contexts.map((context) => faultIn(context, type, name, value));
  const [fault] = faults;
  return fault === undefined || faults.includes(undefined) ? undefined : fault;
}

function faultIn(context: SearchTypeContext, type: string, name: string, value: string): string | undefined {
  const { definitions } = context;
  if (type === ANY_TYPE) {
    const isValid = definitions.resourceTypes.some((each) => parse(context, each, name, value).isRead);
    return isValid ? undefined : 'no type has it';
  }
  if (!definitions.isResourceType(type)) return 'the release does not have the type';
  const { isRead, error } = parse(context, type, name, value);
  if (isRead || error !== undefined) return error?.message;
  const explanation = explainParameters(context, type, name);
  return toIssue('unknownParameter', { parameter: name.slice(0, 80), type, explanation }).diagnostics;
}

/** Neither read nor an error: the type has no such parameter. */
function parse(
  context: SearchTypeContext,
  type: string,
  name: string,
  value: string,
): { readonly isRead: boolean; readonly error: FhirError | undefined } {
  let isRead = false;
  const error = errorOf(() => {
    isRead = parseCriterion(context, type, name, value) !== undefined;
  });
  return { isRead, error };
}
