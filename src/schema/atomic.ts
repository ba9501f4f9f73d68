import { DirectiveLocation, GraphQLDirective } from 'graphql';

/** On a mutation: all its fields are one transaction. */
export const atomicDirective = new GraphQLDirective({
  name: 'atomic',
  locations: [DirectiveLocation.MUTATION],
  description:
    'The mutations of this operation are one transaction: all of them are done or none. They may refer to what others of ' +
    'them make by the urns that those are given (`as`). No two change the same resource.',
});
