/** What an import may fetch and store, and what it leaves in the audit trail (docs/use/import.md). */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { administerWell, createClient } from '../support/access';
import { eventually } from '../support/eventually';
import { basic, ended, LINES, MANIFEST, refusals, stateOf, WITHIN_MS, type Send } from '../support/imports';
import { openSharedServer, type SharedServer } from '../support/shared-server';

let server: SharedServer;
let source: Server;
let address: string;
let answerWith: RequestListener;

beforeAll(async () => {
  server = await openSharedServer('audited');
  source = createServer((request, response) => answerWith(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => source.once('listening', resolve));
  address = `http://127.0.0.1:${(source.address() as AddressInfo).port}`;
});
afterAll(async () => {
  source.closeAllConnections();
  source.close();
  await server.close();
});

async function openTenant(
  tenant: string,
  settings: Record<string, string> = {},
): Promise<{ send: Send; id: string }> {
  await server.createTenant(tenant, settings);
  const { id, basic: authorization } = await createClient(server, tenant, { scopes: ['system/*.cruds'] });
  const root = server.path(tenant, 'r4');
  const send: Send = (method, rest, body, headers = {}) =>
    server.request(method, root + rest, body, { authorization, ...headers });
  return { send, id };
}

const manifestOf = (...urls: readonly string[]): object => ({
  inputFormat: 'application/fhir+ndjson',
  input: urls.map((url) => ({ type: 'Basic', url })),
});

it('the audit trail has who began an import, its writes, who read its errors, and who removed it', async () => {
  const { send, id } = await openTenant('import-audit');
  const accepted = await send('POST', '/$import', `${basic('audited')}\nwrong`, LINES);
  await ended(send, accepted);
  const state = stateOf(accepted);
  await send('GET', `${state}/errors-0.ndjson`);
  await send('DELETE', state);
  const auditor = await createClient(server, 'import-audit', { auditor: true });
  const { json } = await send('GET', `/AuditEvent?altid=${id}&_count=50`, undefined, {
    authorization: auditor.basic,
  });
  const described = (json.entry ?? []).map(
    ({ resource }: { resource: ReturnType<typeof JSON.parse> }): string => {
      const entities: ReturnType<typeof JSON.parse>[] = resource.entity ?? [];
      const what = entities.map(({ what: of, query }) =>
        query === undefined ? of?.reference : Buffer.from(query, 'base64').toString(),
      );
      return [resource.action, ...what.filter((each) => each !== undefined), resource.outcome].join(' ');
    },
  );
  expect(described.sort()).toEqual([
    'E $import 0',
    `E ${state.slice(1)} 0`,
    `E ${state.slice(1)}/errors-0.ndjson 0`,
    'U Basic/audited/_history/1 0',
  ]);
});

it('an import calls the hosts of its tenant only, without credentials, and follows no redirect', async () => {
  const { send } = await openTenant('import-hosts', { 'notification-hosts': 'files.example' });
  const refused = await send('POST', '/$import', manifestOf(`${address}/a`), MANIFEST);
  expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
    400,
    expect.stringContaining('notification-hosts'),
  ]);
  const tenant = `/tenants/${server.tenant('import-hosts')}`;
  await administerWell(server, 'PATCH', tenant, { settings: { 'notification-hosts': '127.0.0.1' } });
  const requests: IncomingMessage[] = [];
  answerWith = (request, response) => {
    requests.push(request);
    if (request.url === '/moved') response.writeHead(302, { location: `${address}/a` }).end();
    else response.end(basic('fetched'));
  };
  const answer = await ended(
    send,
    await send('POST', '/$import', manifestOf(`${address}/moved`, `${address}/b`), MANIFEST),
  );
  expect(answer.json.output.map(({ count }: { count: number }) => count)).toEqual([0, 1]);
  expect(await refusals(send, answer)).toEqual([
    [`${address}/moved`, undefined, undefined, expect.stringContaining('status 302')],
  ]);
  expect(requests.map(({ url, headers }) => [url, headers.authorization, headers.cookie])).toEqual([
    ['/moved', undefined, undefined],
    ['/b', undefined, undefined],
  ]);
});

it('a host that the tenant may not call any more is not called by an import that waits', async () => {
  const { send } = await openTenant('import-hosts-later');
  let go: (() => void) | undefined;
  const called: (string | undefined)[] = [];
  answerWith = ({ url }, response) => {
    called.push(url);
    go = () => response.end(basic('first'));
  };
  const accepted = await send('POST', '/$import', manifestOf(`${address}/1`), MANIFEST);
  await eventually(() => go !== undefined, WITHIN_MS);
  // One import of a tenant runs at a time in a process.
  const waiting = await send('POST', '/$import', manifestOf(`${address}/2`), MANIFEST);
  const tenant = `/tenants/${server.tenant('import-hosts-later')}`;
  await administerWell(server, 'PATCH', tenant, { settings: { 'notification-hosts': 'files.example' } });
  await eventually(
    async () => (await send('POST', '/$import', manifestOf(`${address}/3`), MANIFEST)).status === 400,
    WITHIN_MS,
  );
  go?.();
  expect((await ended(send, accepted)).json.output[0].count).toBe(1);
  const answer = await ended(send, waiting);
  expect(await refusals(send, answer)).toEqual([
    [`${address}/2`, undefined, undefined, expect.stringContaining('notification-hosts')],
  ]);
  expect(called).toEqual(['/1']);
});

it('imports of a tenant fetch 120 files a minute, and further ones wait', async () => {
  const { send } = await openTenant('import-fetches');
  const times: number[] = [];
  answerWith = ({ url = '' }, response) => {
    times.push(Date.now());
    response.end(basic(url.slice(1)));
  };
  const urls = Array.from({ length: 130 }, (_, place) => `${address}/f${place}`);
  const answer = await ended(send, await send('POST', '/$import', manifestOf(...urls), MANIFEST));
  expect([answer.status, answer.json.error, times.length]).toEqual([200, [], 130]);
  // Two a second come back.
  expect((times[129] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(4_000);
});

it('lines that exceed the quota of the tenant with what it stores are refused before they are stored', async () => {
  const { send } = await openTenant('import-quota', { 'quota-bytes': '500000' });
  const content = (length: number): string => randomBytes(length / 2).toString('hex');
  const tooLong = await send('POST', '/$import', basic('a', content(600_000)), LINES);
  expect([tooLong.status, tooLong.json.issue[0].diagnostics]).toEqual([
    507,
    expect.stringContaining('limit of bytes'),
  ]);
  answerWith = (_request, response) =>
    response.end(
      gzipSync(Array.from({ length: 40 }, (_, id) => basic(`q${id}`, content(60_000))).join('\n')),
    );
  const answer = await ended(
    send,
    await send('POST', '/$import', manifestOf(`${address}/quota`), MANIFEST),
  ).catch((error: unknown) => error);
  expect(answer).toMatchObject({ status: 507 });
  expect((await send('GET', '/Basic?_summary=count')).json.total).toBe(0);
  const fits = await ended(send, await send('POST', '/$import', basic('fits', content(20_000)), LINES));
  expect(fits.json.output).toEqual([{ inputName: 'body', count: 1 }]);
});
