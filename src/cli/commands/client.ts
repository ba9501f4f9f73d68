import { ID_TOKEN_ALGORITHMS, type ClientApplication, type ClientChanges } from '../../core';
import { clientSecret, toExpiry } from './client-secret';
import { toClientDocument, toClientLines, toSecretDocument, toSecretLines } from '../client-text';
import { type Arguments, type Command, type CommandGroup, type Options, UsageError } from '../command';
import { JSON_OPTION, print, warn } from '../output';
import { readJsonFile, textOf, wrongValue } from '../option-values';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

const DETAILS = {
  name: { type: 'string', value: 'NAME', help: 'display name of the client' },
  scopes: {
    ...{ type: 'string', value: 'SCOPES' },
    help: 'SMART scopes that its tokens may have, such as "system/*.rs"',
  },
  policies: { type: 'string', value: 'NAMES', help: 'policies of the tenant that narrow the scopes' },
  jwks: { type: 'string', value: 'FILE', help: 'file with its public keys, instead of a secret' },
  'jwks-url': { type: 'string', value: 'URL', help: 'https address of its public keys, instead of a secret' },
  'redirect-uris': { type: 'string', value: 'URLS', help: 'redirect addresses for people who sign in' },
  'id-token-algorithm': {
    ...{ type: 'string', value: 'ALGORITHM' },
    help: `${ID_TOKEN_ALGORITHMS.join(' or ')}; default RS256`,
  },
  public: { type: 'boolean', help: 'a public client, such as a browser app: it gets no secret' },
  administrator: { type: 'boolean', help: 'it may administer the tenant, or of tenant system the server' },
  auditor: { type: 'boolean', help: 'it may read AuditEvents' },
} as const satisfies Options;

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'List the clients of a tenant, without their secrets.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [
    { line: 'andiron client list --tenant acme', does: 'Print the clients with their scopes.' },
    { line: 'andiron client list --tenant acme --json', does: 'Print them for a program.' },
  ],
  run: (given) =>
    withTenant(given, async ({ tenants: { clients } }, tenant) => {
      const all = await clients.list(tenant);
      print(given, { clients: all.map(toClientDocument) }, all.flatMap(toClientLines));
    }),
};

const create: Command = {
  name: 'create',
  usage: '',
  summary: 'Create a client with a secret, which is shown once, or with keys.',
  options: {
    ...TENANT_OPTION,
    ...DETAILS,
    days: { type: 'string', value: 'N', help: 'days until the new secret expires' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron client create --tenant acme --name "Ward app" --scopes "system/*.rs"',
      does: 'Create a client that may read and search all data of the tenant.',
    },
    {
      line: 'andiron client create --tenant acme --name Warehouse --scopes "system/*.rs" --jwks keys.json',
      does: 'Create one that signs with its own key instead of a secret.',
    },
    {
      line: 'andiron client create --tenant acme --name "Growth chart" --public --redirect-uris https://app.example/back --scopes "openid fhirUser launch/patient patient/*.rs"',
      does: 'Create a browser app for people who sign in.',
    },
    {
      line: 'andiron client create --tenant system --name Operations --administrator',
      does: 'Create an administrator of the server.',
    },
  ],
  run: async (given) => {
    const changes = await toChanges(given.options);
    const expires = toExpiry(given.options);
    const isWithoutSecret =
      changes.jwks !== undefined || changes.jwksUrl !== undefined || changes.isPublic === true;
    await withTenant(given, async ({ tenants: { clients } }, tenant) => {
      if (isWithoutSecret) {
        const client = await clients.create(tenant, changes);
        warnOf(client);
        return print(given, toClientDocument(client), [`client_id=${client.id}`]);
      }
      const { client, secret } = await clients.createWithSecret(tenant, changes, expires);
      const document = { ...toClientDocument(client), secret: toSecretDocument(secret) };
      print(given, document, [`client_id=${client.id}`, ...toSecretLines(secret)]);
      warnOf(client);
      process.stderr.write('The secret is not shown again\n');
    });
  },
};

function warnOf({ warnings }: ClientApplication): void {
  for (const warning of warnings) warn(warning);
}

const change: Command = {
  name: 'change',
  usage: 'CLIENT_ID',
  summary: 'Change a client; options that are not given change nothing.',
  options: { ...TENANT_OPTION, ...DETAILS, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron client change CLIENT_ID --tenant acme --scopes "system/Patient.rs"',
      does: 'Replace its scopes; existing tokens lose the others within 2 s.',
    },
  ],
  run: async (given) => {
    const changes = await toChanges(given.options);
    await changed(given, changes);
  },
};

const disable: Command = {
  name: 'disable',
  usage: 'CLIENT_ID',
  summary: 'Refuse all requests and tokens of a client.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron client disable CLIENT_ID --tenant acme', does: 'Lock the client out.' }],
  run: (given) => changed(given, { isDisabled: true }),
};

const enable: Command = {
  name: 'enable',
  usage: 'CLIENT_ID',
  summary: 'Accept a disabled client again.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [{ line: 'andiron client enable CLIENT_ID --tenant acme', does: 'Accept the client again.' }],
  run: (given) => changed(given, { isDisabled: false }),
};

function changed(given: Arguments, changes: ClientChanges): Promise<void> {
  const [id = ''] = given.words;
  return withTenant(given, async ({ tenants: { clients } }, tenant) => {
    const client = await clients.change(tenant, id, changes);
    if (client === undefined) throw absent('client', id, await clients.list(tenant));
    print(given, toClientDocument(client), toClientLines(client));
  });
}

/** Options that are not given change nothing. */
async function toChanges(options: Arguments['options']): Promise<ClientChanges> {
  const words = (name: string): readonly string[] | undefined =>
    textOf(options[name])
      ?.split(/[\s,]+/)
      .filter((word) => word !== '');
  const { administrator, auditor, 'id-token-algorithm': wanted } = options;
  const [name, file, jwksUrl] = [
    textOf(options['name']),
    textOf(options['jwks']),
    textOf(options['jwks-url']),
  ];
  const idTokenAlgorithm = ID_TOKEN_ALGORITHMS.find((algorithm) => algorithm === wanted);
  if (wanted !== undefined && idTokenAlgorithm === undefined)
    throw wrongValue('id-token-algorithm', ID_TOKEN_ALGORITHMS);
  if (file !== undefined && jwksUrl !== undefined)
    throw new UsageError(
      '--jwks and --jwks-url exclude each other: a client has keys in one of the two ways',
    );
  return {
    ...(name === undefined ? {} : { name }),
    ...{ scopes: words('scopes'), policies: words('policies'), redirectUris: words('redirect-uris') },
    idTokenAlgorithm,
    ...(administrator === undefined ? {} : { isAdministrator: administrator === true }),
    ...(auditor === undefined ? {} : { isAuditor: auditor === true }),
    ...(options['public'] === undefined ? {} : { isPublic: options['public'] === true }),
    ...(file === undefined ? {} : { jwks: await readKeys(file), jwksUrl: null }),
    ...(jwksUrl === undefined ? {} : { jwksUrl, jwks: null }),
  };
}

async function readKeys(file: string): Promise<NonNullable<ClientChanges['jwks']>> {
  const value = await readJsonFile(file, '--jwks');
  const isObject = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  const keys: unknown = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every(isObject))
    throw new Error(`The file ${file} of --jwks is not a JSON Web Key Set, {"keys":[…]}`);
  return { keys };
}

export const client: CommandGroup = {
  name: 'client',
  summary: 'List, create, change or disable the clients of a tenant, and manage their secrets.',
  commands: [list, create, change, disable, enable, clientSecret],
};
