/** Apollo Client 4 with the settings of docs/front-end.md. */
import { gql } from '@apollo/client';
import { createClient } from '../../examples/front-end/apollo';
import { CACHE_FILES } from './front-end/cache-files';
import { describeCaching, DOCUMENTS } from './front-end/scenario';

describeCaching((address) => {
  const client = createClient({ address, ...CACHE_FILES });
  return {
    async run(name, variables = {}) {
      const document = gql(DOCUMENTS[name]);
      const { data } = name === 'update' ? await client.mutate({ mutation: document, variables }) : await client.query({ query: document }); // prettier-ignore
      return data;
    },
    cached: (name) => client.cache.readQuery({ query: client.documentTransform.transformDocument(gql(DOCUMENTS[name])) }), // prettier-ignore
  };
});
