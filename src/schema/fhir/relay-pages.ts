/** Pages by the conventions of Relay (https://relay.dev/graphql/connections.htm), beside those of HL7. */
import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  GraphQLError,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { ListPage, ListRequest } from './handlers';

/** The arguments of connections. There are some thousand connections, so that descriptions would double the schema. */
export const RELAY_ARGUMENTS: GraphQLFieldConfigArgumentMap = {
  first: { type: GraphQLInt },
  after: { type: GraphQLString },
  last: { type: GraphQLInt },
  before: { type: GraphQLString },
};
/** Arguments that say the same in HL7's way. */
const OTHERS = ['_count', '_cursor', '_offset'];

type Arguments = Readonly<Record<string, unknown>>;

/** Returns the part of a request that the arguments say; empty without them. Throws GraphQLError. */
export function relayPageOf(given: Arguments): Partial<Pick<ListRequest, 'count' | 'cursor' | 'isBackward'>> {
  const isGiven = (name: string): boolean => given[name] !== undefined && given[name] !== null;
  const present = Object.keys(RELAY_ARGUMENTS).filter(isGiven);
  if (present.length === 0) return {};
  const others = OTHERS.filter(isGiven);
  if (others.length > 0)
    throw badPage(`${present.join(', ')} cannot be used together with ${others.join(', ')}`);
  const isBackward = isGiven('last') || isGiven('before');
  if (isBackward && (isGiven('first') || isGiven('after')))
    throw badPage('first and after are for pages forward, last and before for pages backward');
  const [count, cursor] = isBackward ? [given.last, given.before] : [given.first, given.after];
  if (typeof count === 'number' && count < 0)
    throw badPage(`${isBackward ? 'last' : 'first'} must not be negative`);
  return {
    isBackward,
    ...(typeof count === 'number' ? { count } : {}),
    ...(typeof cursor === 'string' ? { cursor } : {}),
  };
}

function badPage(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}

/** A page with what was requested, as the source of its `pageInfo`. */
export interface RequestedPage extends ListPage {
  readonly offset?: number | undefined;
  readonly isBackward: boolean;
  /** True: the page was requested by a cursor or an offset. */
  readonly isFurther: boolean;
}

/** The type of `pageInfo`, of connections and of the general fields. */
export function pageInfoType(): GraphQLObjectType {
  return new GraphQLObjectType({
    name: 'PageInfo',
    description: 'The bounds of a page (https://relay.dev/graphql/connections.htm).',
    fields: {
      hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
      hasPreviousPage: {
        type: new GraphQLNonNull(GraphQLBoolean),
        description: 'True: there are matches before this page, or it was requested with a cursor.',
      },
      startCursor: {
        type: GraphQLString,
        description: 'Cursor of the first match; null where there is none, and for versions.',
      },
      endCursor: {
        type: GraphQLString,
        description:
          'The `after` of the next page; null where there is none. Opaque, and valid only for this query.',
      },
    },
  });
}

/** Returns the source of `pageInfo`. */
export function pageInfoOf({ next, previous, bounds, isBackward, isFurther }: RequestedPage): object {
  return {
    hasNextPage: next !== undefined,
    hasPreviousPage: isBackward ? previous !== undefined : isFurther,
    startCursor: bounds?.start,
    endCursor: bounds?.end,
  };
}
