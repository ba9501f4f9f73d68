import { Client } from 'pg';
import type { IndexRows } from '../../../src/core/search/rows/index-rows';
import { Connections } from '../../../src/core/storage/connection/connections';
import type { DatabaseOptions } from '../../../src/core/storage/connection/database';
import { SpaceOwners } from '../../../src/core/storage/tenants/space-owners';
import { TenantStore } from '../../../src/core/storage/tenants/tenants';
import type { VersionWrite } from '../../../src/core/storage/write/version-write';
import { createTestDatabase } from '../../support/database';
import { closedAtEnd } from '../../support/left-open';
import { silentLog } from '../../support/log';

/** Spaces of the tenant `system` in a fresh database, and of the first one made after it. */
export const SYSTEM_R4 = 3;
export const SYSTEM_R4B = 4;

export interface OpenedStorage {
  readonly database: Connections;
  /** A connection of the superuser, for looking into the tables. */
  readonly owner: Client;
  readonly tenants: TenantStore;
  /** Of the superuser. */
  readonly settings: DatabaseOptions;
  /** Makes a tenant; gives the number of its R4 space. */
  createTenant(name: string): Promise<number>;
  close(): Promise<void>;
}

export async function openStorage(): Promise<OpenedStorage> {
  const testDatabase = await createTestDatabase();
  const database = new Connections(testDatabase.settings, silentLog, true);
  const owner = new Client(testDatabase.settings);
  await owner.connect();
  const tenants = new TenantStore(database, testDatabase.settings, new SpaceOwners());
  return {
    database,
    owner,
    tenants,
    settings: testDatabase.settings,
    async createTenant(name) {
      await tenants.create(name, ['r4', 'r4b'], { settings: {}, display: null });
      const found = await tenants.find(name);
      const number = found?.spaces['r4'];
      if (number === undefined) throw new Error(`${name} was not made`);
      return number;
    },
    close: closedAtEnd(async () => {
      await database.close();
      await owner.end();
      await testDatabase.drop();
    }),
  };
}

/** Number of any resource type: storage does not know what types there are. */
export const SOME_TYPE = 7;

export const BARE_ROWS: IndexRows = {
  tokens: [],
  references: [],
  ranges: [],
  strings: [],
  uris: [],
  presence: new Uint8Array(1),
  sortDate: undefined,
  exceeded: undefined,
};

/** A create of the resource with this key, or what `changed` makes of it. */
export function makeWrite(key: number, changed: Partial<VersionWrite> = {}): VersionWrite {
  return {
    type: SOME_TYPE,
    key: { high: 0, low: key },
    id: null,
    expected: 0,
    change: 'create',
    body: `{"resourceType":"Basic","note":${key}}`,
    metaOffset: 1,
    author: null,
    rows: BARE_ROWS,
    ...changed,
  };
}

/** Index rows of one string value. */
export function stringRows(value: string): IndexRows {
  const row = { parameter: 9, value, exact: 5, isWhole: true, isLowest: true, isHighest: true };
  return { ...BARE_ROWS, strings: [row] };
}
