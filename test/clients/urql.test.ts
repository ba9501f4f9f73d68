/** urql with graphcache and the settings of docs/front-end.md. */
import { gql } from '@urql/core';
import { createClient } from '../../examples/front-end/urql';
import { CACHE_FILES } from './front-end/cache-files';
import { describeCaching, DOCUMENTS } from './front-end/scenario';

describeCaching((address) => {
  const client = createClient({ address, ...CACHE_FILES });
  return {
    async run(name, variables = {}) {
      const document = gql(DOCUMENTS[name]);
      const { data, error } = name === 'update' ? await client.mutation(document, variables).toPromise() : await client.query(document, variables).toPromise(); // prettier-ignore
      if (error !== undefined) throw error;
      return data;
    },
    cached: (name) => client.readQuery(gql(DOCUMENTS[name]), {}, { requestPolicy: 'cache-only' })?.data,
  };
});
