/** The arguments of lists and connections: the search parameters of a type, and paging. */
import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLInt,
  GraphQLList,
  type GraphQLScalarType,
  GraphQLString,
} from 'graphql';
import type { SchemaParameter } from './definitions';
import type { ListRequest } from './handlers';
import type { SearchPair } from './search-pair';
import { RELAY_ARGUMENTS } from './relay-pages';
import { searchScalarOf } from './search-scalars';
import { toArgumentName } from '../../../packages/fhir-values/argument-name';

const PAGING: GraphQLFieldConfigArgumentMap = {
  fhirpath: { type: GraphQLString },
  _sort: { type: GraphQLString },
  _count: { type: GraphQLInt },
  _offset: { type: GraphQLInt },
  _cursor: { type: GraphQLString },
};
const PLACES: ReadonlySet<string> = new Set(['_count', '_offset', '_cursor', 'fhirpath']);
/** Names of arguments that no search parameter may have. */
export const PAGING_NAMES: ReadonlySet<string> = new Set([
  ...Object.keys(PAGING),
  ...Object.keys(RELAY_ARGUMENTS),
]);

/**
 * Search parameters that reverse references leave out, because clients seldom use them and each argument would exist
 * some hundred times. HL7 excludes `_id` (http://hl7.org/fhir/R4/graphql.html, Reverse References).
 */
const SELDOM: ReadonlySet<string> = new Set([
  '_id',
  '_text',
  '_content',
  '_source',
  '_profile',
  '_security',
  '_list',
]);

const LISTS = new Map<string, GraphQLList<GraphQLScalarType>>();

export class SearchArguments {
  private readonly codes = new Map<string, string>();

  constructor(private readonly parameters: readonly SchemaParameter[]) {
    for (const { code } of parameters) {
      const name = toArgumentName(code);
      const other = this.codes.get(name);
      if (other !== undefined || PAGING_NAMES.has(name))
        throw new Error(
          `The search parameters ${code} and ${other ?? name} would both be the argument ${name}`,
        );
      this.codes.set(name, code);
    }
    this.codes.set('_sort', '_sort');
  }

  /** @param isSlim true: without the seldom used parameters */
  configuration(isSlim: boolean): GraphQLFieldConfigArgumentMap {
    return { ...this.criteria(isSlim), ...PAGING };
  }

  /** Returns the arguments without paging. */
  criteria(isSlim = false): GraphQLFieldConfigArgumentMap {
    const args: GraphQLFieldConfigArgumentMap = {};
    for (const { code, kind, isExpression, description } of this.parameters) {
      if (isSlim && SELDOM.has(code)) continue;
      args[toArgumentName(code)] = { type: isExpression ? GraphQLString : this.listOf(kind), description };
    }
    return args;
  }

  private listOf(kind: string): GraphQLList<GraphQLScalarType> {
    let list = LISTS.get(kind);
    if (list === undefined) LISTS.set(kind, (list = new GraphQLList(searchScalarOf(kind))));
    return list;
  }

  /** Returns the request of the arguments; the values of one argument are alternatives. */
  request(
    args: Readonly<Record<string, unknown>>,
  ): Pick<ListRequest, 'parameters' | 'count' | 'offset' | 'cursor' | 'fhirpath'> {
    const parameters: SearchPair[] = [];
    for (const [name, value] of Object.entries(args)) {
      const code = this.codes.get(name);
      if (code === undefined || PLACES.has(name) || value === undefined || value === null) continue;
      const values = (Array.isArray(value) ? value : [value]).filter((single) => typeof single === 'string');
      if (values.length > 0) parameters.push([code, values.join(',')]);
    }
    const { _count: count, _offset: offset, _cursor: cursor, fhirpath } = args;
    return {
      parameters,
      ...(typeof count === 'number' ? { count } : {}),
      ...(typeof offset === 'number' ? { offset } : {}),
      ...(typeof cursor === 'string' ? { cursor } : {}),
      ...(typeof fhirpath === 'string' ? { fhirpath } : {}),
    };
  }
}
