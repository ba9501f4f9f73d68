/** The end of a stream of events whose next result cannot be made. */
import fastify from 'fastify';
import { GraphQLSchema, parse } from 'graphql';
import { type ErrorKey, fhirError } from '../../../src/core';
import { sendEvents } from '../../../src/gateway/event-stream';

/** The stream of a client that has the result of change 7, when that of change 9 fails with `error`. */
async function streamUntil(error: ErrorKey): Promise<string> {
  const results = [{ text: '{"data":{}}', sequence: 7 }];
  let resumeAfter = 5;
  const server = fastify();
  server.get('/', (request, reply) =>
    sendEvents(
      request,
      reply,
      {
        ...{ document: parse('subscription { change }'), schema: new GraphQLSchema({}) },
        operationName: undefined,
        get resumeAfter() {
          return resumeAfter;
        },
        next() {
          const result = results.shift();
          resumeAfter = result?.sequence ?? 9;
          return result === undefined ? Promise.reject(fhirError(error)) : Promise.resolve(result);
        },
        ...{ onEnd: () => undefined, close: () => undefined },
      },
      60_000,
    ),
  );
  const { payload } = await server.inject('/');
  await server.close();
  return payload;
}

it('has no complete where the client may subscribe again, and the number of the last change that was sent', async () => {
  const text = await streamUntil('storageUnavailable');
  expect(text).toMatch(/\nid: 7\nevent: next\ndata: [^\n]*"code":"transient"[^\n]*"after":7[^\n]*\n\n$/);
});

it('is complete where the same subscription would fail again', async () => {
  expect(await streamUntil('unknownTenant')).toMatch(/event: complete\ndata:\n\n$/);
});
