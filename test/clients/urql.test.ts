/** urql with graphcache and the settings of docs/use/front-end.md. */
import { gql } from '@urql/core';
import { createClient } from '../../examples/front-end/urql';
import { CACHE_FILES } from './front-end/cache-files';
import { describeCaching, DOCUMENTS, type CachingClient, type FirstPage } from './front-end/scenario';

describeCaching((address) => {
  const client = createClient({ address, ...CACHE_FILES, connections: ['PatientConnection'] });
  const caching: CachingClient = {
    async run(name, variables = {}) {
      const document = gql<unknown>(DOCUMENTS[name]);
      const { data, error } = await (
        name === 'update' ? client.mutation(document, variables) : client.query(document, variables)
      ).toPromise();
      if (error !== undefined) throw error;
      return data;
    },
    cached: (name) =>
      client.readQuery<unknown>(gql(DOCUMENTS[name]), {}, { requestPolicy: 'cache-only' })?.data,
    async twoPages() {
      const { PatientConnection: first } = (await caching.run('page')) as FirstPage;
      expect(first.pageInfo.hasNextPage).toBe(true);
      await caching.run('page', { after: first.pageInfo.endCursor });
      return caching.cached('page');
    },
  };
  return caching;
});
