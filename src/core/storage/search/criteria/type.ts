/** Conjunctions of criteria on resources of one type, with the matches found by one of them. */
import { sql, type RawBuilder } from 'kysely';
import { modeBehindStored } from '../../../search/matching/links';
import type { TypeCriteria } from '../../../search/predicate';
import type { PredicateValue, ValueReference } from '../predicate-parts';
import { allTests, criterionKeys, shapeOf, valuesOfCriteria, type CompiledCriteria } from './compiled';
import { headOf, headRow } from './head';
import type { Scope } from './scope';

/** Resources of one type that match all criteria, found by the driving one. */
interface CompiledType {
  readonly criteria: CompiledCriteria;
  readonly scope: Scope;
  readonly shape: string;
  readonly values: readonly PredicateValue[];
  /** Selects `resource_key`; only if the planner chose a driving criterion. */
  keys(value: ValueReference): RawBuilder<unknown>;
}

export function compileType(
  of: TypeCriteria,
  prefix: string,
  { names, compile, containedMode }: Scope,
): CompiledType {
  const name = `${prefix}type`;
  const scope: Scope = {
    type: (value) => sql`${value(name)}::smallint`,
    sortDateParameter: of.sortDateParameter,
    names,
    compile,
    containedMode: modeBehindStored(containedMode),
  };
  const criteria = compile(of.criteria, scope);
  return {
    criteria,
    scope,
    shape: `{${of.driver ?? ''}${shapeOf(criteria)}}`,
    values: [{ name, type: 'smallint', value: of.type }, ...valuesOfCriteria(criteria)],
    keys: (value) => drivenKeys(criteria, { driver: of.driver, scope, prefix, value }),
  };
}

export function drivenKeys(
  criteria: CompiledCriteria,
  {
    driver,
    scope,
    prefix,
    value,
  }: {
    readonly driver: number | undefined;
    readonly scope: Scope;
    readonly prefix: string;
    readonly value: ValueReference;
  },
): RawBuilder<unknown> {
  const driving = driver === undefined ? undefined : criteria[driver];
  if (driving === undefined) throw new Error('Criteria without a driver can only be tested');
  const others = criteria.filter((criterion) => criterion !== driving);
  const keys = criterionKeys(driving, value);
  if (others.length === 0) return keys;
  const alias = `h_${prefix}`;
  return sql`
    select ${sql.ref(`${alias}.resource_key`)}
    from (select distinct u.resource_key from (${keys}) u) ${sql.id(`d_${prefix}`)}
    cross join lateral ${headOf(scope.type(value), sql.ref(`d_${prefix}.resource_key`), alias)}
    where ${allTests(others, headRow(alias), value)}`;
}
