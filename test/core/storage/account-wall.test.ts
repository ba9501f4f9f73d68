/** Row-level security of the tables of accounts: what the database itself shows of a tenant, whatever the SQL says. */
import { asApplicationRole, type RunText } from './as-application-role';
import { openStorage, type OpenedStorage } from './opened-storage';

const REFUSED = { code: '42501' };

/** One row of each table, for a tenant; referenced tables precede referring ones. */
const ROWS: Readonly<Record<string, string>> = {
  client_application: `(tenant, id, name) values ($1, 'app', 'App')`,
  client_secret: `(tenant, client, id, hash) values ($1, 'app', 'one', 'hash')`,
  signing_key: `(tenant, id, algorithm, public_key, private_key) values ($1, 'key', 'RS256', '{}', '{}')`,
  token_issuer: `(tenant, issuer, client, audience, jwks_url) values ($1, 'https://issuer.example', 'app', 'andiron', 'https://issuer.example/keys')`,
  user_account: `(tenant, id, name, display, hash, release) values ($1, 'user', 'user', 'User', 'hash', 'r4')`,
  user_session: `(tenant, hash, account, expires) values ($1, 'session', 'user', now())`,
  user_grant: `(tenant, id, client, account, release, scopes, redirect_uri, signed_in, code, code_challenge, code_expires, expires)
    values ($1, 'grant', 'app', 'user', 'r4', '{}', 'https://app.example', now(), 'code', 'challenge', now(), now())`,
  launch_context: `(tenant, hash, client, release, expires) values ($1, 'launch', 'app', 'r4', now())`,
  sign_in_network: `(tenant, hash, account, expires) values ($1, 'network', 'user', now())`,
  user_invitation: `(tenant, account, hash, expires) values ($1, 'user', 'invitation', now())`,
  second_factor: `(tenant, account, hash, placeholder, secret, last_step, recovery)
    values ($1, 'user', 'hash', 'placeholder', 'secret', 0, '{}')`,
};
const TABLES = Object.keys(ROWS);

interface Owned {
  readonly tenant: number;
  readonly space: number;
}

let storage: OpenedStorage;
let mine: Owned;
let theirs: Owned;
beforeAll(async () => {
  storage = await openStorage();
  const create = async (name: string): Promise<Owned> => {
    const space = await storage.createTenant(name);
    const { rows } = await storage.owner.query<{ tenant: number }>(
      'select tenant from andiron.space where number = $1',
      [space],
    );
    const tenant = rows[0]?.tenant ?? 0;
    for (const [table, row] of Object.entries(ROWS))
      await storage.owner.query(`insert into andiron.${table} ${row}`, [tenant]);
    return { tenant, space };
  };
  mine = await create('mine');
  theirs = await create('theirs');
});
afterAll(() => storage.close());

/** Work of the application role with the settings of a space and of a tenant; undefined: not set. */
function seeing<Result>(
  space: number | undefined,
  tenant: number | undefined,
  work: (run: RunText) => Promise<Result>,
): Promise<Result> {
  const settings = {
    ...(space !== undefined && { 'andiron.space': space }),
    ...(tenant !== undefined && { 'andiron.tenant': tenant }),
  };
  return asApplicationRole(storage.owner, settings, work);
}

const tenants = (table: string): string => `select tenant from andiron.${table} order by tenant`;

it('each table of accounts that the application role reads is tried here', async () => {
  const { rows } = await storage.owner.query<{ name: string }>(
    `select tablename as name from pg_policies where schemaname = 'andiron' and policyname = 'own_tenant' order by 1`,
  );
  expect(rows.map(({ name }) => name)).toEqual([...TABLES].sort());
});

describe.each(TABLES)('table %s', (table) => {
  it('shows nothing while no tenant is set', async () => {
    expect(await seeing(undefined, undefined, (run) => run(tenants(table)))).toEqual([]);
  });

  it('shows the rows of the tenant that is set, and of no other', async () => {
    for (const { tenant, space } of [mine, theirs])
      expect(await seeing(space, tenant, (run) => run(tenants(table)))).toEqual([{ tenant }]);
  });

  it('shows nothing under a wrong setting, although the SQL names the right tenant', async () => {
    const named = `select tenant from andiron.${table} where tenant = ${mine.tenant}`;
    expect(await seeing(mine.space, theirs.tenant, (run) => run(named))).toEqual([]);
    expect(await seeing(mine.space, -mine.space, (run) => run(named))).toEqual([]);
  });

  it('accepts no row of another tenant, and gives none away', async () => {
    const { tenant, space } = mine;
    for (const statement of [
      `insert into andiron.${table} select (jsonb_populate_record(null::andiron.${table}, to_jsonb(t) || '{"tenant": ${theirs.tenant}}')).* from andiron.${table} t`,
      `update andiron.${table} set tenant = ${theirs.tenant}`,
    ])
      await expect(seeing(space, tenant, (run) => run(statement))).rejects.toMatchObject(REFUSED);
  });

  it('shows nothing where only the space of the tenant is set', async () => {
    expect(await seeing(mine.space, undefined, (run) => run(tenants(table)))).toEqual([]);
  });
});
