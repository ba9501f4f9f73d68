/** The GraphQL gateway: sends typed documents, and throws the errors of the server. */
import type { TypedDocumentString } from './gql/graphql';
import { address, credentials } from './sign-in';

interface SentError {
  readonly message: string;
  /** The code is one of http://hl7.org/fhir/R4/valueset-issue-type.html. */
  readonly extensions?: { readonly code?: string };
}

export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: string | undefined;

  constructor({ message, extensions }: SentError) {
    super(message);
    this.code = extensions?.code;
  }
}

export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
      ...(await credentials()),
    },
    body: JSON.stringify({ query: document, variables }),
  });
  if (response.status === 401)
    throw new GatewayError({ message: 'Sign in to see patients.', extensions: { code: 'login' } });
  const text = await response.text();
  const { data, errors } = parse<Result>(text, response.status);
  if (errors?.[0] !== undefined) throw new GatewayError(errors[0]);
  if (data === undefined || data === null) throw new GatewayError({ message: `HTTP ${response.status}` });
  return data;
}

interface Answer<Result> {
  readonly data?: Result | null;
  readonly errors?: readonly SentError[];
}

/** A proxy between page and server may respond in another form. */
function parse<Result>(text: string, status: number): Answer<Result> {
  try {
    return JSON.parse(text) as Answer<Result>;
  } catch {
    throw new GatewayError({ message: `The server cannot be reached (HTTP ${status})` });
  }
}
