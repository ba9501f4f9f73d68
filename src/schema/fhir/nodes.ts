import {
  GraphQLID,
  type GraphQLInterfaceType,
  GraphQLError,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
} from 'graphql';
import { COST_OF_READ, withCost } from '../cost';
import type { Fields } from './elements';
import type { Handlers } from './handlers';

/** Limit on the keys of one field. */
const MOST_KEYS = 256;

/** Returns the fields of Query that read by `_key`. */
export function nodeFields<Context>(
  node: GraphQLInterfaceType,
  handlers: Handlers<Context>,
): Fields<Context> {
  const nodes: GraphQLOutputType = new GraphQLNonNull(new GraphQLList(node));
  return {
    node: {
      type: node,
      ...withCost(COST_OF_READ),
      description: 'The resource with this key; null when it is not stored.',
      args: { _key: { type: new GraphQLNonNull(GraphQLID) } },
      resolve: (_root, { _key: key }, context) => handlers.node(String(key), context),
    },
    nodes: {
      type: nodes,
      ...withCost({
        base: 0,
        items: ({ _keys: keys }) => (Array.isArray(keys) ? Math.min(keys.length, MOST_KEYS) : 1),
      }),
      description: `The resources with these keys, in their order; null for those that are not stored. At most ${MOST_KEYS}.`,
      args: { _keys: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLID))) } },
      resolve: (_root, { _keys: keys }, context) => {
        const wanted = Array.isArray(keys) ? keys.map(String) : [];
        if (wanted.length > MOST_KEYS)
          throw new GraphQLError(`At most ${MOST_KEYS} keys are read at once`, {
            extensions: { code: 'BAD_USER_INPUT' },
          });
        return wanted.map((key) => handlers.node(key, context));
      },
    },
  };
}
