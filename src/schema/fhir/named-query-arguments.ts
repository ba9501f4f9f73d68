/** The arguments of a named query (http://hl7.org/fhir/search.html#query): its inputs, sorting and paging. */
import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import type { SchemaQuery } from './definitions';
import type { SearchPair } from './search-pair';
import { PAGING_NAMES, SearchArguments } from './search-arguments';
import { isSearchKind, searchScalarOf } from './search-scalars';
import { toArgumentName } from '../../../packages/fhir-values/argument-name';

type Input = SchemaQuery['inputs'][number];
type Arguments = Readonly<Record<string, unknown>>;

/** The arguments for sorting and paging. */
const PAGES = new SearchArguments([]);

export class NamedQueryArguments {
  private readonly inputs = new Map<string, Input>();
  /** False: a required input has no argument, so that only `search` can execute the query. */
  readonly isWhole: boolean;

  constructor(private readonly query: SchemaQuery) {
    const taken = new Set([...PAGING_NAMES, 'where']);
    for (const input of query.inputs) {
      const name = toArgumentName(input.name);
      if (!taken.has(name)) this.inputs.set(name, input);
      taken.add(name);
    }
    const given = new Set(this.inputs.values());
    this.isWhole = query.inputs.every((input) => !input.isRequired || given.has(input));
  }

  configuration(): GraphQLFieldConfigArgumentMap {
    const args: Record<string, GraphQLArgumentConfig> = {};
    for (const [name, { kind, isRequired, repeats }] of this.inputs) {
      const scalar = kind !== undefined && isSearchKind(kind) ? searchScalarOf(kind) : GraphQLString;
      const type = repeats ? new GraphQLList(new GraphQLNonNull(scalar)) : scalar;
      args[name] = { type: isRequired ? new GraphQLNonNull(type) : type };
    }
    return { ...args, ...PAGES.configuration(false) };
  }

  /** Returns the search of the query. */
  request(given: Arguments): ReturnType<SearchArguments['request']> {
    const parameters: SearchPair[] = [['_query', this.query.code]];
    for (const [argument, { name }] of this.inputs) {
      const value = given[argument];
      for (const one of Array.isArray(value) ? value : [value])
        if (typeof one === 'string') parameters.push([name, one]);
    }
    const page = PAGES.request(given);
    return { ...page, parameters: [...parameters, ...page.parameters] };
  }
}
