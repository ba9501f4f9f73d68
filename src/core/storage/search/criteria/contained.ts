/** Criteria on contained resources, which have index rows but no head. */
import { sql, type RawBuilder } from 'kysely';
import { containedCriteria } from '../../../search/matching/contained';
import { CONTAINED, MAX_CONTAINED, ROW_SCHEME } from '../../../search/rows/index-rows';
import { modeBehindContained } from '../../../search/matching/links';
import type { Predicate } from '../../../search/predicate';
import type { ValueReference } from '../predicate-parts';
import { allTests, shapeOf, valuesOfCriteria, type CompiledPredicate } from './compiled';
import { headOf, SPACE } from './head';
import { parameterTest, parameterValue } from './parameters';
import type { Scope } from './scope';
import { drivenKeys } from './type';

/**
 * Returns the predicate on the index rows of one contained resource, whose parameters have other numbers
 * (`containedNumber`).
 */
export function withinContained(
  compiled: CompiledPredicate,
  prefix: string,
  base: (value: ValueReference) => RawBuilder<unknown>,
): CompiledPredicate {
  const types = new Map(
    compiled.values
      .filter(({ name }) => name.startsWith(prefix) && /parameters?(_0)?$/.test(name))
      .map(({ name, type }) => [name, type]),
  );
  const inner =
    (value: ValueReference): ValueReference =>
    (name) => {
      const type = types.get(name);
      if (type === undefined) return value(name);
      const toNumber = (number: RawBuilder<unknown>): RawBuilder<unknown> => {
        const scheme = sql.lit(ROW_SCHEME.ofType);
        return sql`(${base(value)} + ${number} / ${scheme} * ${sql.lit(CONTAINED.scheme)} + ${number} % ${scheme})`;
      };
      return type === 'int[]'
        ? sql`(select array_agg(${toNumber(sql`p`)}) from unnest(${value(name)}::int[]) p)`
        : toNumber(sql`${value(name)}::int`);
    };
  return {
    ...compiled,
    rows: undefined,
    keys: (value) => compiled.keys(inner(value)),
    test: (row, value) => compiled.test(row, inner(value)),
  };
}

/**
 * Compiles a chain into contained resources; the container's references to them are marked with their blocks
 * (search/rows/extract.ts). As the driving criterion it finds, for each block in use, the matches of the criteria, then
 * checks the mark. As a test it checks each mark of the row; most rows have none.
 */
export function compileContained(
  predicate: Extract<Predicate, { index: 'target' }>,
  prefix: string,
  { type, names, compile, containedMode }: Scope,
): Omit<CompiledPredicate, 'rows'> {
  const { parameters, target: of } = predicate;
  const alias = `b_${prefix}`;
  const scope: Scope = {
    type,
    names,
    compile,
    sortDateParameter: undefined,
    containedMode: modeBehindContained(predicate, containedMode),
    contained: {
      base: (value) =>
        sql`${sql.lit(CONTAINED.first)} + ${type(value)}::int * ${sql.lit(CONTAINED.type)}
        + ${sql.ref(`${alias}.block`)} * ${sql.lit(CONTAINED.block)}`,
      block: sql.ref(`${alias}.block`),
    },
  };
  const criteria = compile(containedCriteria(of.criteria), scope);
  const [marks, target] = [`${prefix}mark_parameters`, `${prefix}mark_type`];
  const [found, head] = [`f_${prefix}`, `m_${prefix}`];
  const marked = (value: ValueReference): RawBuilder<boolean> =>
    sql`m.space = ${SPACE} and ${parameterTest('m.parameter', parameters, marks, value)}`;
  const typeNumber = (value: ValueReference): RawBuilder<unknown> => sql`${value(target)}::bigint`;
  return {
    shape: `+${of.driver ?? ''}${shapeOf(criteria)}`,
    values: [
      parameterValue(
        parameters.map((number) => number + ROW_SCHEME.contained),
        marks,
      ),
      { name: target, type: 'bigint', value: String(of.type) },
      ...valuesOfCriteria(criteria),
    ],
    keys: (value) => sql`
      select ${sql.ref(`${head}.resource_key`)}
      from generate_series(1, ${sql.lit(MAX_CONTAINED)}) as ${sql.id(alias)} (block)
      cross join lateral (
        select distinct u.resource_key from (${drivenKeys(criteria, { driver: of.driver, scope, prefix: `${prefix}m`, value })}) u
        where exists (
          select 1 from andiron.token_index m
          where ${marked(value)} and m.value_hash = (${typeNumber(value)} << 32) + ${sql.ref(`${alias}.block`)}
          offset 0)
        offset 0
      ) ${sql.id(found)}
      cross join lateral ${headOf(type(value), sql.ref(`${found}.resource_key`), head)}
      where exists (
        select 1 from andiron.token_index m
        where ${marked(value)} and m.value_hash = ${typeNumber(value)}
          and m.sort_date = ${sql.ref(`${head}.sort_date`)} and m.resource_key = ${sql.ref(`${head}.resource_key`)}
          and m.system_hash = ${sql.ref(`${alias}.block`)}
        offset 0)`,
    test: (row, value) => sql`exists (
      select 1 from (
        select m.system_hash from andiron.token_index m
        where ${marked(value)} and m.value_hash = ${typeNumber(value)} and m.sort_date = ${row.sortDate}
          and m.resource_key = ${row.key}
        offset 0
      ) ${sql.id(alias)} (block)
      where ${allTests(criteria, row, value)})`,
  };
}
