/** Traces by OpenTelemetry, as a collector receives them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as api from '@opentelemetry/api';
import { pino } from 'pino';
import { Outbound } from '../../src/core/outbound/outbound';
import { startTracing } from '../../src/tracing';
import { eventually } from '../support/eventually';
import {
  CLIENT,
  SERVER,
  startOtlpReceiver,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../support/otlp-receiver';
import { PATIENCE_MS } from '../support/patience';
import { startProcess, type ServerProcess } from '../support/process';

const FHIR = '/w/system/api/v1/fhir/r4';
const SECRET = 'Qwertzuiop';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

let receiver: OtlpReceiver;
let server: ServerProcess;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  server = await startProcess({
    because: 'it exports traces',
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
  });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

/** Sends a request, and waits for the span of it and those below it. */
async function traced(
  trace: string,
  ...[method, address, body]: Parameters<ServerProcess['request']>
): Promise<{ readonly request: ReceivedSpan; readonly parts: readonly ReceivedSpan[] }> {
  const answer = await server.request(method, address, body, {
    'content-type': 'application/json',
    baggage: `patient=${SECRET}`,
    traceparent: `00-${trace}-${PARENT}-01`,
  });
  expect([answer.status < 300, answer.text.slice(0, answer.status < 300 ? 0 : 500)]).toEqual([true, '']);
  const find = (): ReceivedSpan | undefined =>
    receiver.spans.find((span) => span.trace === trace && span.kind === SERVER);
  await eventually(() => find() !== undefined, 10_000);
  const request = find();
  if (request === undefined) throw new Error('no span');
  return { request, parts: receiver.spans.filter((span) => span.trace === trace && span.id !== request.id) };
}

const logLine = (output: string): string | undefined =>
  output.split('\n').find((line) => line.includes(`"traceId":"${TRACE}"`));

it('a request continues the trace of its client, with its route, tenant and interaction', async () => {
  await server.request('PUT', `${FHIR}/Patient/traced`, {
    resourceType: 'Patient',
    id: 'traced',
    name: [{ family: SECRET }],
  });
  const { request } = await traced(TRACE, 'GET', `${FHIR}/Patient/traced`);
  expect(request).toMatchObject({
    parent: PARENT,
    name: 'GET /w/:tenant/api/v1/fhir/:release/:type/:id',
    service: 'andiron',
    isFailed: false,
  });
  expect(request.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'http.route': '/w/:tenant/api/v1/fhir/:release/:type/:id',
    'url.scheme': 'http',
    'andiron.tenant': 'system',
    'andiron.release': 'r4',
    'andiron.resource_type': 'Patient',
    'andiron.interaction': 'read',
  });
  await eventually(async () => logLine(await server.output()) !== undefined, 5_000);
  expect(logLine(await server.output())).toContain('"interaction":"read"');
});

it('a search has its statements as parts, by the names of their shapes', async () => {
  const { request, parts } = await traced(
    '1af7651916cd43dd8448eb211c80319c',
    'GET',
    `${FHIR}/Patient?family=${SECRET}&_include=*`,
  );
  const statements = parts.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.length).toBeGreaterThan(0);
  for (const { kind, name, attributes, parent, milliseconds } of statements) {
    expect(kind).toBe(CLIENT);
    expect(name).toMatch(/^(select|insert|update)( \w+)?$/);
    expect(attributes['andiron.statement']).toEqual(expect.any(String));
    expect([request.id, ...parts.map(({ id }) => id)]).toContain(parent);
    expect(milliseconds).toBeLessThanOrEqual(request.milliseconds + 1);
  }
});

it('a write waits for its statement, also when its body is long', async () => {
  const { parts } = await traced('2af7651916cd43dd8448eb211c80319c', 'PUT', `${FHIR}/Basic/long`, {
    resourceType: 'Basic',
    id: 'long',
    code: { text: SECRET.repeat(100_000) },
  });
  expect(parts.map(({ name }) => name)).toEqual(expect.arrayContaining(['write of a version']));
  expect(parts.some(({ name }) => name.endsWith('store_versions'))).toBe(true);
});

it('a GraphQL operation has its levels', async () => {
  const { request, parts } = await traced(
    '3af7651916cd43dd8448eb211c80319c',
    'POST',
    '/w/system/api/v1/graphql/r4',
    {
      query: `query Board { PatientList(family: "${SECRET}") { name { family } ObservationList(_reference: subject) { id } } }`,
    },
  );
  expect(request.attributes['andiron.tenant']).toBe('system');
  const operation = parts.find(({ name }) => name === 'query Board');
  expect(operation?.parent).toBe(request.id);
  const levels = parts.filter(({ name, parent }) => name.startsWith('level ') && parent === operation?.id);
  expect(levels.map(({ name }) => name).sort()).toEqual(['level 1', 'level 2']);
  const statements = parts.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.length).toBeGreaterThan(0);
});

it('Redis is a part, by the name of the command', async () => {
  const { parts } = await traced(
    '4af7651916cd43dd8448eb211c80319c',
    'GET',
    `${FHIR}/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender`,
  );
  expect(
    parts.filter(({ attributes }) => attributes['db.system.name'] === 'redis').map(({ name }) => name),
  ).toEqual(expect.arrayContaining(['redis get']));
});

it('a request of this server to another continues the trace', async () => {
  const headers: unknown[] = [];
  const keys = createServer((request, response) => {
    headers.push(request.headers['traceparent']);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
  const { port } = keys.address() as AddressInfo;
  const tracing = await startTracing(
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
    pino({ level: 'silent' }),
  );
  const trace = await api.trace.getTracer('test').startActiveSpan('delivery', async (span) => {
    await new Outbound(['127.0.0.1:*']).get({
      url: `http://127.0.0.1:${port}/keys`,
      accept: 'application/json',
      signal: AbortSignal.timeout(PATIENCE_MS),
      maxBytes: 1000,
    });
    span.end();
    return span.spanContext().traceId;
  });
  await tracing?.stop();
  // Nothing of it is left in the process.
  expect(api.propagation.fields()).toEqual([]);
  await new Promise((resolve) => keys.close(resolve));
  expect(headers).toEqual([expect.stringMatching(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))]);
});

it('a variable with a value that is not supported is named', async () => {
  const log = pino({ level: 'silent' });
  await expect(startTracing({ OTEL_TRACES_EXPORTER: 'zipkin' }, log)).rejects.toThrow('OTEL_TRACES_EXPORTER');
  await expect(
    startTracing({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, log),
  ).rejects.toThrow('OTEL_EXPORTER_OTLP_PROTOCOL');
  for (const off of [
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'true' },
  ])
    expect(await startTracing(off, log)).toBeUndefined();
});

it('no health check is traced, and nothing of a patient or an address is sent', async () => {
  await server.request('GET', '/health/ready');
  await server.request('GET', `${FHIR}/Patient/nobody-${SECRET}`);
  await eventually(
    () =>
      Promise.resolve(
        receiver.spans.some(({ attributes }) => attributes['http.response.status_code'] === 404),
      ),
    10_000,
  );
  expect(
    receiver.spans.filter(({ attributes }) => String(attributes['http.route']).startsWith('/health')),
  ).toEqual([]);
  expect(receiver.bytes().includes(SECRET)).toBe(false);
  expect(receiver.bytes().includes('traced')).toBe(false);
});
