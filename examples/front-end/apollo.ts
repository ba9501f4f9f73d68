/** Apollo Client 4 for this server: `npm install @apollo/client graphql rxjs`. */
import { ApolloClient, DocumentTransform, HttpLink, InMemoryCache } from '@apollo/client';
import { keyAdder } from './add-keys';
import type { ClientOptions } from './client-options';

export function createClient({
  address,
  possibleTypes,
  nodeFields,
  headers = {},
}: ClientOptions): ApolloClient {
  return new ApolloClient({
    link: new HttpLink({ uri: address, headers }),
    documentTransform: new DocumentTransform(keyAdder(nodeFields)),
    cache: new InMemoryCache({
      possibleTypes,
      // Elements such as names have no key, and stay inside of their resource.
      dataIdFromObject: ({ _key: key }) => (typeof key === 'string' ? key : undefined),
    }),
  });
}
