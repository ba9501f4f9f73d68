/** What the developer of a client enters, and requests that show that it works. */

export interface Addresses {
  /** Absolute address of the tenant: `https://fhir.example/w/acme`. */
  readonly tenant: string;
  /** Absolute address of the FHIR data of a release. */
  readonly fhir: string;
}

export function authorizeAddress({ tenant }: Addresses): string {
  return `${tenant}/oidc/authorize`;
}

export function tokenAddress({ tenant }: Addresses): string {
  return `${tenant}/oidc/token`;
}

/** A text as one word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that gets a token for a program with a secret. */
export function tokenCommand(addresses: Addresses, { id, secret }: { id: string; secret: string }): string {
  return `curl -s -u ${quote(`${id}:${secret}`)} ${quote(tokenAddress(addresses))} -d grant_type=client_credentials`;
}

/** The command that gets a token by a signed assertion. */
export function assertionCommand(addresses: Addresses): string {
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return [
    `curl -s ${quote(tokenAddress(addresses))} -d grant_type=client_credentials`,
    `-d client_assertion_type=${type} -d client_assertion="$SIGNED_JWT"`,
  ].join(' \\\n  ');
}

/** The command that reads data with a token. */
export function readCommand({ fhir }: Addresses, path: string): string {
  return `curl -s -H "Authorization: Bearer $TOKEN" -H 'Accept: application/fhir+json' ${quote(`${fhir}/${path}`)}`;
}

export interface SignInRequest {
  readonly client: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** SHA-256 of the verifier, in base64url. */
  readonly challenge: string;
}

/** The address to which an app sends a person to sign in. */
export function signInAddress(addresses: Addresses, request: SignInRequest): string {
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: request.client,
    redirect_uri: request.redirectUri,
    scope: request.scopes.join(' '),
    state: 'test',
    aud: addresses.fhir,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
  });
  return `${authorizeAddress(addresses)}?${parameters.toString()}`;
}

/** The command that gets the tokens for the code that a sign-in has led to. */
export function codeCommand(
  addresses: Addresses,
  {
    client,
    redirectUri,
    verifier,
  }: { readonly client: string; readonly redirectUri: string; readonly verifier: string },
): string {
  return [
    `curl -s ${quote(tokenAddress(addresses))} -d grant_type=authorization_code -d code="$CODE"`,
    `-d client_id=${quote(client)} --data-urlencode redirect_uri=${quote(redirectUri)}`,
    `-d code_verifier=${verifier}`,
  ].join(' \\\n  ');
}
