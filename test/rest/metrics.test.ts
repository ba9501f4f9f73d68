import { createMetrics, listenForMetrics, type MetricsListener } from '../../src/rest/observation/metrics';
import { silentLog } from '../support/log';
import { createHttpClient } from '../support/http';

describe('metrics', () => {
  const metrics = createMetrics();
  let listener: MetricsListener | undefined;

  beforeAll(async () => {
    listener = await listenForMetrics(metrics.registry, { host: '127.0.0.1', port: 0 }, silentLog);
  });
  afterAll(() => listener?.close());

  it('count requests by interaction and class of status, the event loop, and requests in flight', async () => {
    metrics.requestStarted();
    metrics.requestStarted();
    metrics.requestFinished('read', 404, 0.003);
    const client = createHttpClient(`http://127.0.0.1:${listener?.port}`);
    const { status, text } = await client.request('GET', '/metrics');
    client.close();
    expect(status).toBe(200);
    expect(text).toContain(
      'andiron_request_duration_seconds_bucket{le="0.005",interaction="read",status="4xx"} 1',
    );
    expect(text).toContain('andiron_requests_in_flight 1');
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(text).not.toContain('tenant');
  });

  it('are served nowhere else than at /metrics', async () => {
    const client = createHttpClient(`http://127.0.0.1:${listener?.port}`);
    expect((await client.request('GET', '/')).status).toBe(404);
    expect((await client.request('POST', '/metrics')).status).toBe(404);
    client.close();
  });

  it('keep a connection open for longer than the interval of a collector', async () => {
    const client = createHttpClient(`http://127.0.0.1:${listener?.port}`);
    const { headers } = await client.request('GET', '/metrics');
    client.close();
    expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60);
  });

  it('on loopback are 421 under any other name, so that a page with a host name that points here reads nothing', async () => {
    const client = createHttpClient(`http://127.0.0.1:${listener?.port}`);
    const status = async (host: string) =>
      (await client.request('GET', '/metrics', undefined, { host })).status;
    expect([await status('evil.example'), await status('localhost')]).toEqual([421, 200]);
    client.close();
  });

  it('are left out with a warning when their port is in use', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_details: object, message: string) => warnings.push(message) };
    const second = await listenForMetrics(
      metrics.registry,
      { host: '127.0.0.1', port: listener?.port ?? 0 },
      log,
    );
    expect(second).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});
