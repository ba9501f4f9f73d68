/**
 * Large values on their way to PostgreSQL. pg copies all values of a statement into one buffer, which blocks the event
 * loop for about 50 ms at 60 MB. Here a large value is written to the socket as it is.
 */
import { Socket } from 'node:net';
import type { ClientBase } from 'pg';

const LARGE = 256 * 1024;

/** The argument that pg passes to `Connection.bind` (pg/lib/query.js). */
interface Bind {
  readonly portal?: string;
  readonly statement?: string;
  readonly values?: readonly unknown[];
  readonly binary?: boolean;
  /** Makes a value a text, bytes, or null. */
  valueMapper(value: unknown): string | Buffer | null;
}

interface Connection {
  bind(message: Bind): void;
  readonly stream: Socket;
}

/** Makes the client send large Buffers uncopied; they must not change afterwards. */
export function sendLargeValuesUncopied(client: ClientBase): void {
  const connection = 'connection' in client ? client.connection : undefined;
  if (!isConnection(connection)) throw new Error('the connection of pg has an unexpected form');
  const bind = connection.bind.bind(connection);
  connection.bind = (message) => {
    if ((message.values ?? []).some((value) => Buffer.isBuffer(value) && value.length >= LARGE))
      write(connection.stream, blocksOf(message));
    else bind(message);
  };
}

function write(stream: Socket, blocks: readonly Buffer[]): void {
  if (!stream.writable) return;
  stream.cork();
  for (const block of blocks) stream.write(block);
  stream.uncork();
}

/** The message Bind of the wire protocol (protocol-message-formats.html), in blocks. */
function blocksOf({ portal = '', statement = '', values = [], binary = false, valueMapper }: Bind): Buffer[] {
  const mapped = values.map((value) => valueMapper(value));
  const blocks = [
    Buffer.from(`${portal}\0${statement}\0`),
    int16(mapped.length),
    ...mapped.map((value) => int16(Buffer.isBuffer(value) ? 1 : 0)),
    int16(mapped.length),
    ...mapped.flatMap(toBlocks),
    int16(1),
    int16(binary ? 1 : 0),
  ];
  const length = blocks.reduce((sum, block) => sum + block.length, 4);
  return [Buffer.from('B'), int32(length), ...blocks];
}

/** A value after its length. */
function toBlocks(value: string | Buffer | null): Buffer[] {
  if (value === null) return [int32(-1)];
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [int32(bytes.length), bytes];
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function isConnection(value: unknown): value is Connection {
  return (
    typeof value === 'object' &&
    value !== null &&
    'bind' in value &&
    'stream' in value &&
    value.stream instanceof Socket
  );
}
