/**
 * The cases of json-patch-tests by PATCH. No resource can hold their documents, but a patch is validated as a whole:
 * it puts the document into the resource, executes the case, tests the result and removes it.
 */
import type { Release } from '../../src/core';
import { jsonPatchCases, moveDown } from '../support/json-patch-cases';
import { openSharedServer, type Answer, type HttpServer } from '../support/shared-server';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
  await server.createTenant('other');
});
afterAll(() => server.close());

const basic = { resourceType: 'Basic', id: 'patched', code: { text: 'x' } };
const bring = (value: unknown): string => JSON.stringify({ op: 'add', path: '/content', value });
const test = (value: unknown): string => JSON.stringify({ op: 'test', path: '/content', value });
const TAKE_AWAY = JSON.stringify({ op: 'remove', path: '/content' });
/** A value that no document of the cases has. */
const ANOTHER = { 'not in': 'any case' };

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('under %s of the tenant %s', (release, tenant) => {
  const place = (): string => `${server.path(tenant, release)}/Basic/patched`;
  /** Operations as texts, because one of them says a member twice. */
  const patch = (...operations: readonly string[]): Promise<Answer> =>
    server.request('PATCH', place(), `[${operations.filter((each) => each !== '').join(',')}]`, {
      'content-type': 'application/json-patch+json',
    });
  const version = async (): Promise<unknown> => (await server.request('GET', place())).headers.etag;

  beforeAll(async () => {
    expect((await server.request('PUT', place(), basic)).status).toBe(201);
  });

  it.each(jsonPatchCases)(
    'a JSON Patch has the result of json-patch-tests: %s',
    async (_title, document, operations, ...rest) => {
      const before = await version();
      const between = moveDown(operations).trim().slice(1, -1);
      if (rest.length === 0) {
        // The case itself is refused: without it the patch is valid.
        expect((await patch(bring(document), test(document), TAKE_AWAY)).status).toBe(200);
        const unchanged = await version();
        const refused = await patch(bring(document), between, TAKE_AWAY);
        expect([400, 422]).toContain(refused.status);
        expect(refused.json.resourceType).toBe('OperationOutcome');
        expect(await version()).toBe(unchanged);
      } else {
        const wrong = await patch(bring(document), between, test(ANOTHER), TAKE_AWAY);
        expect([wrong.status, await version()]).toEqual([422, before]);
        const { status, json } = await patch(bring(document), between, test(rest[0]), TAKE_AWAY);
        expect([status, json]).toEqual([200, { ...basic, meta: expect.anything() }]);
        expect(await version()).not.toBe(before);
      }
    },
  );
});
