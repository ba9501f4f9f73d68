/** What a token endpoint does (RFC 6749, section 4.4), without HTTP. */
import { createHash } from 'node:crypto';
import type { TokenAnswer, TokenRequest } from '../api';
import { fhirError } from '../errors';
import type { ClientStore, StoredClient } from '../storage/client-applications';
import { toWords, type AccessTokens } from './access-tokens';
import { verifyAssertion } from './client-assertion';
import type { Clients } from './clients';
import { OAuthError } from './oauth-error';
import { readToken } from './read-token';
import { coversScope } from './scope-cover';

export class TokenEndpoint {
  constructor(
    private readonly parts: {
      readonly clients: Clients;
      readonly store: ClientStore;
      readonly tokens: AccessTokens;
      readonly seconds: number;
    },
  ) {}

  /** Throws OAuthError, and FhirError for what is no fault of the request (tooManyRequests, storageUnavailable …). */
  async grant(request: TokenRequest): Promise<TokenAnswer> {
    const { parameters, space, base } = request;
    const grantType = parameters.get('grant_type');
    if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
    if (grantType !== 'client_credentials')
      throw new OAuthError('unsupported_grant_type', 'The grant_type that works here is client_credentials');
    const client = await this.#prove(request);
    const scopes = chooseScopes(client, parameters.get('scope'));
    const { tokens, seconds } = this.parts;
    const grant = { client: client.id, scopes };
    const token = await tokens.issue(space, { base, tenant: space.tenant }, grant, seconds);
    return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
  }

  /** Which client it is: by one of client_secret_basic, client_secret_post, private_key_jwt. */
  async #prove(request: TokenRequest): Promise<StoredClient> {
    const { parameters, authorization, space, address } = request;
    const assertion = parameters.get('client_assertion');
    const id = parameters.get('client_id');
    const secret = parameters.get('client_secret');
    const ways = [authorization, secret, assertion].filter((way) => way !== undefined).length;
    if (ways > 1) throw new OAuthError('invalid_request', 'A client proves itself in one way only');
    if (assertion !== undefined) return this.#proveByAssertion(request, assertion);
    const pair = authorization === undefined ? [id, secret] : readBasic(authorization);
    const [name, word] = pair;
    if (name === undefined || word === undefined || (id !== undefined && id !== name))
      throw new OAuthError('invalid_client', 'The client has not proven itself');
    const proof = await this.parts.clients.prove(space, name, word, address);
    if (proof.kind !== 'proven')
      throw new OAuthError('invalid_client', 'The client or its secret is not good');
    return proof.client;
  }

  /** https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html */
  async #proveByAssertion({ parameters, space, base }: TokenRequest, text: string): Promise<StoredClient> {
    const refuse = (reason: string): never => {
      throw new OAuthError('invalid_client', reason);
    };
    if (parameters.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      return refuse('client_assertion_type is not urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const assertion = readToken(text);
    const id = assertion?.payload['iss'];
    if (assertion === undefined || typeof id !== 'string') return refuse('The client_assertion is not a JWT');
    const named = parameters.get('client_id');
    const client = await this.parts.clients.find(space, id);
    if (client === undefined || client.isDisabled || (named !== undefined && named !== id))
      return refuse('The client or its assertion is not good');
    const issuer = `${base}/w/${space.tenant}/oidc`;
    const verified = await verifyAssertion(client, assertion, [`${issuer}/token`, issuer]);
    if (typeof verified === 'string') return refuse(verified);
    const hash = createHash('sha256').update(`${client.id} ${verified.id}`).digest();
    if (!(await this.parts.store.useAssertion(space, hash, verified.expires)))
      return refuse('The client_assertion was used before: each has a jti of its own');
    return client;
  }
}

/** What was asked for and lies within the client's scopes; all of those where nothing was. */
function chooseScopes(client: StoredClient, asked: string | undefined): readonly string[] {
  if (asked === undefined || asked.trim() === '') return client.scopes;
  const chosen = [...new Set(toWords(asked))].filter((scope) => coversScope(client.scopes, scope));
  if (chosen.length === 0)
    throw new OAuthError('invalid_scope', 'The client may have none of the scopes that it asked for');
  return chosen;
}

/** Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function readBasic(authorization: string): readonly [string?, string?] {
  const [, encoded] = /^\s*basic\s+(\S+)\s*$/i.exec(authorization) ?? [];
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 1) return [];
  try {
    const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));
    return [decode(pair.slice(0, colon)), decode(pair.slice(colon + 1))];
  } catch {
    throw fhirError('invalidValue', {
      reason: 'The percent-encoding of the client or its secret is not valid',
    });
  }
}
