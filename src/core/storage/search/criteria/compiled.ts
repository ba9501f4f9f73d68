/** Compiled criteria and their combination into SQL. */
import { sql, type RawBuilder } from 'kysely';
import type { PredicateSql, PredicateValue, ValueReference } from '../predicate-parts';
import type { TestedRow } from './tested-row';

export interface CompiledPredicate {
  /** Two predicates of one shape have the same SQL text except for the names of their values. */
  readonly shape: string;
  readonly values: readonly PredicateValue[];
  /** Undefined: it has no index rows of its own that can be scanned in order. */
  readonly rows: PredicateSql | undefined;
  /** True: the planner chose nothing to find its keys by, because there is too much of everything. */
  readonly isUndriven?: boolean;
  /** Selects `resource_key`, repeated if several rows match; only where `hasAccessPath` is true. */
  keys(value: ValueReference): RawBuilder<unknown>;
  test(row: TestedRow, value: ValueReference): RawBuilder<boolean>;
  /** For a chain: its targets, and the references to one of them. */
  readonly byTarget?: CompiledTargets;
}

export interface CompiledTargets {
  /** Selects `resource_key` of the targets, some of them several times. */
  keys(value: ValueReference): RawBuilder<unknown>;
  /** Condition that a row `f` of reference_index refers to this target. */
  condition(target: RawBuilder<unknown>, value: ValueReference): RawBuilder<unknown>;
}

export interface CompiledCriterion {
  readonly alternatives: readonly CompiledPredicate[];
  readonly isNegated: boolean;
  readonly asSet: boolean;
}

export type CompiledCriteria = readonly CompiledCriterion[];

/** Selects the keys of all resources that match one of the alternatives. */
export function criterionKeys(
  { alternatives }: Pick<CompiledCriterion, 'alternatives'>,
  value: ValueReference,
): RawBuilder<unknown> {
  return alternatives.length === 0
    ? sql`select 0::bigint as resource_key where false`
    : sql.join(
        alternatives.map((alternative) => alternative.keys(value)),
        sql` union all `,
      );
}

export function criterionTest(
  { alternatives, isNegated, asSet }: CompiledCriterion,
  row: TestedRow,
  value: ValueReference,
): RawBuilder<boolean> {
  if (alternatives.length === 0) return isNegated ? sql`true` : sql`false`;
  const sets = asSet ? alternatives.filter(({ isUndriven }) => isUndriven !== true) : [];
  const tests = alternatives.filter((alternative) => !sets.includes(alternative));
  const test = sql<boolean>`(${sql.join(
    [
      ...(sets.length === 0 ? [] : [isAmong(row.key, criterionKeys({ alternatives: sets }, value))]),
      ...tests.map((alternative) => alternative.test(row, value)),
    ],
    sql` or `,
  )})`;
  return isNegated ? sql`not ${test}` : test;
}

/**
 * Tests membership in a set of keys that is computed once. `is true` stops the planner from turning it into a join,
 * which it would run once for each row (measured 10 s against 15 ms).
 */
export function isAmong(key: RawBuilder<unknown>, keys: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`((${key} in (${keys})) is true)`;
}

export function allTests(
  criteria: CompiledCriteria,
  row: TestedRow,
  value: ValueReference,
): RawBuilder<boolean> {
  if (criteria.length === 0) return sql`true`;
  return sql`(${sql.join(
    criteria.map((criterion) => criterionTest(criterion, row, value)),
    sql` and `,
  )})`;
}

/** Returns the part of the criteria that determines the SQL text, without the names of values. */
export function shapeOf(criteria: CompiledCriteria): string {
  let shape = '';
  for (const { alternatives, isNegated, asSet } of criteria) {
    shape += `${isNegated ? ' !' : ' '}${asSet ? '#' : ''}`;
    for (const alternative of alternatives) shape += `,${alternative.shape}`;
  }
  return shape;
}

export function valuesOfCriteria(criteria: CompiledCriteria): PredicateValue[] {
  return criteria.flatMap(({ alternatives }) => alternatives.flatMap(({ values }) => values));
}
