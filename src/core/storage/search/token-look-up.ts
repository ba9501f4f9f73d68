import { sql } from 'kysely';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import type { BoundStatement } from '../connection/connection';
import { requireThat } from '../connection/requirement';
import { bind, defineStatement, template, type Bound } from '../connection/statement';
import type { KeyHalves } from '../key-halves';

/** A token with its system in a parameter of a type. */
export interface TokenQuery {
  readonly type: number;
  readonly parameter: number;
  readonly value: KeyHalves;
  /** Hash of the system; 0: no system. */
  readonly system: number;
}

export interface TokenMatch {
  /** Decimal form of the 64-bit key. */
  readonly keyText: string;
  /** Null where the key stands for the id. */
  readonly id: string | null;
  readonly version: number;
}

const LOOK_UP = defineStatement(
  template(sql`
    select x.ordinal::int, y.resource_key::text, y.id, y.version
    from unnest(${bind('types')}::smallint[], ${bind('parameters')}::int[], ${bind('values')}::bigint[],
                ${bind('systems')}::int[]) with ordinality as x (resource_type, parameter, value_hash, system_hash, ordinal)
    cross join lateral (
      select r.resource_key, r.id, r.version
      from andiron.token_index i
      join andiron.resource r
        on r.space = ${bind('space')}::int and r.resource_type = x.resource_type and r.resource_key = i.resource_key
      where i.space = ${bind('space')}::int and i.parameter = x.parameter and i.value_hash = x.value_hash
        and i.system_hash = x.system_hash
      limit ${bind('most')}::int
    ) y
    limit ${bind('limit')}::int`),
);

// An array, because exactly this resource must have the token. The bound arrays are inside sub-selects: an estimate
// from their lengths would make PostgreSQL plan each execution, which takes as long as the execution itself.
const REQUIRE = defineStatement(
  template(sql`
    select ${requireThat(sql`bool_and(array(
        select r.resource_key
        from andiron.token_index i
        join andiron.resource r
          on r.space = ${bind('space')}::int and r.resource_type = x.resource_type and r.resource_key = i.resource_key
        where i.space = ${bind('space')}::int and i.parameter = x.parameter and i.value_hash = x.value_hash
          and i.system_hash = x.system_hash
        limit 2
      ) = array[x.resource_key])`)}
    from unnest((select ${bind('types')}::smallint[]), (select ${bind('parameters')}::int[]),
                (select ${bind('values')}::bigint[]), (select ${bind('systems')}::int[]), (select ${bind('keys')}::bigint[]))
      as x (resource_type, parameter, value_hash, system_hash, resource_key)`),
);

/** Limit on the tokens in one statement. */
const AT_ONCE = 1000;

/**
 * Returns the live resources that have each token, at most `most` for each, in the order of `queries`. Cost: one
 * statement for each thousand.
 */
export async function lookUpTokens(
  database: Database,
  space: number,
  queries: readonly TokenQuery[],
  most: number,
): Promise<readonly (readonly TokenMatch[])[]> {
  const results: TokenMatch[][] = queries.map(() => []);
  for (let start = 0; start < queries.length; start += AT_ONCE) {
    const slice = queries.slice(start, start + AT_ONCE);
    const rows = await database.run({ lane: 'search', space }, LOOK_UP, {
      space,
      ...encode(slice),
      most,
      limit: slice.length * most,
    });
    for (const [ordinal, keyText, id, version] of rows as [number, string, string | null, number][])
      results[start + ordinal - 1]?.push({ keyText, id, version });
  }
  return results;
}

/**
 * Returns statements for `Connections.runWhole` that fail with `isLostRequirement` unless exactly this live resource
 * has each token; one statement for each thousand tokens.
 */
export function requireTokens(
  space: number,
  required: readonly (TokenQuery & { readonly key: KeyHalves })[],
): BoundStatement[] {
  const statements: BoundStatement[] = [];
  for (let start = 0; start < required.length; start += AT_ONCE) {
    const slice = required.slice(start, start + AT_ONCE);
    const keys = new BinaryArray('int8', 1024);
    for (const { key } of slice) keys.pushInt8(key.high, key.low);
    statements.push({ statement: REQUIRE, bound: { space, ...encode(slice), keys: keys.finish() } });
  }
  return statements;
}

function encode(queries: readonly TokenQuery[]): Readonly<Record<string, Bound>> {
  const types = new BinaryArray('int2');
  const parameters = new BinaryArray('int4');
  const values = new BinaryArray('int8', 1024);
  const systems = new BinaryArray('int4');
  for (const { type, parameter, value, system } of queries) {
    types.pushInt2(type);
    parameters.pushInt4(parameter);
    values.pushInt8(value.high, value.low);
    systems.pushInt4(system);
  }
  return {
    types: types.finish(),
    parameters: parameters.finish(),
    values: values.finish(),
    systems: systems.finish(),
  };
}
