/** The database of a shared server, in which each test names the spaces of its own tenants. */
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { closedAtEnd } from './left-open';
import type { SharedServer } from './shared-server';

export interface SharedDatabase {
  readonly query: Client['query'];
  /** The number of the space that has the data of a tenant of the file. Throws if the tenant does not exist. */
  spaceOf(tenant: string, release: Release): Promise<number>;
  /** The number of a tenant of the file. Throws if it does not exist. */
  tenantNumber(tenant: string): Promise<number>;
  close(): Promise<void>;
}

/** A connection of the owner to the database of a shared server. */
export async function connectTo({ database, tenant }: SharedServer): Promise<SharedDatabase> {
  const client = new Client(database.settings);
  await client.connect();
  const find = async (name: string, release: Release): Promise<{ space: number; tenant: number }> => {
    const { rows } = await client.query<{ space: number; tenant: number }>(
      `select s.number as space, s.tenant from andiron.space s join andiron.tenant t on t.number = s.tenant
        where t.name = $1 and s.release = $2 and s.kind = 'data'`,
      [tenant(name), release],
    );
    if (rows[0] === undefined) throw new Error(`The tenant ${name} does not exist`);
    return rows[0];
  };
  return {
    query: client.query.bind(client),
    spaceOf: async (name, release) => (await find(name, release)).space,
    tenantNumber: async (name) => (await find(name, 'r4')).tenant,
    close: closedAtEnd(() => client.end()),
  };
}
