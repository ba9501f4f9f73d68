/** urql with its normalized cache for this server: `npm install @urql/core @urql/exchange-graphcache graphql`. */
import { Client, fetchExchange, makeOperation, mapExchange } from '@urql/core';
import { cacheExchange, type KeyGenerator } from '@urql/exchange-graphcache';
import { keyAdder } from './add-keys';
import type { ClientOptions } from './client-options';

export function createClient({ address, possibleTypes, nodeFields, headers = {} }: ClientOptions): Client {
  const addKeys = keyAdder(nodeFields);
  return new Client({
    url: address,
    preferGetMethod: 'within-url-limit',
    fetchOptions: { headers },
    exchanges: [
      mapExchange({
        onOperation: (operation) =>
          makeOperation(operation.kind, { ...operation, query: addKeys(operation.query) }, operation.context),
      }),
      cacheExchange({ possibleTypes, keys: KEYS }),
      fetchExchange,
    ],
  });
}

const keyOf: KeyGenerator = ({ _key: key }) => (typeof key === 'string' ? key : null);

/** For every type: elements such as names have no key, and stay inside of their resource. */
const KEYS = new Proxy<Record<string, KeyGenerator>>({}, { get: () => keyOf });
