import { sql } from 'kysely';
import { searchesContained, searchesStored } from '../../../search/matching/links';
import type { Criterion, Predicate } from '../../../search/predicate';
import { allTests, type CompiledPredicate, type CompiledTargets } from './compiled';
import { compileContained } from './contained';
import { headOf, headRow, onHead, SPACE } from './head';
import { parameterTest, parameterValue } from './parameters';
import type { Scope } from './scope';
import { compileType } from './type';

/**
 * Compiles a chain. As the driving criterion it finds the targets that match, then the resources that refer to them. As
 * a test it takes each target of the row, confirms it by one probe of reference_index, then tests it.
 */
export function compileTarget(
  predicate: Extract<Predicate, { index: 'target' }>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const { parameters, target: of } = predicate;
  if (!searchesStored(predicate)) return compileContainedTarget(predicate, prefix, scope);
  const target = compileType(of, `${prefix}t`, scope);
  const contained = searchesContained(predicate, scope.containedMode)
    ? compileContained(predicate, prefix, scope)
    : undefined;
  const byKey = of.criteria.every(isByKey);
  const parameterName = `${prefix}parameters`;
  const [key, source, head] = [`k_${prefix}`, `i_${prefix}`, `o_${prefix}`];
  const condition: CompiledTargets['condition'] = (targetKey, value) =>
    sql`f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
          and f.target_key = ${targetKey} and f.target_type = ${target.scope.type(value)}`;
  return {
    ...(contained === undefined ? { byTarget: { keys: (value) => target.keys(value), condition } } : {}),
    shape: `>${parameters.length === 1 ? '' : '*'}${target.shape}${contained?.shape ?? ''}`,
    values: [parameterValue(parameters, parameterName), ...target.values, ...(contained?.values ?? [])],
    rows: undefined,
    keys: (value) => sql`
      select ${sql.ref(`${head}.resource_key`)}
      from (select distinct u.resource_key from (${target.keys(value)}) u) ${sql.id(source)}
      cross join lateral (
        select f.resource_key from andiron.reference_index f
        where ${condition(sql.ref(`${source}.resource_key`), value)}
        offset 0
      ) ${sql.id(head)}
      ${contained === undefined ? sql`` : sql`union all ${contained.keys(value)}`}`,
    test: (row, value) =>
      onHead(row, {
        prefix,
        scope,
        value,
        test: (tested) => {
          const alias = `g_${prefix}`;
          return sql`(exists (
          select 1 from unnest(${sql.ref(`${tested.head}.target_keys`)}) as ${sql.id(key)} (target_key)
          ${byKey ? sql`` : sql`cross join lateral ${headOf(target.scope.type(value), sql.ref(`${key}.target_key`), alias)}`}
          where exists (
            select 1 from andiron.reference_index f
            where f.space = ${SPACE} and ${parameterTest('f.parameter', parameters, parameterName, value)}
              and f.target_key = ${sql.ref(`${key}.target_key`)} and f.sort_date = ${tested.sortDate}
              and f.resource_key = ${tested.key} and f.target_type = ${target.scope.type(value)}
            offset 0)
          and ${allTests(
            target.criteria,
            byKey ? { key: sql.ref(`${key}.target_key`) } : headRow(alias),
            value,
          )})${contained === undefined ? sql`` : sql` or ${contained.test(tested, value)}`})`;
        },
      }),
  };
}

/** Compiles only the part of a chain that leads to contained resources. */
function compileContainedTarget(
  predicate: Extract<Predicate, { index: 'target' }>,
  prefix: string,
  scope: Scope,
): CompiledPredicate {
  const contained = compileContained(predicate, prefix, scope);
  return {
    ...contained,
    shape: `>${predicate.parameters.length === 1 ? '' : '*'}${contained.shape}`,
    rows: undefined,
    test: (row, value) =>
      onHead(row, { prefix, scope, value, test: (tested) => contained.test(tested, value) }),
  };
}

/** True for a criterion that needs only the key of a resource and that no deleted resource matches. */
function isByKey({ anyOf, isNegated }: Criterion): boolean {
  return isNegated !== true && anyOf.every(({ index }) => BY_KEY.has(index));
}
const BY_KEY: ReadonlySet<Predicate['index']> = new Set([
  'string',
  'substring',
  'uri',
  'uriSubstring',
  'codes',
]);
