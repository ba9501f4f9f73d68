/** The expressions of search parameters as functions. Those that tenants wrote are bounded in what they may take. */
import type { Definitions, SearchParameterDefinition } from '../fhir/definitions';
import type { JsonValue } from '../fhir/json';
import { compilePath, PathEvaluationError, type PathAllowance, type PathValue } from '../fhir/path';

export type ParameterPath = (root: JsonValue | PathValue) => readonly PathValue[];

/** Values that the expressions of one parameter of a tenant may go through in one resource: some 25 ms. */
const MAX_FOREIGN_STEPS = 50_000;

const NOTHING: readonly PathValue[] = [];

/** Of one parameter in one resource. */
export function newAllowance(): PathAllowance {
  return { left: MAX_FOREIGN_STEPS };
}

export function renewAllowance(allowance: PathAllowance): void {
  allowance.left = MAX_FOREIGN_STEPS;
}

/**
 * The expression of a parameter, or of a part of it. An expression of a tenant that goes through too many values finds
 * nothing, in the same resource always: what is found must be a function of the resource.
 *
 * @param options.rootType a type, or the path of an element such as `Observation.component`; undefined: the parameter's
 * @param options.allowance shared by several evaluations; undefined: each has its own
 */
export function compileParameterPath(
  definitions: Definitions,
  { type, isForeign = false }: Pick<SearchParameterDefinition, 'type' | 'isForeign'>,
  expression: string,
  options: { readonly rootType?: string; readonly allowance?: PathAllowance } = {},
): ParameterPath {
  const path = compilePath(expression, { definitions, rootType: options.rootType ?? type, isForeign });
  if (!isForeign) return path;
  return (root) => {
    try {
      return path(root, { allowance: options.allowance ?? newAllowance() });
    } catch (error) {
      // RangeError: a text that would be longer than texts can be.
      if (error instanceof PathEvaluationError || error instanceof RangeError) return NOTHING;
      throw error;
    }
  };
}
