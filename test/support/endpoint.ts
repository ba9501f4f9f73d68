/** An endpoint of Subscriptions: a server that keeps what it is sent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closedAtEnd } from './left-open';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Answers a request itself; without one, the answer is 200. */
export type Behaviour = (received: Received, response: ServerResponse) => void;

export interface TestEndpoint {
  /** Such as http://127.0.0.1:40123 */
  readonly base: string;
  readonly received: readonly Received[];
  /** From now on. */
  behave(behaviour: Behaviour | undefined): void;
  close(): Promise<void>;
}

export async function startEndpoint(behaviour?: Behaviour): Promise<TestEndpoint> {
  const received: Received[] = [];
  let current = behaviour;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => response.destroy());
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(parts).toString('utf8'), at: Date.now() };
      received.push(one);
      if (current === undefined) response.end();
      else current(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    received,
    behave(next) {
      current = next;
    },
    close: closedAtEnd(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
