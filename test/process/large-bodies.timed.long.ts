/** However large a body is, within the limits, the server's own thread is free for others within a tenth of a second. */
import { heldFor, PROBED } from '../support/loop-hold';
import { slowness } from '../support/machine-speed';
import { startProcess, type ServerProcess } from '../support/process';

const MOST_MS = 100;
/** Other work of the machine only adds time, so that the shortest of these rounds counts. */
const ROUNDS = 4;
const MEGABYTE = 1024 * 1024;

const FHIR = '/w/system/api/v1/fhir/r4';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: ServerProcess;
beforeAll(async () => {
  server = await startProcess({ environment: PROBED });
  await server.request(
    'POST',
    '/w/system/api/v1/graphql/r4',
    '{"query":"{ PatientList(_count: 1) { id } }"}',
    JSON_TYPE,
  );
  await server.request(
    'PUT',
    `${FHIR}/Basic/small`,
    '{"resourceType":"Basic","id":"small","code":{"text":"a"}}',
    JSON_TYPE,
  );
});
afterAll(() => server.close());

type Sent = readonly [
  method: string,
  address: string,
  body: string,
  headers?: Readonly<Record<string, string>>,
];

/** Many short elements, of so many megabytes. */
function elements(megabytes: number): object[] {
  const element = { url: 'http://example.org/short', valueString: 'a value of some length' };
  const count = Math.floor((megabytes * MEGABYTE) / (JSON.stringify(element).length + 1));
  return Array.from({ length: count }, () => element);
}
const basic = (megabytes: number, others: object = {}): string =>
  JSON.stringify({
    resourceType: 'Basic',
    ...others,
    code: { text: 'large' },
    extension: elements(megabytes),
  });
/** A Basic whose narrative is one text, of so many megabytes. */
function narrated(megabytes: number, text = 'a'): string {
  const div = `<div xmlns="http://www.w3.org/1999/xhtml">${text.repeat((megabytes * MEGABYTE) / Buffer.byteLength(text))}</div>`;
  return JSON.stringify({
    resourceType: 'Basic',
    text: { status: 'generated', div },
    code: { text: 'a' },
  });
}
const NOT_ASCII = 'aaaaaaaaé';
const parameters = (resource: string): string =>
  `{"resourceType":"Parameters","parameter":[{"name":"resource","resource":${resource}}]}`;
const bundle = (type: string, count: number, entry: string): string =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${Array.from({ length: count }, () => entry).join(',')}]}`;
const created = (resource: string): string =>
  `{"request":{"method":"POST","url":"Basic"},"resource":${resource}}`;

const LARGE: Readonly<Record<string, () => Sent>> = {
  'a resource of 15 MB': () => ['POST', `${FHIR}/Basic`, basic(15), JSON_TYPE],
  'a resource of 15 MB with one long text': () => ['POST', `${FHIR}/Basic`, narrated(15), JSON_TYPE],
  'a resource of 15 MB that is not all ASCII': () => [
    'POST',
    `${FHIR}/Basic`,
    narrated(15, NOT_ASCII),
    JSON_TYPE,
  ],
  'an update of 15 MB': () => ['PUT', `${FHIR}/Basic/large`, basic(15, { id: 'large' }), JSON_TYPE],
  'a conditional update of 15 MB': () => [
    'PUT',
    `${FHIR}/Basic?identifier=http://example.org|large`,
    basic(15, { identifier: [{ system: 'http://example.org', value: 'large' }] }),
    JSON_TYPE,
  ],
  'a conditional create of 15 MB': () => [
    'POST',
    `${FHIR}/Basic`,
    basic(15, { identifier: [{ system: 'http://example.org', value: 'new' }] }),
    { ...JSON_TYPE, 'if-none-exist': 'identifier=http://example.org|new' },
  ],
  'a JSON Patch of 15 MB': () => [
    'PATCH',
    `${FHIR}/Basic/small`,
    `[{"op":"add","path":"/extension","value":${JSON.stringify(elements(15))}}]`,
    { 'content-type': 'application/json-patch+json' },
  ],
  'a Binary of 15 MB as it is': () => [
    'POST',
    `${FHIR}/Binary`,
    'a'.repeat(11 * MEGABYTE),
    { 'content-type': 'text/plain' },
  ],
  'a Binary of 15 MB as JSON': () => [
    'POST',
    `${FHIR}/Binary`,
    JSON.stringify({
      resourceType: 'Binary',
      contentType: 'text/plain',
      data: 'YWFh'.repeat(15 * 256 * 1024),
    }),
    JSON_TYPE,
  ],
  '$validate of 15 MB': () => ['POST', `${FHIR}/Basic/$validate`, parameters(basic(15)), JSON_TYPE],
  'a batch of 60 MB': () => ['POST', FHIR, bundle('batch', 60, created(basic(1))), JSON_TYPE],
  'a batch of 60 MB that is not all ASCII': () => [
    'POST',
    FHIR,
    bundle('batch', 600, created(narrated(0.1, NOT_ASCII))),
    JSON_TYPE,
  ],
  'a transaction of 30 MB with long texts': () => [
    'POST',
    FHIR,
    bundle('transaction', 300, created(narrated(0.1))),
    JSON_TYPE,
  ],
  'a transaction of 30 MB': () => ['POST', FHIR, bundle('transaction', 30, created(basic(1))), JSON_TYPE],
  'an asynchronous batch of 30 MB': () => [
    'POST',
    FHIR,
    bundle('batch', 30, created(basic(1))),
    { ...JSON_TYPE, prefer: 'respond-async' },
  ],
  'an asynchronous transaction of 30 MB that is not all ASCII': () => [
    'POST',
    FHIR,
    bundle('transaction', 300, created(narrated(0.1, NOT_ASCII))),
    { ...JSON_TYPE, prefer: 'respond-async' },
  ],
  'an asynchronous transaction of 10 MB with its answer': () => [
    'POST',
    FHIR,
    bundle('transaction', 100, created(narrated(0.1, NOT_ASCII))),
    { ...JSON_TYPE, prefer: 'respond-async, return=representation' },
  ],
  'a GraphQL request of 15 MB': () => [
    'POST',
    '/w/system/api/v1/graphql/r4',
    JSON.stringify({
      query: 'mutation($r: ResourceInput!) { create(resource: $r) { location } }',
      variables: { r: JSON.parse(basic(15)) as unknown },
    }),
    JSON_TYPE,
  ],
};

/** Waits for the answer of an asynchronous request. */
async function untilDone(address: string): Promise<void> {
  let answered;
  do answered = await server.request('GET', address, '');
  while (answered.status === 202);
  expect(answered.status).toBe(200);
}

it.each(Object.entries(LARGE))('%s holds it for less than a tenth of a second', async (title, make) => {
  const sent = make();
  const most = MOST_MS * slowness();
  const times: number[] = [];
  while (times.length < ROUNDS && !times.some((held) => held < most)) {
    await heldFor(server);
    const { status, headers, text } = await server.request(...sent);
    if (status >= 300) throw new Error(`${status}: ${text.slice(0, 500)}`);
    if (status === 202) await untilDone(new URL(headers['content-location'] as string).pathname);
    times.push(await heldFor(server));
  }
  process.stdout.write(`${title}: ${times.join(' ')} ms, of ${most} ms\n`);
  expect(Math.min(...times)).toBeLessThan(most);
});
