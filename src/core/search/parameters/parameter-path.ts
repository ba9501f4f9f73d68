/** Compiles the expressions of search parameters to functions. Those of tenants have a budget. */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { JsonValue } from '../../fhir/json';
import { compilePath, PathAllowance, PathError, type PathValue } from '../../fhir/path';

export type ParameterPath = (root: JsonValue | PathValue) => readonly PathValue[];

/** Limit on steps of the expressions of one parameter of a tenant in one resource: some 25 ms. */
export const MAX_FOREIGN_STEPS = 250_000;

const NOTHING: readonly PathValue[] = [];

/** Creates the budget of one parameter in one resource. */
export function newAllowance(): PathAllowance {
  return new PathAllowance(MAX_FOREIGN_STEPS);
}

export function renewAllowance(allowance: PathAllowance): void {
  allowance.left = MAX_FOREIGN_STEPS;
  allowance.pause();
}

/**
 * Compiles the expression of a parameter, or of a part of it. A tenant's expression that exhausts its budget gives no
 * values and leaves a negative allowance.
 *
 * @param options.rootType a type, or the path of an element such as `Observation.component`; default: the parameter's
 * @param options.allowance shared by several evaluations; default: a new one for each
 */
export function compileParameterPath(
  definitions: Definitions,
  { type, isForeign = false }: Pick<SearchParameterDefinition, 'type' | 'isForeign'>,
  expression: string,
  options: { readonly rootType?: string; readonly allowance?: PathAllowance } = {},
): ParameterPath {
  const path = compilePath(expression, {
    definitions,
    rootType: options.rootType ?? type,
    isFromClient: isForeign,
  });
  if (!isForeign) return path;
  return (root) => {
    const allowance = options.allowance ?? newAllowance();
    try {
      return path(root, { allowance });
    } catch (error) {
      if (!(error instanceof PathError)) throw error;
      allowance.left = -1;
      return NOTHING;
    }
  };
}
