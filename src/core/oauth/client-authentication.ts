/** Client authentication at the OAuth 2.0 endpoints (RFC 6749, section 2.3; RFC 7523). */
import { createHash } from 'node:crypto';
import type { TokenRequest } from '../api/access';
import { fhirError } from '../errors';
import type { ClientStore, StoredClient } from '../storage/accounts/client-applications';
import { verifyAssertion } from './client-assertion';
import type { Clients } from './clients';
import { isConsole } from './console-client';
import { OAuthError } from '../api/oauth-error';
import { readToken } from './read-token';
import type { RemoteKeys } from './remote-keys';
import { toIssuer } from '../api/tenant-address';

export interface ClientProof {
  readonly client: StoredClient;
  /** False: a public client, which has sent only its id. */
  readonly isProven: boolean;
}

/** The parts of client authentication. */
interface ClientAuthenticationParts {
  readonly clients: Clients;
  readonly store: ClientStore;
  readonly remoteKeys: RemoteKeys;
  /** As `CoreOptions.assertionBases`. */
  readonly assertionBases: () => readonly string[];
}

export class ClientAuthentication {
  constructor(private readonly parts: ClientAuthenticationParts) {}

  /**
   * Authenticates a client by client_secret_basic, client_secret_post or private_key_jwt, and a public client by its
   * id alone. Throws OAuthError, `tooManyRequests`.
   */
  async prove(request: TokenRequest): Promise<ClientProof> {
    const { parameters, authorization, space, address } = request;
    const assertion = parameters.get('client_assertion');
    const id = parameters.get('client_id');
    const secret = parameters.get('client_secret');
    const ways = [authorization, secret, assertion].filter((way) => way !== undefined).length;
    if (ways > 1) throw new OAuthError('invalid_request', 'A client must authenticate in one way only');
    if (assertion !== undefined)
      return { client: await this.#proveByAssertion(request, assertion), isProven: true };
    if (ways === 0 && id !== undefined) {
      const client = await this.#find(request, id);
      // A disabled console has no tokens, and is answered like that of a tenant that does not exist.
      const isGood = client?.isPublic === true && (!client.isDisabled || isConsole(client));
      if (isGood) return { client, isProven: false };
    }
    const pair = authorization === undefined ? [id, secret] : readBasic(authorization);
    const [name, word] = pair;
    if (name === undefined || word === undefined || (id !== undefined && id !== name))
      throw new OAuthError('invalid_client', NOT_PROVEN);
    if (request.trail !== undefined) await this.#find(request, name);
    const proof = await this.parts.clients.prove(space, name, word, address);
    if (proof.kind !== 'proven') throw new OAuthError('invalid_client', NOT_PROVEN);
    return { client: proof.client, isProven: true };
  }

  /** Adds an existing client to the trail, whether its authentication succeeds or not. */
  async #find({ space, trail }: TokenRequest, id: string): Promise<StoredClient | undefined> {
    const client = await this.parts.clients.find(space, id);
    if (trail !== undefined && client !== undefined) trail.client = client.id;
    return client;
  }

  /** https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html */
  async #proveByAssertion(request: TokenRequest, text: string): Promise<StoredClient> {
    const { parameters, space } = request;
    const refuse = (reason: string): never => {
      throw new OAuthError('invalid_client', reason);
    };
    // Never the host that the request names: another server could forward an assertion that was signed for that
    // server.
    const issuers = this.parts.assertionBases().map((base) => toIssuer({ base, tenant: space.tenant }));
    if (issuers.length === 0) return refuse(NO_AUDIENCE);
    if (parameters.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      return refuse('client_assertion_type must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const assertion = readToken(text);
    const id = assertion?.payload['iss'];
    if (assertion === undefined || typeof id !== 'string')
      return refuse('The client_assertion must be a JWT');
    const named = parameters.get('client_id');
    const client = await this.#find(request, id);
    if (named !== undefined && named !== id) return refuse(NOT_PROVEN);
    const audiences = issuers.flatMap((issuer) => [`${issuer}/token`, issuer]);
    const verified = await verifyAssertion(client, assertion, audiences, (address) =>
      this.parts.remoteKeys.of(space, address),
    );
    if (typeof verified === 'string') return refuse(verified);
    if (client === undefined || verified === undefined) return refuse(NOT_PROVEN);
    const hash = createHash('sha256').update(`${client.id} ${verified.id}`).digest();
    if (!(await this.parts.store.useAssertion(space, hash, verified.expires)))
      return refuse('The client_assertion was used before: each must have its own jti');
    return client;
  }
}

const NO_AUDIENCE =
  'private_key_jwt is not allowed at this server: the setting PUBLIC_URL is not set, so the audience of a client_assertion is undefined';
/** The text is the same whether or not the client exists. */
const NOT_PROVEN = 'The client does not exist, or its credentials are wrong';

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
