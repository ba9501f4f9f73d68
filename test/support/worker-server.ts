/** The worker processes of a server, as its log shows them. */
import { Agent, request } from 'node:http';
import { eventually } from './eventually';
import type { Answer } from './http';
import type { ServerProcess } from './process';

/** Each request has a connection of its own: connections go to the workers in turn. */
export const ALONE = { connection: 'close' };

interface SlowAnswer {
  readonly status: number | undefined;
  readonly connection: string | undefined;
}

export interface WorkerServer {
  ask(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** The numbers of the processes that have logged such a line, each as often as it has. */
  loggedBy(message: string, since?: number, words?: string): Promise<readonly number[]>;
  outputLength(): Promise<number>;
  /** The workers that answer requests now, with how many of `requests` each has answered. */
  answering(requests?: number): Promise<ReadonlyMap<number, number>>;
  /** Sends eight creates, some to each worker, whose bodies end when `finish` is called. It gives the answers, without those that were lost. */
  sendSlowly(): Promise<{ finish(): Promise<readonly SlowAnswer[]> }>;
}

const SLOW_REQUESTS = 8;

/** Sends a Basic whose end waits for `end`, on a connection that the client would keep. */
function postSlowly(
  address: string,
  end: Promise<unknown>,
): { readonly taken: Promise<void>; readonly answer: Promise<SlowAnswer> } {
  const body = JSON.stringify({ resourceType: 'Basic', code: { text: 'slow' } });
  const agent = new Agent({ keepAlive: true });
  const sent = request(address, {
    ...{ method: 'POST', agent },
    headers: {
      'content-type': 'application/fhir+json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  const taken = new Promise<void>((resolve) => sent.once('continue', () => resolve()));
  void taken.then(async () => {
    sent.write(body.slice(0, 5));
    await end;
    sent.end(body.slice(5));
  });
  const answer = new Promise<SlowAnswer>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) =>
      response.resume().once('end', () => {
        agent.destroy();
        resolve({ status: response.statusCode, connection: response.headers.connection });
      }),
    );
  });
  sent.flushHeaders();
  return { taken, answer };
}

export function workersOf(server: ServerProcess): WorkerServer {
  const ask: WorkerServer['ask'] = (method, path, body, headers = {}) =>
    server.request(method, path, body, { ...ALONE, ...headers });
  const loggedBy: WorkerServer['loggedBy'] = async (message, since = 0, words = '') => {
    const lines = (await server.output()).slice(since).split('\n');
    return lines
      .filter((line) => line.includes(`"msg":"${message}"`) && line.includes(words))
      .map((line) => (JSON.parse(line) as { readonly pid: number }).pid);
  };
  const outputLength = async (): Promise<number> => (await server.output()).length;
  return {
    ask,
    loggedBy,
    outputLength,
    async answering(requests = 20) {
      const since = await outputLength();
      const path = `${server.path('system', 'r4')}/Patient?_count=0`;
      for (let sent = 0; sent < requests; sent++) expect((await ask('GET', path)).status).toBe(200);
      const answered = (): Promise<readonly number[]> => loggedBy('request', since, '"search-type"');
      await eventually(async () => (await answered()).length >= requests);
      const counts = new Map<number, number>();
      for (const pid of await answered()) counts.set(pid, (counts.get(pid) ?? 0) + 1);
      return counts;
    },
    async sendSlowly() {
      let end = (): void => undefined;
      const isOver = new Promise<void>((resolve) => (end = resolve));
      const sent = Array.from({ length: SLOW_REQUESTS }, () =>
        postSlowly(`${server.root('system', 'r4')}/Basic`, isOver),
      );
      const settled = Promise.allSettled(sent.map(({ answer }) => answer));
      await Promise.all(sent.map(({ taken }) => taken));
      return {
        async finish() {
          end();
          return (await settled).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
        },
      };
    },
  };
}
