/**
 * Relay for this server: `npm install relay-runtime relay-compiler`, and in relay.config.json
 * `"schemaConfig": {"nodeInterfaceIdField": "_key"}`. The compiler then adds `_key` itself.
 */
import { Environment, Network, RecordSource, Store, type GraphQLResponse } from 'relay-runtime';
import type { ClientOptions } from './client-options';

export function createEnvironment({
  address,
  headers = {},
}: Pick<ClientOptions, 'address' | 'headers'>): Environment {
  return new Environment({
    network: Network.create(async ({ text }, variables) => {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query: text, variables }),
      });
      return (await response.json()) as GraphQLResponse;
    }),
    store: new Store(new RecordSource()),
    // Elements such as names have no key, and stay inside of their resource.
    getDataID: ({ _key: key }: Readonly<Record<string, unknown>>) => (typeof key === 'string' ? key : null),
  });
}
