import { sql, type RawBuilder } from 'kysely';
import type { TypeCriteria } from '../../../search/predicate';
import type { ValueReference } from '../predicate-parts';
import { allTests, isAmong, type CompiledPredicate } from './compiled';
import { headOf, headRow, SPACE } from './head';
import { parameterTest, parameterValue } from './parameters';
import type { Scope } from './scope';
import { compileType } from './type';

/** A link through canonicals. */
export interface NamedLink {
  readonly parameters: readonly number[];
  readonly urls: readonly number[];
  readonly of: TypeCriteria;
  readonly prefix: string;
  readonly scope: Scope;
}

/**
 * Compiles a chain or `_has` through canonicals. It joins the url rows of the named resources, which are few, with the
 * rows of canonicals that name them. A canonical without a version names every version.
 */
export function compileNamed(
  side: 'target' | 'source',
  { parameters, urls, of, prefix, scope }: NamedLink,
): CompiledPredicate {
  const inner = compileType(of, `${prefix}n`, scope);
  const names = { canonicals: `${prefix}canonicals`, urls: `${prefix}urls` };
  const [named, naming, head] = [`u_${prefix}`, `v_${prefix}`, `w_${prefix}`];
  const meets = (key: string, value: ValueReference): RawBuilder<unknown> => sql`exists (
    select 1 from ${headOf(inner.scope.type(value), sql.ref(key), head)}
    where ${allTests(inner.criteria, headRow(head), value)})`;
  const isNamed = (value: ValueReference): RawBuilder<unknown> => sql`
    ${sql.ref(`${naming}.space`)} = ${SPACE}
    and ${parameterTest(`${naming}.parameter`, parameters, names.canonicals, value)}
    and ${sql.ref(`${naming}.value`)} = ${sql.ref(`${named}.value`)}
    and ${sql.ref(`${naming}.version`)} in ('', ${sql.ref(`${named}.version`)})`;
  const isUrl = (value: ValueReference): RawBuilder<unknown> => sql`
    ${sql.ref(`${named}.space`)} = ${SPACE} and ${parameterTest(`${named}.parameter`, urls, names.urls, value)}`;
  const [namedTable, namingTable] = [named, naming].map((alias) => sql`andiron.uri_index ${sql.id(alias)}`);
  const keys = (value: ValueReference): RawBuilder<unknown> =>
    side === 'target'
      ? sql`
        select ${sql.ref(`${head}k.resource_key`)}
        from ${namedTable}
        cross join lateral (
          select ${sql.ref(`${naming}.resource_key`)} from ${namingTable} where ${isNamed(value)} offset 0
        ) ${sql.id(`${head}k`)}
        where ${isUrl(value)} and ${meets(`${named}.resource_key`, value)}`
      : sql`
        select ${sql.ref(`${named}.resource_key`)}
        from ${namedTable}
        where ${isUrl(value)} and exists (
          select 1 from ${namingTable} where ${isNamed(value)} and ${meets(`${naming}.resource_key`, value)} offset 0)`;
  return {
    shape: `${side === 'target' ? '>' : '<'}u${parameters.length === 1 ? '' : '*'}${urls.length === 1 ? '' : '*'}${inner.shape}`,
    values: [parameterValue(parameters, names.canonicals), parameterValue(urls, names.urls), ...inner.values],
    rows: undefined,
    keys,
    test: (row, value) => isAmong(row.key, keys(value)),
  };
}
