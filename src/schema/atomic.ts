import { DirectiveLocation, GraphQLDirective } from 'graphql';

/** On a mutation: all its fields are one transaction. */
export const atomicDirective = new GraphQLDirective({
  name: 'atomic',
  locations: [DirectiveLocation.MUTATION],
  description:
    'The mutations of this operation are one transaction: all of them are executed, or none. A ' +
    'mutation may refer to resources of others by their urns (`as`). No two may change the same resource.',
});
