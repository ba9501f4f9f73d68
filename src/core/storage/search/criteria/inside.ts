import { sql } from 'kysely';
import { containedBase } from '../../../search/rows/index-rows';
import type { Predicate } from '../../../search/predicate';
import { allTests, shapeOf, valuesOfCriteria, type CompiledPredicate } from './compiled';
import type { Scope } from './scope';

/** Compiles criteria on the contained resource that is one block of the row's resource; usable only as a test. */
export function compileInside(
  { container, block, criteria }: Extract<Predicate, { index: 'inside' }>,
  prefix: string,
  { type, names, compile }: Scope,
): CompiledPredicate {
  const base = `${prefix}base`;
  const compiled = compile(criteria, {
    type,
    names,
    compile,
    sortDateParameter: undefined,
    containedMode: 'once',
    contained: { base: (value) => sql`${value(base)}::int`, block: sql.lit(block) },
  });
  return {
    shape: `[${block}${shapeOf(compiled)}]`,
    values: [
      { name: base, type: 'int', value: containedBase(container, block) },
      ...valuesOfCriteria(compiled),
    ],
    rows: undefined,
    keys: () => {
      throw new Error('containers are listed by their index rows; this criterion only tests them');
    },
    test: (row, value) => allTests(compiled, row, value),
  };
}
