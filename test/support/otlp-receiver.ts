/** A collector that parses what it is sent by OTLP over HTTP, as protobuf (opentelemetry-proto, trace.proto). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { closedAtEnd } from './left-open';

/** The part of the protocol that Andiron uses. */
const PROTOCOL = `
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;
const Request = protobuf.parse(PROTOCOL).root.lookupType('ExportTraceServiceRequest');

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: number;
  readonly endTimeUnixNano: number;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code?: number };
}
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export const SERVER = 2;
export const CLIENT = 3;

export interface ReceivedSpan {
  readonly trace: string;
  readonly id: string;
  /** Empty: the first of its trace. */
  readonly parent: string;
  readonly name: string;
  readonly kind: number;
  readonly milliseconds: number;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
  readonly isFailed: boolean;
  readonly service: string | number | undefined;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was sent, to look for what must not be there. */
  bytes(): Buffer;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((sent) => {
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/x-protobuf') {
        response.writeHead(400).end();
        return;
      }
      bodies.push(body);
      spans.push(...toSpans(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    close: closedAtEnd(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}

function toSpans(body: Buffer): ReceivedSpan[] {
  const sent = Request.toObject(Request.decode(body), {
    longs: Number,
    bytes: String,
    arrays: true,
  }) as Sent;
  return sent.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        trace: toHex(span.traceId),
        id: toHex(span.spanId),
        parent: toHex(span.parentSpanId),
        name: span.name,
        kind: span.kind,
        milliseconds: (span.endTimeUnixNano - span.startTimeUnixNano) / 1e6,
        attributes: toRecord(span.attributes),
        isFailed: span.status?.code === 2,
        service: toRecord(resource.attributes)['service.name'],
      })),
    ),
  );
}

const toHex = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString('hex');

function toRecord(attributes: readonly Attribute[]): ReceivedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
