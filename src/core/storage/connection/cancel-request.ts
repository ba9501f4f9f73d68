import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { DatabaseOptions } from './database';

/** The key that PostgreSQL gives a connection (BackendKeyData). */
export interface BackendKey {
  readonly processId: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;
const SSL_REQUEST = 80_877_103;
/** Milliseconds; as long as connecting may take. */
const TIME_LIMIT_MS = 5_000;

/**
 * Asks PostgreSQL to cancel the current statement of a backend; an idle backend ignores it. Resolves when the server
 * has closed the connection of the request: it has sent the signal by then, so that later statements are safe from it.
 * **Cost**: a connection without a login. **Source**: protocol-flow.html, "Canceling Requests in Progress".
 */
export async function requestCancel(options: DatabaseOptions, backend: BackendKey): Promise<void> {
  const { host, port, ssl } = options;
  const plain = host.startsWith('/')
    ? connectPlain(`${host}/.s.PGSQL.${port}`)
    : connectPlain({ host, port, noDelay: true });
  plain.setTimeout(TIME_LIMIT_MS, () =>
    plain.destroy(new Error('PostgreSQL does not take a cancel request')),
  );
  try {
    await happened(plain, 'connect');
    const socket = ssl === false ? plain : await secure(plain, host, ssl);
    const closed = happened(socket, 'close');
    socket.resume();
    socket.write(message(CANCEL_REQUEST, backend.processId, backend.secretKey));
    await closed;
  } finally {
    plain.destroy();
  }
}

async function secure(plain: Socket, host: string, ssl: { readonly ca?: string }): Promise<Socket> {
  plain.write(message(SSL_REQUEST));
  const answer = await new Promise<Buffer>((resolve, reject) => {
    plain.once('error', reject);
    plain.once('data', resolve);
  });
  if (answer.toString('latin1') !== 'S') throw new Error('PostgreSQL does not offer TLS');
  const socket = connectTls({
    socket: plain,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ssl.ca === undefined ? {} : { ca: ssl.ca }),
  });
  await happened(socket, 'secureConnect');
  return socket;
}

function happened(socket: Socket, event: 'connect' | 'secureConnect' | 'close'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(event, () => resolve());
  });
}

/** A start-up message: its length, then 32-bit numbers. */
function message(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 + numbers.length * 4);
  bytes.writeInt32BE(bytes.length);
  for (const [index, number] of numbers.entries()) bytes.writeInt32BE(number, 4 + index * 4);
  return bytes;
}
