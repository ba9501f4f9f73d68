import { readFile } from 'node:fs/promises';
import {
  ID_TOKEN_ALGORITHMS,
  type ClientApplication,
  type ClientChanges,
  type Core,
  type IdTokenAlgorithm,
  type NewSecret,
} from '../core';
import { type Arguments, type Command, UsageError } from './command';
import { withApp } from './with-app';

const DAY_MS = 86_400_000;

type Options = Arguments['options'];

async function listClients({ clients }: Core, tenant: string): Promise<void> {
  for (const client of await clients.list(tenant)) show(client);
}

function show(client: ClientApplication): void {
  const { id, name, isDisabled, scopes, policies, secrets, jwks, jwksUrl } = client;
  const words = [
    isDisabled ? 'disabled' : 'active',
    ...(client.isAdministrator ? ['administrator'] : []),
    ...(client.isAuditor ? ['auditor'] : []),
    ...(client.isPublic ? ['public'] : []),
  ];
  process.stdout.write(`${id}  ${words.join(',')}  ${name}\n`);
  const printList = (label: string, values: readonly string[]): void => {
    if (values.length > 0) process.stdout.write(`  ${label}: ${values.join(' ')}\n`);
  };
  printList('scopes', scopes);
  printList('policies', policies);
  printList('redirect-uris', client.redirectUris);
  printList(
    'keys',
    jwks === null ? (jwksUrl === null ? [] : [jwksUrl]) : jwks.keys.map(({ kid }) => String(kid)),
  );
  for (const { id: secret, created, expires } of secrets)
    process.stdout.write(
      `  secret: ${secret}  created ${new Date(created).toISOString()}${expires === undefined ? '' : `, expires ${new Date(expires).toISOString()}`}\n`,
    );
}

async function createClient({ clients }: Core, tenant: string, options: Options): Promise<void> {
  const changes = await toChanges(options);
  const hasKeys = changes.jwks !== undefined || changes.jwksUrl !== undefined;
  if (hasKeys || options['public'] === true) {
    const { id } = await clients.create(tenant, changes);
    process.stdout.write(`client_id=${id}\n`);
    return;
  }
  const { client, secret } = await clients.createWithSecret(tenant, changes, toExpiry(options));
  process.stdout.write(`client_id=${client.id}\n`);
  printSecret(secret);
}

async function changeClient(
  { clients }: Core,
  tenant: string,
  id: string,
  changes: ClientChanges,
): Promise<void> {
  const changed = await clients.change(tenant, id, changes);
  if (changed === undefined) throw new UsageError(`There is no client '${id}'`);
  show(changed);
}

async function addSecret(
  { clients }: Pick<Core, 'clients'>,
  tenant: string,
  id: string,
  options: Options,
): Promise<void> {
  const made = await clients.addSecret(tenant, id, toExpiry(options));
  if (made === undefined) throw new UsageError(`There is no client '${id}'`);
  printSecret(made);
}

/** Milliseconds since 1970; undefined: never. */
function toExpiry({ days }: Options): number | undefined {
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(String(days)))
    throw new UsageError('--days must be a whole number from 1 to 99999');
  return days === undefined ? undefined : Date.now() + Number(days) * DAY_MS;
}

/** Prints the secret to the output of the command only. */
function printSecret({ id, secret, expires }: NewSecret): void {
  process.stdout.write(`client_secret=${secret}\nsecret_id=${id}\n`);
  if (expires !== undefined) process.stdout.write(`expires=${new Date(expires).toISOString()}\n`);
  process.stderr.write('The secret is not shown again\n');
}

async function removeSecret({ clients }: Core, tenant: string, id: string, secret: string): Promise<void> {
  if (!(await clients.removeSecret(tenant, id, secret)))
    throw new UsageError(`The client '${id}' has no secret '${secret}'`);
  process.stdout.write(`Removed secret ${secret}\n`);
}

/** Options that are not given change nothing. */
async function toChanges(options: Options): Promise<ClientChanges> {
  const words = (name: string): readonly string[] | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value.split(/[\s,]+/).filter((word) => word !== '') : undefined;
  };
  const { name, jwks: file, administrator, auditor } = options;
  const jwksUrl = options['jwks-url'];
  return {
    ...(typeof name === 'string' ? { name } : {}),
    scopes: words('scopes'),
    policies: words('policies'),
    redirectUris: words('redirect-uris'),
    idTokenAlgorithm: toAlgorithm(options['id-token-algorithm']),
    ...(administrator === undefined ? {} : { isAdministrator: administrator === true }),
    ...(auditor === undefined ? {} : { isAuditor: auditor === true }),
    ...(options['public'] === undefined ? {} : { isPublic: options['public'] === true }),
    ...(typeof file === 'string' ? { jwks: await readKeys(file), jwksUrl: null } : {}),
    ...(typeof jwksUrl === 'string' ? { jwksUrl, jwks: null } : {}),
  };
}

function toAlgorithm(wanted: Options[string]): IdTokenAlgorithm | undefined {
  const found = ID_TOKEN_ALGORITHMS.find((algorithm) => algorithm === wanted);
  if (wanted !== undefined && found === undefined)
    throw new UsageError(`--id-token-algorithm must be ${ID_TOKEN_ALGORITHMS.join(' or ')}`);
  return found;
}

async function readKeys(file: string): Promise<NonNullable<ClientChanges['jwks']>> {
  const value: unknown = JSON.parse(await readFile(file, 'utf8'));
  const isObject = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  const keys: unknown = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every(isObject))
    throw new UsageError(`${file} is not a JSON Web Key Set, {"keys":[…]}`);
  return { keys };
}

async function run({ words, options }: Arguments): Promise<void> {
  const { tenant } = options;
  if (typeof tenant !== 'string') throw new UsageError('--tenant is missing');
  const [action, id, ...more] = words;
  const perform = (core: Core): Promise<void> => {
    if (action === 'list' && id === undefined) return listClients(core, tenant);
    if (action === 'create' && id === undefined) return createClient(core, tenant, options);
    if (id === undefined) throw new UsageError(`andiron client ${client.usage}`);
    if (action === 'secret' && id === 'add' && more[0] !== undefined && more.length === 1)
      return addSecret(core, tenant, more[0], options);
    if (action === 'secret' && id === 'remove' && more[0] !== undefined && more[1] !== undefined)
      return removeSecret(core, tenant, more[0], more[1]);
    if (more.length > 0) throw new UsageError('Only one client can be named');
    if (action === 'disable') return changeClient(core, tenant, id, { isDisabled: true });
    if (action === 'enable') return changeClient(core, tenant, id, { isDisabled: false });
    if (action === 'change')
      return toChanges(options).then((changes) => changeClient(core, tenant, id, changes));
    throw new UsageError(`andiron client ${client.usage}`);
  };
  await withApp(({ core }) => perform(core));
}

export const client: Command = {
  name: 'client',
  usage:
    'list | create | change ID | disable ID | enable ID | secret add ID | secret remove ID SECRET, with --tenant NAME',
  summary:
    'List, create, change or disable the clients of a tenant, and manage their secrets, which are shown once.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    name: { type: 'string', help: 'display name of the client' },
    scopes: { type: 'string', help: 'SMART scopes that its tokens may have, such as "system/*.rs"' },
    policies: { type: 'string', help: 'policies of the tenant that narrow the scopes' },
    jwks: { type: 'string', help: 'file with its public keys, instead of a secret' },
    'jwks-url': { type: 'string', help: 'https address of its public keys, instead of a secret' },
    'redirect-uris': { type: 'string', help: 'redirect addresses for people who sign in' },
    'id-token-algorithm': { type: 'string', help: 'RS256 or ES256; default RS256' },
    days: { type: 'string', help: 'days until the new secret expires' },
    public: { type: 'boolean', help: 'a public client, such as a browser app: it gets no secret' },
    administrator: { type: 'boolean', help: 'it may administer the tenant, or of tenant system the server' },
    auditor: { type: 'boolean', help: 'it may read AuditEvents' },
  },
  run,
};
