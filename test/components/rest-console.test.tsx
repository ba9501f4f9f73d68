/** The REST console: what is sent where, what is kept for whom, and how a file is tried and sent. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { App } from '../../console/src/app';
import type { Person } from '../../console/src/api/session';
import { keepRequest } from '../../console/src/rest/history';
import { PartFailure, runBatch, type Planned, type Progress } from '../../console/src/rest/run-batch';
import { render } from './render';

const SPACE = { tenant: 'acme', release: 'r4' } as const;
const SCREEN = '/w/acme/console/r4/rest';
const ROOT = '/w/acme/api/v1/fhir/r4';
const STATEMENT = {
  resourceType: 'CapabilityStatement',
  rest: [{ resource: [{ type: 'Patient', searchParam: [{ name: 'name', type: 'string' }] }] }],
};

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
}

const sent: Sent[] = [];
let answer: (sent: Sent) => Response;

function signIn(name: string): void {
  const person: Person = { name, tenant: 'acme', isAdministrator: false, isAuditor: false };
  const session = { id: name, accessToken: 'token', expires: Date.now() + 3_600_000, person };
  sessionStorage.setItem('andiron/session/acme/r4', JSON.stringify(session));
}

const pathOf = (input: RequestInfo | URL): string => (input instanceof Request ? input.url : String(input));

beforeEach(() => {
  sent.length = 0;
  sessionStorage.clear();
  localStorage.clear();
  answer = () => Response.json({ resourceType: 'Patient', id: 'ann' }, { headers: { etag: 'W/"3"' } });
  globalThis.fetch = (input, init) => {
    const request: Sent = {
      path: pathOf(input),
      method: init?.method ?? 'GET',
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? init.body : '',
    };
    if (request.path.endsWith('/metadata')) return Promise.resolve(Response.json(STATEMENT));
    if (request.path.includes('SearchParameter'))
      return Promise.resolve(Response.json({ resourceType: 'Bundle' }));
    sent.push(request);
    return Promise.resolve(answer(request));
  };
  signIn('Dora Doe');
});

const path = () => screen.findByRole('combobox', { name: 'Path' });
const sendButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send' });

async function write(text: string): Promise<void> {
  fireEvent.change(await path(), { target: { value: text } });
}

it('sends a request with the rights of the person, and shows status, size and headers', async () => {
  render(<App />, `${SCREEN}?path=Patient%2Fann`);
  await path();
  fireEvent.click(sendButton());
  await screen.findByText('200 OK');
  expect(sent.map(({ path: to, method, headers }) => [to, method, headers.get('authorization')])).toEqual([
    [`${ROOT}/Patient/ann`, 'GET', 'Bearer token'],
  ]);
  fireEvent.click(screen.getByRole('button', { name: /^Headers of the answer/ }));
  await screen.findByRole('cell', { name: 'W/"3"' });
  expect(screen.getByRole('link', { name: 'Open on its screen' }).getAttribute('href')).toBe(
    `${ROOT}/Patient/ann`,
  );
});

it('leaves out a header that was added and not filled in', async () => {
  render(<App />, `${SCREEN}?path=Patient%2Fann`);
  await path();
  fireEvent.click(screen.getByRole('button', { name: 'Add a header' }));
  fireEvent.click(sendButton());
  await screen.findByText('200 OK');
  expect(sent).toHaveLength(1);
});

it('sends nothing to another place, and says why', async () => {
  render(<App />, SCREEN);
  for (const text of [
    'https://other.example/',
    '//other.example',
    '../r4b/Patient',
    '/w/beta/api/v1/fhir/r4/Patient',
  ]) {
    await write(text);
    fireEvent.submit(sendButton());
    if (text.startsWith('/w/')) continue;
    expect([text, sendButton().disabled]).toEqual([text, true]);
    await screen.findByText(/^Write a path of this tenant and release/);
  }
  // A path with slashes is one below the root of the tenant.
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent.map((each) => each.path)).toEqual([`${ROOT}/w/beta/api/v1/fhir/r4/Patient`]);
});

it('sends no header with a line break, and none that the console sets', async () => {
  render(<App />, SCREEN);
  await write('Patient');
  fireEvent.click(screen.getByRole('button', { name: 'Add a header' }));
  fireEvent.change(screen.getByRole('combobox', { name: 'Header 1' }), {
    target: { value: 'Authorization' },
  });
  await screen.findByText('The console or the browser sets this header.');
  expect(sendButton().disabled).toBe(true);
  fireEvent.change(screen.getByRole('combobox', { name: 'Header 1' }), { target: { value: 'Prefer' } });
  fireEvent.change(screen.getByRole('combobox', { name: 'Value of header 1' }), {
    target: { value: 'handling=strict' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Add a header' }));
  fireEvent.change(screen.getByRole('combobox', { name: 'Header 2' }), { target: { value: 'prefer' } });
  fireEvent.change(screen.getByRole('combobox', { name: 'Value of header 2' }), {
    target: { value: 'return=minimal' },
  });
  fireEvent.click(sendButton());
  await screen.findByText('200 OK');
  expect(sent[0]?.headers.get('prefer')).toBe('handling=strict, return=minimal');
});

it('keeps what was sent for the person alone, and forgets it with the sign-out', async () => {
  for (let count = 0; count < 60; count++)
    keepRequest(
      SPACE,
      {
        method: 'POST',
        path: `Patient?n=${count}`,
        headers: [],
        body: 'x'.repeat(count === 59 ? 30_000 : 10),
      },
      { status: 201, ms: 5 },
    );
  render(<App />, SCREEN);
  const table = await screen.findByRole('table', { name: 'Sent before' });
  expect(within(table).getAllByRole('row')).toHaveLength(51);
  within(table).getByText('Its body was too long to be kept.');
  fireEvent.click(within(table).getByRole('button', { name: 'Take POST Patient?n=30 again' }));
  expect((await path()).getAttribute('value')).toBe('Patient?n=30');
  fireEvent.click(screen.getByRole('button', { name: 'Dora Doe' }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }));
  expect(Object.keys(sessionStorage).filter((key) => key.includes('requests'))).toEqual([]);
});

it('shows nobody else what a person has sent', async () => {
  keepRequest(SPACE, { method: 'GET', path: 'Patient/ann', headers: [], body: '' }, { status: 200, ms: 5 });
  render(<App />, SCREEN);
  await screen.findByRole('button', { name: 'Take GET Patient/ann again' });
  signIn('Ben Bo');
  render(<App />, SCREEN);
  await screen.findByText('Nothing was sent yet.');
});

const plan = (line: number): Planned => ({
  ...{ line, method: 'PUT', url: `Patient/p${line}`, type: 'Patient', resource: `{"n":${line}.00}` },
  entry: `{"request":{"method":"PUT","url":"Patient/p${line}"},"resource":{"n":${line}.00}}`,
});
const entriesIn = ({
  body,
}: Sent): readonly { readonly request: { readonly method: string; readonly url: string } }[] =>
  (JSON.parse(body) as { entry: { request: { method: string; url: string } }[] }).entry;

async function run(purpose: 'try' | 'send', count: number, whole?: string): Promise<Progress | undefined> {
  let last: Progress | undefined;
  await runBatch(
    SPACE,
    { purpose, planned: Array.from({ length: count }, (_, index) => plan(index + 1)), whole },
    { signal: new AbortController().signal, onProgress: (progress) => (last = progress) },
  );
  return last;
}

it('a dry run validates each resource and stores nothing', async () => {
  answer = (request) =>
    Response.json({
      entry: entriesIn(request).map((_, index) => ({
        response: { status: '200' },
        resource: {
          resourceType: 'OperationOutcome',
          issue: [
            {
              severity: index === 1 ? 'error' : 'information',
              diagnostics: 'no gender',
              expression: ['Patient.gender'],
            },
            ...(index === 0 ? [{ severity: 'warning', diagnostics: 'no text' }] : []),
          ],
        },
      })),
    });
  const progress = await run('try', 3, 'a transaction');
  expect(entriesIn(sent[0] ?? never()).map(({ request }) => `${request.method} ${request.url}`)).toEqual(
    Array<string>(3).fill('POST Patient/$validate'),
  );
  expect(sent[0]?.body).toContain('{"n":1.00}');
  expect(progress).toMatchObject({
    done: 3,
    faults: [{ line: 2, text: 'Patient.gender: no gender' }],
    warnings: [{ line: 1, text: 'no text' }],
  });
});

it('many lines are sent in bounded parts, and each refusal names its line', async () => {
  answer = (request) =>
    Response.json({
      entry: entriesIn(request).map(({ request: { url } }) => ({
        response: url.endsWith('7')
          ? {
              status: '422 Unprocessable',
              outcome: {
                resourceType: 'OperationOutcome',
                issue: [{ severity: 'error', diagnostics: 'wrong' }],
              },
            }
          : { status: '201' },
      })),
    });
  const progress = await run('send', 250);
  expect(sent.map((each) => [each.path, entriesIn(each).length])).toEqual([
    [ROOT, 100],
    [ROOT, 100],
    [ROOT, 50],
  ]);
  expect([progress?.done, progress?.failed.size]).toEqual([250, 25]);
  expect(progress?.faults[0]).toEqual({ line: 7, text: 'wrong' });
});

it('waits where the server has had too many requests, and loses nothing', async () => {
  let refusals = 2;
  answer = (request) =>
    refusals-- > 0
      ? new Response('', { status: 429, headers: { 'retry-after': '0' } })
      : Response.json({ entry: entriesIn(request).map(() => ({ response: { status: '201' } })) });
  expect(await run('send', 3)).toMatchObject({ done: 3, faults: [] });
  expect(sent).toHaveLength(3);
});

it('a part whose answer is lost ends the run, and says that it may have been stored', async () => {
  let parts = 0;
  answer = (request) => {
    if (++parts === 2) return new Response('', { status: 503 });
    return Response.json({ entry: entriesIn(request).map(() => ({ response: { status: '201' } })) });
  };
  const failure: unknown = await run('send', 250).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(PartFailure);
  expect(failure).toMatchObject({ from: 101, to: 200, isUnknown: true });
  expect(parts).toBe(2);
});

it('a file is shown before anything is sent, and sent after a dry run', async () => {
  answer = (request) =>
    Response.json({ entry: entriesIn(request).map(() => ({ response: { status: '201' } })) });
  render(<App />, SCREEN);
  await path();
  const file = new File(
    ['{"resourceType":"Patient","id":"ann"}\n{"resourceType":"Patient"}\nx\n'],
    'x.ndjson',
  );
  // jsdom has no content of files, and Node.js has.
  Object.assign(file, {
    arrayBuffer: () =>
      new Blob(['{"resourceType":"Patient","id":"ann"}\n{"resourceType":"Patient"}\nx\n']).arrayBuffer(),
  });
  fireEvent.drop(screen.getByRole('heading', { level: 1, name: 'REST console' }), {
    dataTransfer: { files: [file] },
  });
  const table = await screen.findByRole('table', { name: 'What would be sent' });
  expect(
    within(table)
      .getAllByRole('row')
      .map(({ textContent }) => textContent),
  ).toEqual(['Method and typeRequests', 'PUT Patient1', 'POST Patient1']);
  await screen.findByText('1 line is not sent:');
  expect(sent).toEqual([]);
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send 2 requests' });
  expect(send.disabled).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Dry run' }));
  await screen.findByText('Dry run: no errors. Resources: 2.');
  await waitFor(() => expect(send.disabled).toBe(false));
  fireEvent.click(send);
  await screen.findByText('Done: 2 of 2 requests.');
  expect(
    sent.map((each) => entriesIn(each).map(({ request: { method, url } }) => `${method} ${url}`)),
  ).toEqual([
    ['POST Patient/$validate', 'POST Patient/$validate'],
    ['PUT Patient/ann', 'POST Patient'],
  ]);
});

function never(): never {
  throw new Error('nothing was sent');
}
