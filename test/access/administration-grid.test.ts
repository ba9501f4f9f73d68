/**
 * Who may use which address of administration (docs/run/own-administration.md): each caller at each route of the table, in
 * its own tenant, in another one and in one that does not exist, at both places where the table is served.
 */
import { readFileSync } from 'node:fs';
import { OPERATOR, TENANT, type Mount } from '../../src/rest/administration/mounts';
import {
  ADMINISTRATION_ROUTES,
  GZIP,
  LINES,
  type AdministrationRoute,
} from '../../src/rest/administration/routes';
import { makeFolder, packResources } from '../packages/make-package';
import { administerWell, create, createClient, toBasic, type MadeClient } from '../support/access';
import { ConsoleUser } from '../support/console-sign-in';
import { getToken } from '../support/credentials';
import { eventually } from '../support/eventually';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const CALLERS = ['operator', 'administrator', 'person who administers', 'person', 'app', 'nobody'] as const;
type CallerName = (typeof CALLERS)[number];
const ADMINISTRATORS: readonly CallerName[] = ['administrator', 'person who administers'];
const ROUTES = Object.entries(ADMINISTRATION_ROUTES).map(([id, route]) => ({ id, route }));
const PASSWORD = 'correct horse battery';
/** An admitted request that finds nothing: no second factor, no Subscription, no job that has not ended. */
const FOUND_NOTHING: ReadonlyMap<string, number> = new Map([
  ['removeSecondFactor', 404],
  ['getSubscription', 404],
  ['changeSubscription', 404],
  ['stopJob', 404],
]);
const NO_SUBSCRIPTION = { fhirRelease: 'r4', subscription: 'none' };
const ISSUER = 'https://login.example';

let server: SharedServer;
/** The tenant of all callers but the operator, another one, and the name of none. */
let own: string;
let other: string;
let absent: string;
/** Values of the header Authorization. */
const credentials = new Map<CallerName, string>();
let packed: Buffer;
let made = 0;
/** Texts of refusals by route, place and tenant. */
const texts = new Map<string, readonly string[]>();

type Parts = Readonly<Record<'client' | 'secret' | 'user' | 'policy' | 'job', string>>;
/** Something of each kind in each tenant, which no refused request may change. */
const standing = new Map<string, Parts>();

beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const name of ['grid', 'griddled']) await server.createTenant(name);
  [own, other, absent] = ['grid', 'griddled', 'grids'].map((name) => server.tenant(name)) as [string, string, string];
  const token = async (tenant: string, client: MadeClient) => `Bearer ${await getToken(server, tenant, client)}`;
  const operator = await create(server, '/tenants/system/clients', { name: 'Grid', administrator: true });
  const { secret } = operator['secret'] as { secret: string };
  const { id } = operator;
  credentials.set('operator', await token('system', { id, secret, basic: toBasic(id, secret) }));
  credentials.set('administrator', await token(own, await createClient(server, 'grid', { administrator: true })));
  credentials.set('app', await token(own, await createClient(server, 'grid')));
  for (const [name, administrator] of [['person', false], ['person who administers', true]] as const) {
    const user = administrator ? 'olga' : 'ann';
    const fhirUser = 'Practitioner/ann';
    await create(server, `/tenants/${own}/users`, { name: user, password: PASSWORD, administrator, fhirUser });
    const { access_token } = await new ConsoleUser(server, own).signIn(user, PASSWORD);
    credentials.set(name, `Bearer ${access_token}`);
  }
  const { folder, remove } = await makeFolder();
  const manifest = { name: 'grid.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
  packed = readFileSync(await packResources(folder, manifest, { 'Patient-ana.json': { resourceType: 'Patient', id: 'ana' } }));
  await remove();
  for (const tenant of [own, other]) standing.set(tenant, await makeParts(tenant, ['client', 'secret', 'user', 'policy', 'job', 'issuer']));
}); // prettier-ignore
afterAll(() => server.close());

/** Makes what the address of a route names, as the operator does. */
async function makeParts(tenant: string, names: readonly string[]): Promise<Parts> {
  const at = `/tenants/${tenant}`;
  const needs = (...some: string[]): boolean => some.some((name) => names.includes(name));
  const number = ++made;
  const client = needs('client', 'secret', 'issuer')
    ? (await create(server, `${at}/clients`, { name: 'Lab', withSecret: false })).id
    : '';
  const secret = needs('secret') ? (await create(server, `${at}/clients/${client}/secrets`, {})).id : '';
  const user = needs('user')
    ? (await create(server, `${at}/users`, { name: `user-${number}`, password: PASSWORD })).id
    : '';
  const policy = `policy-${number}`;
  if (needs('policy')) await administerWell(server, 'PUT', `${at}/policies/${policy}`, { rules: [] });
  const issuer = { issuer: ISSUER, client, audience: 'andiron', jwksUrl: `${ISSUER}/jwks` };
  if (needs('issuer')) await administerWell(server, 'PUT', `${at}/issuers`, issuer);
  const job = needs('job')
    ? String((await administerWell(server, 'POST', `${at}/reindex`, { release: 'r4' })).id)
    : '';
  if (needs('job')) await noJobRuns(tenant);
  return { client, secret, user, policy, job };
}

async function noJobRuns(tenant: string): Promise<void> {
  await eventually(async () => {
    const { json } = await server.administer('GET', `/tenants/${tenant}/jobs`);
    return json.jobs.every(({ state }: { state: string }) => !['queued', 'running'].includes(state));
  });
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly type: string;
}

/** A valid request to a route, at a path of it; `lines`: the export that an import needs. */
function toRequest(id: string, route: AdministrationRoute, path: string, tenant: string, parts: Parts, lines = ''): Sent {
  const [method = ''] = route.address.split(' ');
  const query = new URLSearchParams();
  for (const name of route.query?.required ?? []) query.set(name, { confirm: tenant, issuer: ISSUER }[name] ?? '');
  // All of a tenant is for the operator; current resources are for both.
  if (id === 'exportTenant') query.set('current', 'true');
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => ({ tenant, ...NO_SUBSCRIPTION, ...parts })[name] ?? '');
  const fresh: Readonly<Record<string, object>> = {
    createTenant: { name: `fresh-${made}-${tenant}` },
    createUser: { name: `fresh-${made}` },
    putIssuer: { issuer: ISSUER, client: parts.client },
  };
  const file = route.file === GZIP ? packed : route.file === LINES ? lines : undefined;
  const hasBody = !['GET', 'DELETE'].includes(method);
  return {
    method,
    path: query.size === 0 ? filled : `${filled}?${query.toString()}`,
    // An optional body is left empty: its example may need more of the server, such as mail.
    body: hasBody ? (file ?? (route.isBodyOptional === true ? {} : { ...route.example, ...fresh[id] })) : undefined,
    type: route.file ?? 'application/json',
  };
} // prettier-ignore

const rootOf = (mount: Mount, tenant: string): string => mount.root.replace(':tenant', tenant);

function send(caller: CallerName, root: string, { method, path, body, type }: Sent): Promise<Answer> {
  const authorization = credentials.get(caller);
  const headers = { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) };
  return server.request(method, root + path, body, headers);
}

/** What the caller is at a place: admitted, or refused with a status. */
function admission(caller: CallerName, mount: Mount, tenant: string): 'admitted' | 401 | 403 | 404 {
  if (caller === 'nobody') return 401;
  if (mount === OPERATOR) return caller === 'operator' ? 'admitted' : 403;
  if (caller === 'operator' || tenant !== own) return 404;
  return ADMINISTRATORS.includes(caller) ? 'admitted' : 403;
}

/** The rule of the grid. */
function expected(caller: CallerName, route: AdministrationRoute, mount: Mount, tenant: string): 'admitted' | number {
  if (route.who === 'everybody') return 'admitted';
  const admitted = admission(caller, mount, tenant);
  if (mount.pathOf(route) !== undefined) return admitted;
  const path = bareTenantPath(route);
  const isShared = ROUTES.some(({ route: each }) => mount.pathOf(each) === path);
  return isShared ? (admitted === 'admitted' ? 405 : admitted) : 404;
} // prettier-ignore

/** Where a route of the operator would be, if it were served at the address of a tenant. */
const bareTenantPath = ({ address }: AdministrationRoute): string | undefined =>
  TENANT.pathOf({ address, who: 'administrators' });

/** All that administration shows of a tenant. */
async function stateOf(tenant: string): Promise<unknown> {
  const kinds = ['', '/clients', '/users', '/policies', '/issuers', '/jobs', '/packages'];
  const shown = await Promise.all(kinds.map((kind) => server.administer('GET', `/tenants/${tenant}${kind}`)));
  const keys = await server.request('GET', `/w/${tenant}/oidc/jwks`);
  return [...shown, keys].map(({ status, text }) => [status, text]);
}

describe('the grid of administration', () => {
  it('refuses each caller what the rule does not allow, alike for a tenant that does not exist, and changes nothing', async () => {
    const before = await Promise.all([own, other].map(stateOf));
    for (const { id, route } of ROUTES)
      for (const mount of [OPERATOR, TENANT])
        for (const tenant of [own, other, absent]) {
          const path = mount.pathOf(route) ?? bareTenantPath(route) ?? '';
          const parts = standing.get(tenant) ?? standing.get(own);
          if (parts === undefined) throw new Error('nothing was made');
          const request = toRequest(id, route, path, tenant, parts);
          const refused = CALLERS.filter((caller) => expected(caller, route, mount, tenant) !== 'admitted');
          const answers = await Promise.all(refused.map((caller) => send(caller, rootOf(mount, tenant), request)));
          const cell = (index: number) => [id, mount.name, tenant, refused[index]];
          expect(answers.map(({ status }, index) => [...cell(index), status])).toEqual(
            refused.map((caller, index) => [...cell(index), expected(caller, route, mount, tenant)]),
          );
          for (const { json } of answers) expect(json.resourceType).toBe('OperationOutcome');
          texts.set(`${id} ${mount.name} ${tenant}`, answers.map(({ text }) => text.replaceAll(tenant, 'TENANT')));
        }
    for (const { id } of ROUTES)
      expect([id, texts.get(`${id} tenant ${absent}`)]).toEqual([id, texts.get(`${id} tenant ${other}`)]);
    expect(await Promise.all([own, other].map(stateOf))).toEqual(before);
  }); // prettier-ignore

  it('has none of the operator’s addresses below the address of a tenant', async () => {
    const parts = standing.get(other);
    if (parts === undefined) throw new Error('nothing was made');
    for (const { id, route } of ROUTES) {
      const path = OPERATOR.pathOf(route) ?? '';
      if (!path.startsWith('/tenants')) continue;
      const request = toRequest(id, route, path, other, parts);
      for (const caller of CALLERS)
        expect([id, caller, (await send(caller, rootOf(TENANT, own), request)).status]).toEqual([id, caller, 404]);
    }
  }); // prettier-ignore

  it.each<[CallerName, Mount]>([
    ['operator', OPERATOR],
    ['administrator', TENANT],
    ['person who administers', TENANT],
  ])('lets the %s do all that the rule allows', async (caller, mount) => {
    const tenant = mount === OPERATOR ? other : own;
    const lines = await server.administer('GET', `/tenants/${other}/export`);
    for (const { id, route } of ROUTES) {
      if (expected(caller, route, mount, tenant) !== 'admitted') continue;
      await noJobRuns(tenant);
      const names = [...route.address.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const parts = await makeParts(tenant, [...names, ...(id.endsWith('Issuer') ? ['issuer'] : [])]);
      // What comes and goes is a tenant of its own.
      const isOther = ['deleteTenant', 'importTenant'].includes(id);
      const named = isOther ? `fresh-${made}-${tenant}` : tenant;
      if (id === 'deleteTenant') await create(server, '/tenants', { name: named });
      const path = mount.pathOf(route) ?? '';
      const answer = await send(caller, rootOf(mount, tenant), toRequest(id, route, path, named, parts, lines.text));
      const isDone = answer.status < 300 || answer.status === FOUND_NOTHING.get(id);
      expect([id, isDone ? '' : `${answer.status} ${answer.text}`]).toEqual([id, '']);
    }
    await noJobRuns(tenant);
  }); // prettier-ignore
});
