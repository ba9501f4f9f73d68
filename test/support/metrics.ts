import { findFreePort } from '../../src/embedded/free-port';
import { createHttpClient } from './http';
import { closedAtEnd } from './left-open';
import { startServer, type TestServer, type TestServerOptions } from './server';

export interface MeasuredServer extends TestServer {
  /** The text of /metrics. */
  metrics(): Promise<string>;
  /** The value of one series, written as in PromQL. Throws where there is no such series. */
  metric(series: string): Promise<number>;
  /** Returns the growth of `andiron_errors_total` meanwhile, by code; codes without errors are left out. */
  errorsDuring(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>>;
}

/** The errors since the start, as `code status`. */
function errorsOf(text: string): ReadonlyMap<string, number> {
  const series = text.matchAll(/^andiron_errors_total\{code="(\w+)",status="(\d+)"\} (\d+)$/gm);
  return new Map(Array.from(series, ([, code, status, count]) => [`${code} ${status}`, Number(count)]));
}

/** A server inside the test's process, with metrics. */
export async function startMeasuredServer(options: TestServerOptions = {}): Promise<MeasuredServer> {
  const METRICS_ADDRESS = `127.0.0.1:${await findFreePort()}`;
  const server = await startServer({
    ...options,
    environment: { ...options.environment, METRICS_ADDRESS },
  });
  const client = createHttpClient(`http://${METRICS_ADDRESS}`);
  const metrics = async (): Promise<string> => {
    const { status, text } = await client.request('GET', '/metrics');
    if (status !== 200) throw new Error(`/metrics answered ${status}`);
    return text;
  };
  return {
    ...server,
    metrics,
    async metric(series) {
      const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `));
      if (line === undefined) throw new Error(`there is no series ${series}`);
      return Number(line.slice(series.length + 1));
    },
    async errorsDuring(work) {
      const before = errorsOf(await metrics());
      await work();
      const after = errorsOf(await metrics());
      const grown = [...after].map(([code, count]) => [code, count - (before.get(code) ?? 0)] as const);
      return Object.fromEntries(grown.filter(([, count]) => count > 0));
    },
    close: closedAtEnd(async () => {
      client.close();
      await server.close();
    }),
  };
}
