/** Which client asks, at the endpoints of OAuth 2.0 (RFC 6749, section 2.3; RFC 7523). */
import { createHash } from 'node:crypto';
import type { TokenRequest } from '../api/access';
import { fhirError } from '../errors';
import type { ClientStore, StoredClient } from '../storage/client-applications';
import { toIssuer } from './access-tokens';
import { verifyAssertion } from './client-assertion';
import type { Clients } from './clients';
import { OAuthError } from './oauth-error';
import { readToken } from './read-token';

export interface ClientProof {
  readonly client: StoredClient;
  /** False: a public client, which has only said who it is. */
  readonly isProven: boolean;
}

export class ClientAuthentication {
  constructor(
    private readonly parts: {
      readonly clients: Clients;
      readonly store: ClientStore;
    },
  ) {}

  /**
   * By one of client_secret_basic, client_secret_post, private_key_jwt; a public client by its id alone. Throws OAuthError,
   * `tooManyRequests`.
   */
  async prove(request: TokenRequest): Promise<ClientProof> {
    const { parameters, authorization, space, address } = request;
    const assertion = parameters.get('client_assertion');
    const id = parameters.get('client_id');
    const secret = parameters.get('client_secret');
    const ways = [authorization, secret, assertion].filter((way) => way !== undefined).length;
    if (ways > 1) throw new OAuthError('invalid_request', 'A client proves itself in one way only');
    if (assertion !== undefined)
      return { client: await this.#proveByAssertion(request, assertion), isProven: true };
    if (ways === 0 && id !== undefined) {
      const client = await this.#find(request, id);
      if (client?.isPublic === true && !client.isDisabled) return { client, isProven: false };
    }
    const pair = authorization === undefined ? [id, secret] : readBasic(authorization);
    const [name, word] = pair;
    if (name === undefined || word === undefined || (id !== undefined && id !== name))
      throw new OAuthError('invalid_client', 'The client has not proven itself');
    if (request.trail !== undefined) await this.#find(request, name);
    const proof = await this.parts.clients.prove(space, name, word, address);
    if (proof.kind !== 'proven')
      throw new OAuthError('invalid_client', 'The client or its secret is not good');
    return { client: proof.client, isProven: true };
  }

  /** One that there is is told, whether it proves itself or not. */
  async #find({ space, trail }: TokenRequest, id: string): Promise<StoredClient | undefined> {
    const client = await this.parts.clients.find(space, id);
    if (trail !== undefined && client !== undefined) trail.client = client.id;
    return client;
  }

  /** https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html */
  async #proveByAssertion(request: TokenRequest, text: string): Promise<StoredClient> {
    const { parameters, space, base } = request;
    const refuse = (reason: string): never => {
      throw new OAuthError('invalid_client', reason);
    };
    if (parameters.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      return refuse('client_assertion_type is not urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const assertion = readToken(text);
    const id = assertion?.payload['iss'];
    if (assertion === undefined || typeof id !== 'string') return refuse('The client_assertion is not a JWT');
    const named = parameters.get('client_id');
    const client = await this.#find(request, id);
    if (client === undefined || client.isDisabled || (named !== undefined && named !== id))
      return refuse('The client or its assertion is not good');
    const issuer = toIssuer({ base, tenant: space.tenant });
    const verified = await verifyAssertion(client, assertion, [`${issuer}/token`, issuer]);
    if (typeof verified === 'string') return refuse(verified);
    const hash = createHash('sha256').update(`${client.id} ${verified.id}`).digest();
    if (!(await this.parts.store.useAssertion(space, hash, verified.expires)))
      return refuse('The client_assertion was used before: each has a jti of its own');
    return client;
  }
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
