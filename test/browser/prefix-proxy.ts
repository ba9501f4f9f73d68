/** A proxy on this machine that has a server below a path. */
import { createServer, request as send } from 'node:http';

export interface Prefix {
  /** The root of the server: `http://127.0.0.1:40123/prefix`. */
  readonly address: string;
  /** The server behind it, which starts when the address is known. */
  target: string;
  close(): Promise<void>;
}

/** Answers below `path`, which the server behind it does not see, and with 404 elsewhere. */
export async function openPrefix(path: string): Promise<Prefix> {
  const server = createServer((incoming, outgoing) => {
    const url = incoming.url ?? '';
    if (!url.startsWith(`${path}/`)) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const forwarded = send(prefix.target + url.slice(path.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const prefix: Prefix = {
    address: `http://127.0.0.1:${port}${path}`,
    target: '',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return prefix;
}
