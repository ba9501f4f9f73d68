/**
 * Administration of a tenant's clients, keys and issuers, for administrators only (administrator.ts), below
 * /w/system/api/v1/tenants/{tenant}: `clients` (GET, POST), `clients/{id}` (GET, PATCH), `clients/{id}/secrets` (POST),
 * `clients/{id}/secrets/{secret}` (DELETE), `issuers` (GET, PUT, DELETE with ?issuer=), `keys` (POST: makes new keys,
 * which sign at once).
 */
import type { FastifyInstance } from 'fastify';
import {
  fhirError,
  ID_TOKEN_ALGORITHMS,
  type ClientApplication,
  type ClientChanges,
  type Core,
  type IdTokenAlgorithm,
  type NewSecret,
} from '../../core';
import {
  addAdministration as add,
  found,
  isObject,
  readFlag,
  readMembers,
  readReleaseScope,
  readText,
  readWords,
  refuse,
  toInstant,
  type AdministrationRequest,
} from './administration';
import { sendJson } from '../responses/send-json';

/** Registers the routes in `scope`, which only administrators reach. */
export function registerClientRoutes(scope: FastifyInstance, core: Core): void {
  const { clients, issuers, tokens } = core;

  add(scope, '/clients', {
    GET: async (request, reply) => {
      const list = await clients.list(request.params.name);
      return sendJson(request, reply, { status: 200, answer: { clients: list.map(toAnswer) } });
    },
    POST: async (request, reply) => {
      const { name: tenant } = request.params;
      const { withSecret, ...changes } = readClient(request);
      const hasKeys = isGiven(changes.jwks) || isGiven(changes.jwksUrl);
      if (!(withSecret ?? !(hasKeys || changes.isPublic === true)))
        return sendJson(request, reply, {
          status: 201,
          answer: toAnswer(await clients.create(tenant, changes)),
        });
      const { client, secret } = await clients.createWithSecret(tenant, changes);
      return sendJson(request, reply, {
        status: 201,
        answer: { ...toAnswer(client), secret: toSecretAnswer(secret) },
      });
    },
  });
  add(scope, '/clients/:client', {
    GET: async (request, reply) => {
      const { name, client } = request.params;
      return sendJson(request, reply, {
        status: 200,
        answer: toAnswer(found(await clients.find(name, client))),
      });
    },
    PATCH: async (request, reply) => {
      const { name, client } = request.params;
      const changed = await clients.change(name, client, readClient(request));
      return sendJson(request, reply, { status: 200, answer: toAnswer(found(changed)) });
    },
  });
  add(scope, '/clients/:client/secrets', {
    POST: async (request, reply) => {
      const { name, client } = request.params;
      const made = found(await clients.addSecret(name, client, readExpiry(request)));
      return sendJson(request, reply, { status: 201, answer: toSecretAnswer(made) });
    },
  });
  add(scope, '/clients/:client/secrets/:secret', {
    DELETE: async (request, reply) => {
      const { name, client, secret } = request.params;
      if (!(await clients.removeSecret(name, client, secret))) throw fhirError('noSuchAddress');
      return sendJson(request, reply, { status: 200, answer: { removed: secret } });
    },
  });
  add(scope, '/issuers', {
    GET: async (request, reply) =>
      sendJson(request, reply, { status: 200, answer: { issuers: await issuers.list(request.params.name) } }),
    PUT: async (request, reply) => {
      const { name } = request.params;
      const { issuer, client, audience, jwksUrl, ...more } = readMembers(request, ISSUER_MEMBERS);
      await issuers.put(name, {
        issuer: readText('issuer', issuer) ?? '',
        client: readText('client', client) ?? '',
        audience: readText('audience', audience) ?? '',
        jwksUrl: readText('jwksUrl', jwksUrl) ?? '',
        release: readReleaseScope(more['release']),
        scopeClaim: readText('scopeClaim', more['scopeClaim']),
        userClaim: readText('userClaim', more['userClaim']),
        patientClaim: readText('patientClaim', more['patientClaim']),
        scopeMap: more['scopeMap'] === undefined ? undefined : readMap(more['scopeMap']),
      });
      return sendJson(request, reply, { status: 200, answer: { issuers: await issuers.list(name) } });
    },
    // The name of an issuer is a URL, so it is a parameter of the query.
    DELETE: async (request, reply) => {
      const issuer = new URLSearchParams(toSearch(request.url)).get('issuer');
      if (issuer === null) refuse('The parameter issuer is missing: it names the issuer to remove');
      if (!(await issuers.remove(request.params.name, issuer))) throw fhirError('noSuchAddress');
      return sendJson(request, reply, { status: 200, answer: { removed: issuer } });
    },
  });
  add(scope, '/keys', {
    POST: async (request, reply) => {
      const { revoke } = request.body === undefined ? {} : readMembers(request, ['revoke']);
      const keys = await tokens.rotateKeys(request.params.name, revoke === true);
      return sendJson(request, reply, { status: 201, answer: { keys } });
    },
  });
}

const ISSUER_MEMBERS = [
  'issuer',
  'client',
  'release',
  'audience',
  'jwksUrl',
  'scopeClaim',
  'scopeMap',
  'userClaim',
  'patientClaim',
];
const CLIENT_MEMBERS = [
  'name',
  'disabled',
  'scopes',
  'policies',
  'administrator',
  'auditor',
  'jwks',
  'jwksUrl',
  'redirectUris',
  'public',
  'idTokenAlgorithm',
  'withSecret',
];

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function readClient(request: AdministrationRequest): ClientChanges & { readonly withSecret?: boolean } {
  const members = readMembers(request, CLIENT_MEMBERS);
  const jwks = members['jwks'];
  return {
    name: readText('name', members['name']),
    isDisabled: readFlag('disabled', members['disabled']),
    scopes: readWords('scopes', members['scopes']),
    policies: readWords('policies', members['policies']),
    isAdministrator: readFlag('administrator', members['administrator']),
    isAuditor: readFlag('auditor', members['auditor']),
    jwks: jwks === undefined || jwks === null ? jwks : readKeys(jwks),
    jwksUrl: members['jwksUrl'] === null ? null : readText('jwksUrl', members['jwksUrl']),
    redirectUris: readWords('redirectUris', members['redirectUris']),
    isPublic: readFlag('public', members['public']),
    idTokenAlgorithm: readAlgorithm(members['idTokenAlgorithm']),
    withSecret: readFlag('withSecret', members['withSecret']),
  };
}

function readAlgorithm(value: unknown): IdTokenAlgorithm | undefined {
  const found = ID_TOKEN_ALGORITHMS.find((algorithm) => algorithm === value);
  return value === undefined || found !== undefined
    ? found
    : refuse(`"idTokenAlgorithm" must be ${ID_TOKEN_ALGORITHMS.join(' or ')}`);
}

function readKeys(value: unknown): NonNullable<ClientChanges['jwks']> {
  const keys = isObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys) || !keys.every(isObject))
    refuse('"jwks" must be a JSON Web Key Set, {"keys":[…]}');
  return { keys };
}

function toSearch(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
}

/** Reads `{"expires":"2027-01-01T00:00:00Z"}`; an empty body means that the secret does not expire. */
function readExpiry(request: AdministrationRequest): number | undefined {
  if (request.body === undefined || request.body === '') return undefined;
  const text = readText('expires', readMembers(request, ['expires'])['expires']);
  if (text === undefined) return undefined;
  const expires = Date.parse(text);
  if (!/^\d{4}-\d\d-\d\dT/.test(text) || !(expires > Date.now()))
    refuse('"expires" must be an instant in the future, such as 2027-01-01T00:00:00Z');
  return expires;
}

/** Reads an object of values of a claim, each with the scopes that it stands for. */
function readMap(value: unknown): Readonly<Record<string, readonly string[]>> {
  if (!isObject(value)) refuse('"scopeMap" must be an object of lists of scopes');
  return Object.fromEntries(
    Object.entries(value).map(([claimed, scopes]) => [claimed, readWords('scopeMap', scopes) ?? []]),
  );
}

function toAnswer(client: ClientApplication): object {
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
    secrets: client.secrets.map(({ id: secret, created: made, expires }) => ({
      id: secret,
      created: toInstant(made),
      ...(expires === undefined ? {} : { expires: toInstant(expires) }),
    })),
  };
}

/** Returns the only response that contains the secret. */
function toSecretAnswer({ id, secret, expires }: NewSecret): object {
  return { id, secret, ...(expires === undefined ? {} : { expires: toInstant(expires) }) };
}
