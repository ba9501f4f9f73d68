/** Adds to an error of PostgreSQL or of the listening socket the settings that it depends on. */
import { ConfigurationError } from '../config';
import type { Settings } from '../config/settings';

type DatabaseSettings = Pick<Settings, 'database'>;

/** Advice by PostgreSQL's code of the error. */
const BY_CODE: Readonly<Record<string, string>> = {
  '28P01': 'Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_PASSWORD',
  '28000': 'Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_SSL, or pg_hba.conf of PostgreSQL',
  '3D000': 'Create it with createdb, or check FHIR_DATABASE_NAME',
  '42501':
    'Grant the right, or check FHIR_DATABASE_USERNAME; npx --no-install andiron doctor lists the rights',
  '53300': 'Lower DATABASE_CONNECTIONS, or raise max_connections of PostgreSQL',
};

/** Advice for errors without a code, which come from TLS and from the client of PostgreSQL. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [/does not support SSL/, 'Check FHIR_DATABASE_SSL, or switch TLS on in PostgreSQL'],
  [/does not match certificate/, 'FHIR_DATABASE_HOST must be a name of the certificate'],
  [/SASL|password/, 'Check FHIR_DATABASE_USERNAME and FHIR_DATABASE_PASSWORD'],
  [/certificate|self-signed/, 'FHIR_DATABASE_SSL needs a trusted certificate: check FHIR_DATABASE_CA_FILE'],
];

const UNREACHABLE = 'Check FHIR_DATABASE_HOST and FHIR_DATABASE_PORT';

/**
 * The line about an error of a connection to PostgreSQL, with the settings to check. Undefined: it is another error, or the
 * connection is not its cause.
 */
export function explainDatabaseError(error: unknown, { database }: DatabaseSettings): string | undefined {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  // A name with several addresses has an error for each.
  const [first] = errors;
  if (!(first instanceof Error)) return undefined;
  const messages = errors.map((each) => (each instanceof Error ? each.message : 'unknown'));
  const message = withoutServer([...new Set(messages)].join('; '));
  const server = `PostgreSQL at ${database.host}, port ${database.port},`;
  if ('severity' in first) {
    const check = 'code' in first ? BY_CODE[String(first.code)] : undefined;
    return check === undefined ? undefined : `${server} refuses the connection: ${message}. ${check}`;
  }
  const isOfConnection = 'syscall' in first || 'cause' in first;
  if (!isOfConnection) return undefined;
  const [, check = UNREACHABLE] = BY_MESSAGE.find(([pattern]) => pattern.test(message)) ?? [];
  const how = database.ssl && !('syscall' in first) ? ' by TLS' : '';
  return `${server} cannot be reached${how}: ${message}. ${check}`;
}

/** Core names the server in some of its errors. */
function withoutServer(message: string): string {
  return message.replace(/^PostgreSQL at .*? cannot be reached(?: by TLS)?: /, '').replace(/[.:\s]+$/, '');
}

/** An error of a start, which names the settings of the connection if that failed. */
export function toDatabaseError(error: unknown, settings: DatabaseSettings): unknown {
  const line = explainDatabaseError(error, settings);
  return line === undefined ? error : new ConfigurationError([line]);
}

/** An error of listening, which names HOST and PORT. */
export function toListenError(error: unknown): unknown {
  const line = explainListenError(error);
  return line === undefined ? error : new ConfigurationError([line]);
}

function explainListenError(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return undefined;
  const { code, syscall } = error;
  if (syscall === 'getaddrinfo')
    return `The address to listen on cannot be found: ${error.message}. Check HOST`;
  // In a worker it is the first process that binds.
  if (syscall !== 'listen' && syscall !== 'bind') return undefined;
  const { address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (code === 'EADDRINUSE')
    return `Another program listens on ${String(address)}, port ${String(port)}: choose another with PORT (--port of the quick start), or another HOST`;
  if (code === 'EACCES')
    return `This user may not listen on port ${String(port)}: choose one above 1023 with PORT`;
  return `The server cannot listen on ${String(address)}, port ${String(port)}: ${error.message}. Check HOST and PORT`;
}
