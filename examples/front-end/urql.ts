/** urql with its normalized cache for this server: `npm install @urql/core @urql/exchange-graphcache graphql`. */
import { Client, fetchExchange, makeOperation, mapExchange } from '@urql/core';
import { cacheExchange, type KeyGenerator } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import type { DocumentNode } from 'graphql';
import { keyAdder } from './add-keys';
import type { ClientOptions } from './client-options';

export function createClient({
  address,
  possibleTypes,
  nodeFields,
  connections = [],
  headers = {},
}: ClientOptions): Client {
  const addKeys = keyAdder(nodeFields);
  const withKeys = new WeakMap<DocumentNode, DocumentNode>();
  const keyed = (query: DocumentNode): DocumentNode => {
    let document = withKeys.get(query);
    if (document === undefined) {
      // Without the hash by which urql would take the document for the one before.
      const { kind, definitions } = addKeys(query);
      withKeys.set(query, (document = { kind, definitions }));
    }
    return document;
  };
  return new Client({
    url: address,
    preferGetMethod: 'within-url-limit',
    fetchOptions: { headers },
    exchanges: [
      mapExchange({
        onOperation: (operation) =>
          makeOperation(
            operation.kind,
            { ...operation, query: keyed(operation.query as DocumentNode) },
            operation.context,
          ),
      }),
      cacheExchange({
        possibleTypes,
        keys: KEYS,
        resolvers: { Query: Object.fromEntries(connections.map((name) => [name, relayPagination()])) },
      }),
      fetchExchange,
    ],
  });
}

const keyOf: KeyGenerator = ({ _key: key }) => (typeof key === 'string' ? key : null);

/** For every type: elements such as names have no key, and stay inside of their resource. */
const KEYS = new Proxy<Record<string, KeyGenerator>>({}, { get: () => keyOf });
