/** Apollo Client 4 for this server: `npm install @apollo/client graphql rxjs`. */
import { ApolloClient, DocumentTransform, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { keyAdder } from './add-keys';
import type { ClientOptions } from './client-options';

export function createClient({
  address,
  possibleTypes,
  nodeFields,
  connections = [],
  headers = {},
}: ClientOptions): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: address, headers }),
    documentTransform: new DocumentTransform(keyAdder(nodeFields)),
    cache: new InMemoryCache({
      possibleTypes,
      typePolicies: { Query: { fields: Object.fromEntries(connections.map((name) => [name, PAGES])) } },
      // Elements such as names have no key, and stay inside of their resource.
      dataIdFromObject: ({ _key: key }) => (typeof key === 'string' ? key : undefined),
    }),
  });
}

/** The pages of a connection are one list for each set of the other arguments. */
const PAGES = relayStylePagination((args) => {
  const names = Object.keys(args ?? {}).filter(
    (name) => !['first', 'after', 'last', 'before'].includes(name),
  );
  return names.length > 0 && names;
});
