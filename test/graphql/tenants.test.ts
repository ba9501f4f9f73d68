import type { Release } from '../../src/core';
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { createSender } from './gateway-client';

let server: SharedServer;
beforeAll(async () => {
  server = await openSharedServer();
  for (const name of ['north', 'south']) await server.createTenant(name);
});
afterAll(() => server.close());

const spaces: [string, Release][] = [
  ['north', 'r4'],
  ['north', 'r4b'],
  ['south', 'r4'],
  ['south', 'r4b'],
];

describe('a tenant and a release', () => {
  it('see nothing of each other by any field', async () => {
    const north = createSender(server, 'north', 'r4');
    const written = await north(
      'mutation { update(resource: {resourceType: "Patient", id: "only-here", name: [{family: "Secretive"}]}) { versionId } }',
    );
    expect(written.status).toBe(200);
    const query = `{
      read(type: Patient, id: "only-here") { id }
      version: read(type: Patient, id: "only-here", versionId: "1") { id }
      search(type: Patient, query: "family=secretive") { total resources { id } }
    }`;
    expect((await north(query)).found).toEqual({
      read: { id: 'only-here' },
      version: { id: 'only-here' },
      search: { total: 1, resources: [{ id: 'only-here' }] },
    });
    for (const [tenant, release] of spaces.slice(1)) {
      const send = createSender(server, tenant, release);
      expect((await send(query)).found).toEqual({
        read: null,
        version: null,
        search: { total: 0, resources: [] },
      });
      const history = await send('{ history(type: Patient, id: "only-here") { versions { versionId } } }');
      expect(history.status).toBe(404);
      const patch = await send(
        'mutation { patch(type: Patient, id: "only-here", patch: [{op: add, path: "/active", value: true}]) { versionId } }',
      );
      expect(patch.status).toBe(404);
      expect(
        (await send('mutation { delete(type: Patient, id: "only-here") { versionId } }')).found.delete
          .versionId,
      ).toBeNull();
    }
    expect((await north(query)).found.read).toEqual({ id: 'only-here' });
  });

  it('give the same id to resources of their own', async () => {
    for (const [tenant, release] of spaces) {
      await createSender(
        server,
        tenant,
        release,
      )('mutation($r: ResourceInput!) { update(resource: $r) { versionId } }', {
        r: { resourceType: 'Patient', id: 'same', name: [{ family: `${tenant}-${release}` }] },
      });
    }
    for (const [tenant, release] of spaces) {
      const { found } = await createSender(
        server,
        tenant,
        release,
      )('{ read(type: Patient, id: "same") { json } }');
      expect(found.read.json.name).toEqual([{ family: `${tenant}-${release}` }]);
    }
  });

  it('do not accept each other’s cursors', async () => {
    const [first, second] = [createSender(server, 'north', 'r4'), createSender(server, 'south', 'r4')];
    for (const send of [first, second]) {
      for (const id of ['c-1', 'c-2']) {
        await send('mutation($r: ResourceInput!) { update(resource: $r) { created } }', {
          r: { resourceType: 'Basic', id, code: { text: 'x' } },
        });
      }
    }
    const query =
      'query($after: String) { search(type: Basic, query: "_sort=_id", first: 1, after: $after) { pageInfo { endCursor } } }';
    const after = (await first(query)).found.search.pageInfo.endCursor as string;
    expect((await first(query, { after })).status).toBe(200);
    expect((await second(query, { after })).status).toBe(400);
  });
});
