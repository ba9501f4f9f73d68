/**
 * Composites whose rows are, for each code, in the order of another parameter. The rows of `code-value-quantity` under
 * one code are ordered by `value-quantity`, so that `code=…&_sort=value-quantity` is an index scan.
 */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import { branchesOf, storedParameters, type StoredParameter } from '../parameters/parameter';
import { isSingleValued } from '../parameters/single-valued';

/** A composite of a code and a range, both of the resource itself. */
export interface CompositeOrder {
  /** The parameter number of its rows. */
  readonly composite: number;
  /** The parameter number of the rows of the code that comes first. */
  readonly code: number;
  /** The parameter whose order the rows have; a resource has at most one value of it. */
  readonly sorted: SearchParameterDefinition;
  /** True: the composite omits some values (SampledData), which have rows of their own (ROW_SCHEME.ordered). */
  readonly isPartial: boolean;
}

const cached = new WeakMap<ReadonlyMap<string, StoredParameter>, readonly CompositeOrder[]>();

/** Returns the ordered composites of a type, none of them made by tenants. Cost: two lookups after the first time. */
export function compositeOrders(definitions: Definitions, type: string): readonly CompositeOrder[] {
  const stored = storedParameters(definitions, type);
  let orders = cached.get(stored);
  if (orders === undefined) {
    orders = [...stored.values()].flatMap((composite) => decide(definitions, type, stored, composite) ?? []);
    cached.set(stored, orders);
  }
  return orders;
}

function decide(
  definitions: Definitions,
  type: string,
  stored: ReadonlyMap<string, StoredParameter>,
  { parameter, storage }: StoredParameter,
): CompositeOrder | undefined {
  const [first, second, ...others] = parameter.components;
  if (parameter.kind !== 'composite' || parameter.isForeign === true || storage !== 'own') return undefined;
  if (parameter.expression !== type || first?.kind !== 'token' || second === undefined || others.length > 0)
    return undefined;
  const [code, sorted] = [stored.get(first.code), stored.get(second.code)];
  if (code === undefined || sorted === undefined) return undefined;
  const [codeRows, ...furtherRows] = code.rowsOf;
  if (codeRows === undefined || furtherRows.length > 0 || codeRows.targetType !== undefined) return undefined;
  const { kind } = sorted.parameter;
  if (kind !== second.kind || (kind !== 'date' && kind !== 'number' && kind !== 'quantity')) return undefined;
  const ofCode = branchesOf({ ...code.parameter, type, expression: first.expression });
  if (!isPart(ofCode, branchesOf(code.parameter)) || !isPart(branchesOf(code.parameter), ofCode))
    return undefined;
  const ofValue = branchesOf({ ...sorted.parameter, type, expression: second.expression });
  const all = branchesOf(sorted.parameter);
  if (!isPart(ofValue, all) || !isSingleValued(definitions, sorted)) return undefined;
  return {
    composite: parameter.number,
    code: codeRows.number,
    sorted: sorted.parameter,
    isPartial: !isPart(all, ofValue),
  };
}

function isPart(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const branch of some) if (!all.has(branch)) return false;
  return true;
}
