import { sql } from 'kysely';
import { ROW_SCHEME } from '../../search/rows/index-rows';
import { BinaryArray } from '../connection/binary-array';
import type { Database } from '../connection/database';
import { asPlanningQuery, bind, defineStatement, template } from '../connection/statement';
import { keyOfText } from '../read/version-row';
import type { KeyHalves } from '../key-halves';

/** The first link of a chain: reference parameters, and the number of the type of their targets. */
export interface ChainLink {
  readonly parameters: readonly number[];
  readonly type: number;
}

const MARKED = asPlanningQuery(
  defineStatement(
    template(sql`
      select distinct x.place
      from unnest(${bind('places')}::int[], ${bind('parameters')}::int[], ${bind('types')}::bigint[])
        as x (place, parameter, type)
      where exists (
        select 1 from andiron.token_index t
        where t.space = ${bind('space')}::int and t.parameter = x.parameter and t.value_hash = x.type
        offset 0)
      limit ${bind('limit')}::int`),
  ),
);

/**
 * Returns the positions of links by which some resource of the space refers to one that it contains. Cost: one
 * statement, a probe for each parameter of a link.
 */
export async function findMarked(
  database: Database,
  space: number,
  links: readonly ChainLink[],
): Promise<ReadonlySet<number>> {
  const places = new BinaryArray('int4');
  const parameters = new BinaryArray('int4');
  const types = new BinaryArray('int8');
  for (const [place, link] of links.entries()) {
    for (const parameter of link.parameters) {
      places.pushInt4(place);
      parameters.pushInt4(parameter + ROW_SCHEME.contained);
      types.pushInt8(0, link.type);
    }
  }
  const rows = await database.run({ lane: 'search', space }, MARKED, {
    space,
    places: places.finish(),
    parameters: parameters.finish(),
    types: types.finish(),
    limit: links.length,
  });
  return new Set(rows.map(([place]) => Number(place)));
}

const CONTAINERS = defineStatement(
  template(sql`
    select distinct t.resource_key::text
    from andiron.token_index t
    where t.space = ${bind('space')}::int and t.parameter = any(${bind('parameters')}::int[])
      and t.value_hash = ${bind('type')}::bigint
    limit ${bind('limit')}::int`),
);

/**
 * Returns the resources that refer to a contained one by the link, at most `limit`. Cost: an index range for each
 * parameter.
 */
export async function findContainers(
  database: Database,
  space: number,
  { parameters, type }: ChainLink,
  limit: number,
): Promise<readonly KeyHalves[]> {
  const rows = await database.run({ lane: 'search', space }, CONTAINERS, {
    space,
    parameters: parameters.map((parameter) => parameter + ROW_SCHEME.contained),
    type,
    limit,
  });
  return rows.map(([key]) => keyOfText(String(key)));
}
