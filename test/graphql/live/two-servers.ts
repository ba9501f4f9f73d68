/** Shared by the tests of live queries: two processes of one installation, and a small resource. */
import { startServer, type TestServer, type TestServerOptions } from '../../support/server';

/** Tells of every Basic. */
export const ALL_BASICS = 'subscription { resourceChanged(type: Basic) { id sequence json } }';

export interface TwoServers {
  readonly server: TestServer;
  /** Has its own connections, and hears of writes by Redis. */
  readonly other: TestServer;
  close(): Promise<void>;
}

/** Two servers over one database, with the tenants `north` and `south`. The settings are those of the first. */
export async function startTwoServers(
  environment: NonNullable<TestServerOptions['environment']> = {},
): Promise<TwoServers> {
  const server = await startServer({ because: 'live queries of two processes', environment });
  const other = await startServer({ because: 'it is another process', database: server.database });
  for (const name of ['north', 'south']) await server.createTenant(name);
  return {
    server,
    other,
    async close() {
      await other.close();
      await server.close();
    },
  };
}

/** Stores a Basic, under a new version where there is one; throws where it was not. */
export async function putBasic(of: TestServer, tenant: string, id: string, text = 'x'): Promise<void> {
  const resource = { resourceType: 'Basic', id, code: { text } };
  const answer = await of.request('PUT', `${of.path(tenant, 'r4')}/Basic/${id}`, resource);
  if (answer.status >= 300) throw new Error(answer.text);
}
