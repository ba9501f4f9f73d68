import { sql, type RawBuilder } from 'kysely';
import type { Predicate } from '../../../search/predicate';
import { allTests, type CompiledPredicate } from './compiled';
import type { ValueReference } from '../predicate-parts';
import { headOf, SPACE } from './head';
import { parameterTest, parameterValue } from './parameters';
import type { Scope } from './scope';
import { compileType } from './type';

/**
 * Compiles `_has`. As the driving criterion it finds the sources that match, then each of their existing targets,
 * confirmed by one probe. As a test it tests the resources that refer to the row's resource one after the other.
 */
export function compileSource(
  { parameters, source: of, isOpening = false }: Omit<Extract<Predicate, { index: 'source' }>, 'urls'>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const source = compileType(of, `${prefix}s`, scope);
  const parameterName = `${prefix}parameters`;
  const [found, head, key] = [`i_${prefix}`, `o_${prefix}`, `k_${prefix}`];
  /** Condition that the reference opens its target. */
  const opens = (
    value: ValueReference,
    { key: sourceKey, target }: { readonly key: RawBuilder<unknown>; readonly target: RawBuilder<unknown> },
  ): RawBuilder<unknown> =>
    isOpening
      ? sql` and not exists (
        select 1 from andiron.unopened_reference n
        join andiron.resource w
          on w.space = ${SPACE} and w.resource_type = n.resource_type and w.resource_key = n.resource_key
          and w.version = n.version
        where n.space = ${SPACE} and n.resource_type = ${source.scope.type(value)} and n.resource_key = ${sourceKey}
          and n.target_type = ${scope.type(value)} and n.target_key = ${target}
        offset 0)`
      : sql``;
  return {
    shape: `<${isOpening ? 'o' : ''}${parameters.length === 1 ? '' : '*'}${source.shape}`,
    values: [parameterValue(parameters, parameterName), ...source.values],
    rows: undefined,
    isUndriven: of.driver === undefined,
    keys: (value) => sql`
      select ${sql.ref(`${key}.target_key`)} as resource_key
      from (select distinct u.resource_key from (${source.keys(value)}) u) ${sql.id(found)}
      cross join lateral ${headOf(source.scope.type(value), sql.ref(`${found}.resource_key`), head)}
      cross join lateral unnest(${sql.ref(`${head}.target_keys`)}) as ${sql.id(key)} (target_key)
      where exists (
        select 1 from andiron.reference_index f
        where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${sql.ref(`${key}.target_key`)} and f.sort_date = ${sql.ref(`${head}.sort_date`)}
          and f.resource_key = ${sql.ref(`${head}.resource_key`)} and f.target_type = ${scope.type(value)}
        offset 0)${opens(value, { key: sql.ref(`${head}.resource_key`), target: sql.ref(`${key}.target_key`) })}
      and exists (
        select 1 from andiron.resource r
        where r.space = ${SPACE} and r.resource_type = ${scope.type(value)}
          and r.resource_key = ${sql.ref(`${key}.target_key`)} and not r.deleted
        offset 0)`,
    test: (row, value) => sql`exists (
      select 1 from (
        select f.resource_key, f.sort_date from andiron.reference_index f
        where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${row.key} and f.target_type = ${scope.type(value)}${opens(value, { key: sql`f.resource_key`, target: row.key })}
        offset 0
      ) ${sql.id(found)}
      where ${allTests(
        source.criteria,
        { key: sql.ref(`${found}.resource_key`), sortDate: sql.ref(`${found}.sort_date`) },
        value,
      )})`,
  };
}
