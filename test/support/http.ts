/** An HTTP client that can send whatever a client may send: a body with a GET, a path that no URL class would keep. */
import { Agent, request as sendRequest, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The bytes as sent, compressed where `content-encoding` says so. */
  readonly bytes: Buffer;
  /** The body parsed; throws when it is not JSON. */
  readonly json: ReturnType<typeof JSON.parse>;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

export interface HttpClient {
  /** `body`: text and bytes are sent as they are, anything else as JSON. The default type is application/fhir+json. */
  request(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  close(): void;
}

function toBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** @param base such as http://127.0.0.1:3000 */
export function createHttpClient(base: string): HttpClient {
  const { hostname, port } = new URL(base);
  const agent = new Agent({ keepAlive: true });
  return {
    request(method, path, body, headers = {}) {
      const bytes = toBytes(body);
      const sent: Record<string, string | string[] | number> =
        bytes === undefined ? {} : { 'content-type': 'application/fhir+json' };
      for (const [name, value] of Object.entries(headers))
        sent[name.toLowerCase()] = typeof value === 'string' ? value : [...value];
      if (bytes !== undefined && sent['transfer-encoding'] === undefined)
        sent['content-length'] ??= bytes.length;
      return new Promise<Answer>((resolve, reject) => {
        const request = sendRequest({ agent, hostname, port, method, path, headers: sent }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.once('error', reject);
          response.once('end', () => {
            const received = Buffer.concat(parts);
            const text = received.toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              bytes: received,
              get json() {
                return JSON.parse(text);
              },
            });
          });
        });
        request.once('error', reject);
        request.end(bytes);
      });
    },
    close: () => agent.destroy(),
  };
}
