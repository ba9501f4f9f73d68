import { type GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Int, Query, Resolver } from 'type-graphql';
import { fhirError, type SearchPage, type StoredVersion } from '../core/index';
import { conditionsOf, type TypeConditions } from '../schema/fhir/where/any-type';
import { PageInfo } from '../schema/types/paging';
import {
  CompartmentInput,
  type SearchEdge,
  SearchEntryMode,
  SearchParameterInput,
  SearchResult,
  TotalMode,
} from '../schema/types/search';
import { instantScalar, resourceTypePlaceholder, searchWherePlaceholder } from '../schema/scalars';
import type { GatewayContext } from './context';
import { type SourceTools, toResource } from './resource-source';
import { selects, selectsBelow } from '../schema/selection';
import { parseQuery, type Parameter } from './query-parameters';

const DEFAULT_PAGE = 20;
/** Fields that need a cursor for each match. */
const CURSOR_FIELDS = new Set(['cursor', 'startCursor']);

interface Paging {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly total?: TotalMode | null;
}

/**
 * Returns the parameters of core's search. Paging arguments replace `_count` and `_total` of the query. The default is
 * 20 to a page, with a total when the client selects it.
 */
function toParameters(
  query: string,
  parameters: readonly SearchParameterInput[],
  paging: Paging,
  counted: boolean,
): Parameter[] {
  const given: Parameter[] = [
    ...parseQuery(query),
    ...parameters.map(({ name, value }): Parameter => [name, value]),
  ];
  const replaced = new Set<string>();
  const paged: Parameter[] = [];
  const set = (name: string, value: string): void => {
    replaced.add(name);
    paged.push([name, value]);
  };
  const has = (name: string): boolean => given.some(([present]) => present === name);

  if (typeof paging.first === 'number') set('_count', String(paging.first));
  else if (!has('_count')) set('_count', String(DEFAULT_PAGE));
  if (typeof paging.after === 'string') set('_cursor', paging.after);
  if (paging.total) set('_total', paging.total);
  else if (counted && !has('_total')) set('_total', TotalMode.ACCURATE);
  return [...given.filter(([name]) => !replaced.has(name)), ...paged];
}

function toResult(
  page: SearchPage,
  { after, isPast }: { readonly after: Paging['after']; readonly isPast: boolean },
  tools: SourceTools,
): SearchResult {
  const { cursors = [] } = page;
  const toMatch = (version: StoredVersion, index: number): SearchEdge => {
    const edge = { mode: SearchEntryMode.MATCH, node: toResource(version, tools, isPast) };
    const cursor = cursors[index];
    return cursor === undefined ? edge : { ...edge, cursor };
  };
  const toIncluded = (version: StoredVersion): SearchEdge => ({
    mode: SearchEntryMode.INCLUDE,
    node: toResource(version, tools),
  });
  const matches = page.matches.map(toMatch);
  return {
    edges: [...matches, ...page.included.map(toIncluded)],
    resources: matches.map((edge) => edge.node),
    pageInfo: new PageInfo({ next: page.next, after, first: cursors[0] }),
    total: page.total,
    issues: [...page.issues],
  };
}

/** Returns the type and the conditions of `where`. Throws `invalidValue` if the search is of another type. */
function ofOneType(
  conditions: TypeConditions | undefined,
  type: string | null | undefined,
): Partial<TypeConditions> {
  if (conditions !== undefined && typeof type === 'string' && type !== conditions.type)
    throw fhirError('invalidValue', {
      reason: `'type' is ${type}, and 'where' has conditions on ${conditions.type}`,
    });
  return conditions ?? {};
}

@Resolver()
export class SearchResolver {
  @Query(() => SearchResult, {
    nullable: true,
    description:
      'The resources of a type, of several or of all that match all of `query` and `parameters` ' +
      '(http://hl7.org/fhir/search.html).',
  })
  async search(
    @Ctx() context: GatewayContext,
    @Info() info: GraphQLResolveInfo,
    @Arg('type', () => resourceTypePlaceholder, {
      nullable: true,
      description: 'Default: the types of the parameter `_type`, or all.',
    })
    type: string | null | undefined,
    @Arg('compartment', () => CompartmentInput, {
      nullable: true,
      description: 'Only resources in the compartment of this resource.',
    })
    compartment: CompartmentInput | null | undefined,
    @Arg('query', () => String, {
      nullable: true,
      description: 'The query string of REST: `name=chalmers&birthdate=ge1970&_sort=-birthdate`.',
    })
    query: string | null | undefined,
    @Arg('where', () => searchWherePlaceholder, {
      nullable: true,
      description: 'Conditions on one type, which is then the type of the search.',
    })
    where: unknown,
    @Arg('parameters', () => [SearchParameterInput], { nullable: true })
    parameters: SearchParameterInput[] | null | undefined,
    @Arg('first', () => Int, {
      nullable: true,
      description: 'Matches per page; default `_count`, or 20.',
    })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the previous page.' })
    after: string | null | undefined,
    @Arg('total', () => TotalMode, {
      nullable: true,
      description: 'The way of counting; default ACCURATE when `total` is selected.',
    })
    total: TotalMode | null | undefined,
    @Arg('asOf', () => instantScalar, {
      nullable: true,
      description:
        'The matches at this moment, each in its version of that time. Only for one type, and criteria on its own elements; at most 10,000 resources may have changed since.',
    })
    asOf: string | null | undefined,
  ): Promise<SearchResult> {
    const counted = selects(info, 'total');
    const all = toParameters(
      query ?? '',
      parameters ?? [],
      { first, after, total: counted ? total : undefined },
      counted,
    );
    const page = await context.core.interactions.search(context.request, {
      ...(typeof type === 'string' ? { type } : {}),
      ...ofOneType(conditionsOf(info.schema, where), type),
      ...(compartment ? { compartment: { type: compartment.type, id: compartment.id } } : {}),
      parameters: all,
      ...(typeof asOf === 'string' ? { asOf: Date.parse(asOf) } : {}),
      ...(selectsBelow(info, CURSOR_FIELDS) ? { eachCursor: true } : {}),
    });
    return toResult(page, { after, isPast: typeof asOf === 'string' }, context);
  }
}
