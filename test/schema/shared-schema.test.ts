/** The schema of a release is made once in a process. */
import { makeSchemaOfRelease } from '../../src/gateway/own-schema';

it('all servers of a process share the schema of a release, and not that of its subgraph', async () => {
  const [first, second, subgraph] = await Promise.all([
    makeSchemaOfRelease('r4', false),
    makeSchemaOfRelease('r4', false),
    makeSchemaOfRelease('r4', true),
  ]);
  expect(second).toBe(first);
  expect(subgraph).not.toBe(first);
  expect(subgraph.getQueryType()?.getFields()).toHaveProperty('_entities');
});
