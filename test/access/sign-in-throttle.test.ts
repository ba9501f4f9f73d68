/** Guesses of a user's password, and whom they lock out (docs/run/access.md, Failed attempts). */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { Answer } from '../support/http';
import { Browser, makeProof, toAuthorize, APP } from '../support/sign-in';
import { startServer, type TestServer } from '../support/server';

const PASSWORD = 'correct horse battery';
/** Longer than any password: it is wrong without costing a hash. */
const WRONG = 'x'.repeat(201);
/** Free for one person from everywhere, and from one address. */
const FREE = 100;
const FREE_OF_ADDRESS = 5;
const HOME = '203.0.113.1';
const NEW = '203.0.113.2';
const SCOPE = 'openid fhirUser user/*.rs';
/** Wrong passwords after which what is free must be used up, refused ones included. */
const MOST_SENT = 3 * FREE;

describe.each([
  ['with Redis', {}],
  ['without Redis', { REDIS_HOST: '127.0.0.1', REDIS_PORT: '1' }],
])('a user whose password is guessed at two processes, %s,', (_services, redis) => {
  let servers: readonly TestServer[];
  let database: Client;
  let app: string;

  beforeAll(async () => {
    const environment = { AUTH_MODE: 'enforced', AUDIT: 'off', TRUST_PROXY: 'true', ...redis };
    const because = 'TRUST_PROXY, in two processes, without Redis too';
    const first = await startServer({ because, environment });
    servers = [first, await startServer({ database: first.database, environment })];
    const { core } = first.app;
    await core.tenants.create('acme');
    const details = { name: 'Growth chart', scopes: SCOPE.split(' '), redirectUris: [APP], isPublic: true };
    app = (await core.tenants.clients.create('acme', details)).id;
    database = new Client(first.database.settings);
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    for (const server of [...servers].reverse()) await server.close();
  });

  const at = (index: number): TestServer => {
    const server = servers[index % servers.length];
    if (server === undefined) throw new Error('there is no such server');
    return server;
  };

  async function makePerson(name: string): Promise<string> {
    const details = { name, fhirUser: `Practitioner/${name}`, password: PASSWORD };
    return (await at(0).app.core.tenants.users.create('acme', details)).id;
  }

  /** The sign-in page, and its form. */
  async function openPage(server: TestServer) {
    const browser = new Browser(server);
    const page = await browser.open(toAuthorize(server, 'acme', app, makeProof(), { scope: SCOPE }));
    return (user: string, password: string, address: string): Promise<Answer> =>
      browser.send(page, { step: 'sign-in', user, password }, { 'x-forwarded-for': address });
  }
  const signIn = async (user: string, address: string, password = PASSWORD, server = at(0)) =>
    (await (await openPage(server))(user, password, address)).status;

  /**
   * Sends wrong passwords from many addresses, to each process in turn, until all free attempts are used up. A
   * process may refuse some before, because another one has reserved attempts: from then on it goes on with the other
   * one, since refusals are delayed.
   */
  async function useUp(user: string): Promise<void> {
    const pages = await Promise.all(servers.map(openPage));
    let wasRefused = false;
    for (let sent = 0, turn = 0, checked = 0; sent < MOST_SENT; sent++) {
      const address = `198.51.100.${Math.floor(checked / FREE_OF_ADDRESS)}`;
      const answer = await pages[turn % pages.length]?.(user, WRONG, address);
      if (answer?.status === 429) {
        if (checked >= FREE) return;
        wasRefused = true;
        turn += 1;
      } else {
        expect(answer?.status).toBe(403);
        checked += 1;
        if (!wasRefused) turn += 1;
      }
    }
    throw new Error('what is free was not used up');
  }

  const countNetworks = async (account: string): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::int from andiron.sign_in_network where account = $1',
      [account],
    );
    return rows[0]?.count ?? 0;
  };

  it('signs in from an address used before while others have used up the free attempts, and from no other', async () => {
    const dora = await makePerson('dora');
    await makePerson('emil');
    expect(await signIn('dora', HOME)).toBe(200);
    await useUp('dora');
    for (const server of servers) {
      expect(await signIn('dora', NEW, PASSWORD, server)).toBe(429);
      expect(await signIn('dora', HOME, PASSWORD, server)).toBe(200);
    }
    // It is stored for the user, not for all.
    await useUp('emil');
    expect(await signIn('emil', HOME)).toBe(429);

    const wrong: number[] = [];
    for (let count = 0; count < FREE_OF_ADDRESS + 2; count++)
      wrong.push(await signIn('dora', HOME, WRONG, at(count)));
    expect(wrong).toEqual([403, 403, 403, 403, 403, 429, 429]);
    expect(await signIn('dora', HOME)).toBe(429);
    expect(await countNetworks(dora)).toBe(1);
  });

  it('is identified by the network of an IPv6 address, until that has expired', async () => {
    const fay = await makePerson('fay');
    expect(await signIn('fay', '2001:db8:0:1::1')).toBe(200);
    await useUp('fay');
    expect(await signIn('fay', '2001:db8:0:2::1')).toBe(429);
    expect(await signIn('fay', '2001:db8::1:0:0:0:2')).toBe(200);
    await database.query('update andiron.sign_in_network set expires = now() where account = $1', [fay]);
    expect(await signIn('fay', '2001:db8:0:1::1')).toBe(429);
  });

  it('is not locked out by the guesses of one address, however many', async () => {
    await makePerson('gus');
    const page = await openPage(at(0));
    const statuses: number[] = [];
    for (let count = 0; count < FREE; count++)
      statuses.push((await page('gus', WRONG, '198.51.100.200')).status);
    expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(FREE_OF_ADDRESS + 1);
    expect(await signIn('gus', NEW)).toBe(200);
  });

  it('has the latest twenty networks stored, as hashes, and none when the account is removed', async () => {
    const [hal, ida] = [await makePerson('hal'), await makePerson('ida')];
    const add = (account: string, days: number) =>
      database.query(
        `insert into andiron.sign_in_network (tenant, hash, account, expires)
         select tenant, $1, id, now() + $2 * interval '1 day' from andiron.user_account where id = $3`,
        [randomBytes(32), days, account],
      );
    for (let days = 1; days <= 30; days++) await add(hal, days);
    await add(ida, -1);
    expect(await signIn('hal', HOME)).toBe(200);
    expect([await countNetworks(hal), await countNetworks(ida)]).toEqual([20, 0]);
    const { rows } = await database.query<{ text: string; days: number }>(
      `select n::text as text, round(extract(epoch from expires - now()) / 86400)::int as days
       from andiron.sign_in_network n where account = $1 order by expires`,
      [hal],
    );
    expect(rows.map(({ days }) => days)).toEqual([
      ...Array.from({ length: 19 }, (_each, index) => 12 + index),
      90,
    ]);
    expect(rows.map(({ text }) => text).join()).not.toContain(HOME);
    expect(await at(0).app.core.tenants.users.remove('acme', hal)).toBe(true);
    expect(await countNetworks(hal)).toBe(0);
  });
});
