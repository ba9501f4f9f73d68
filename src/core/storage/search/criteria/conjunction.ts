import type { Predicate } from '../../../search/predicate';
import { allTests, shapeOf, valuesOfCriteria, type CompiledPredicate } from './compiled';
import { onHead } from './head';
import type { Scope } from './scope';
import { drivenKeys } from './type';

/** Compiles a predicate that is the conjunction of several criteria on one resource. */
export function compileConjunction(
  { criteria, driver }: Extract<Predicate, { index: 'all' }>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const compiled = scope.compile(criteria, scope);
  return {
    shape: `(${driver ?? ''}${shapeOf(compiled)})`,
    values: valuesOfCriteria(compiled),
    rows: undefined,
    keys: (value) => drivenKeys(compiled, { driver, scope, prefix, value }),
    test: (row, value) =>
      onHead(row, { prefix, scope, value, test: (head) => allTests(compiled, head, value) }),
  };
}
