/** Administration of a tenant's clients, keys and issuers. New keys sign at once. */
import type { ClientApplication, ClientChanges, Core, NewSecret, TenantAdministration } from '../../core';
import { refuse } from './read-request';
import type { CLIENT_ROUTES } from './routes';
import type { Value } from './schema-kinds';
import type * as schemas from './schemas';
import { found, toInstant, type HandlersOf } from './serve-routes';

export function clientHandlers(
  { access: { tokens } }: Core,
  { clients, issuers }: TenantAdministration,
): HandlersOf<typeof CLIENT_ROUTES> {
  return {
    listClients: async ({ params: { tenant } }) => {
      const list = await clients.list(tenant);
      return { status: 200, answer: { clients: list.map(toAnswer) } };
    },
    createClient: async ({ params: { tenant }, body: { withSecret, ...body } }) => {
      const changes = toChanges(body);
      const hasKeys = isGiven(changes.jwks) || isGiven(changes.jwksUrl);
      if (!(withSecret ?? !(hasKeys || changes.isPublic === true)))
        return { status: 201, answer: toAnswer(await clients.create(tenant, changes)) };
      const { client, secret } = await clients.createWithSecret(tenant, changes);
      return { status: 201, answer: { ...toAnswer(client), secret: toSecretAnswer(secret) } };
    },
    getClient: async ({ params: { tenant, client } }) => {
      return { status: 200, answer: toAnswer(found(await clients.find(tenant, client))) };
    },
    changeClient: async ({ params: { tenant, client }, body }) => {
      const changed = await clients.change(tenant, client, toChanges(body));
      return { status: 200, answer: toAnswer(found(changed)) };
    },
    createSecret: async ({ params: { tenant, client }, body: { expires } }) => {
      const made = await clients.addSecret(tenant, client, toExpiry(expires));
      return { status: 201, answer: toSecretAnswer(found(made)) };
    },
    deleteSecret: async ({ params: { tenant, client, secret } }) => {
      found(await clients.removeSecret(tenant, client, secret));
      return { status: 200, answer: { removed: secret } };
    },
    listIssuers: async ({ params: { tenant } }) => {
      return { status: 200, answer: { issuers: await issuers.list(tenant) } };
    },
    putIssuer: async ({ params: { tenant }, body }) => {
      await issuers.put(tenant, body);
      return { status: 200, answer: { issuers: await issuers.list(tenant) } };
    },
    deleteIssuer: async ({ params: { tenant }, query: { issuer } }) => {
      found(await issuers.remove(tenant, issuer));
      return { status: 200, answer: { removed: issuer } };
    },
    rotateKeys: async ({ params: { tenant }, body: { revoke = false } }) => {
      return { status: 201, answer: { keys: await tokens.rotateKeys(tenant, revoke) } };
    },
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function toChanges(body: Value<typeof schemas.ClientChanges>): ClientChanges {
  const { disabled, administrator, auditor, public: isPublic, jwks, ...others } = body;
  return {
    ...others,
    isDisabled: disabled,
    isAdministrator: administrator,
    isAuditor: auditor,
    isPublic,
    jwks: jwks && { keys: jwks.keys },
  };
}

/** Returns the milliseconds since 1970 of an instant in the future; undefined: the secret does not expire. */
function toExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const expires = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || !(expires > Date.now()))
    refuse('"expires" must be an instant in the future, such as 2027-01-01T00:00:00Z');
  return expires;
}

function toAnswer(client: ClientApplication): Value<typeof schemas.Client> {
  const { id, name, created, isDisabled, scopes, policies, isAdministrator, isAuditor } = client;
  return {
    id,
    name,
    created: toInstant(created),
    disabled: isDisabled,
    scopes,
    policies,
    administrator: isAdministrator,
    auditor: isAuditor,
    jwks: client.jwks,
    jwksUrl: client.jwksUrl,
    redirectUris: client.redirectUris,
    public: client.isPublic,
    idTokenAlgorithm: client.idTokenAlgorithm,
    warnings: client.warnings,
    secrets: client.secrets.map(({ id: secret, created: made, expires }) => ({
      id: secret,
      created: toInstant(made),
      ...(expires === undefined ? {} : { expires: toInstant(expires) }),
    })),
  };
}

/** Returns the only response that contains the secret. */
function toSecretAnswer({ id, secret, expires }: NewSecret): Value<typeof schemas.NewSecret> {
  return { id, secret, ...(expires === undefined ? {} : { expires: toInstant(expires) }) };
}
