/** Apollo Client 4 with the settings of docs/use/front-end.md. */
import { gql } from '@apollo/client';
import { createClient } from '../../examples/front-end/apollo';
import { CACHE_FILES } from './front-end/cache-files';
import { describeCaching, DOCUMENTS, type CachingClient, type FirstPage } from './front-end/scenario';

describeCaching((address) => {
  const client = createClient({ address, ...CACHE_FILES, connections: ['PatientConnection'] });
  const caching: CachingClient = {
    async run(name, variables = {}) {
      const document = gql(DOCUMENTS[name]);
      const { data } = await (name === 'update'
        ? client.mutate<unknown>({ mutation: document, variables })
        : client.query<unknown>({ query: document, variables }));
      return data;
    },
    cached(name) {
      const query = client.documentTransform.transformDocument(gql(DOCUMENTS[name]));
      return client.cache.readQuery({ query });
    },
    async twoPages() {
      const query = gql(DOCUMENTS.page);
      const watched = client.watchQuery<unknown>({ query });
      const subscription = watched.subscribe(() => undefined);
      const { PatientConnection: first } = (await caching.run('page')) as FirstPage;
      expect(first.pageInfo.hasNextPage).toBe(true);
      await watched.fetchMore({ variables: { after: first.pageInfo.endCursor } });
      subscription.unsubscribe();
      return caching.cached('page');
    },
  };
  return caching;
});
