/** The search of the header: what it finds, by which requests, and how the keyboard uses it. */
import { createEvent, fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { App } from '../../console/src/app';
import { render } from './render';

interface Sent {
  readonly path: string;
  readonly query: string;
  readonly isAborted: () => boolean;
}

const sent: Sent[] = [];
/** Types that the person may not search. */
let refused: readonly string[] = [];
let isSignedIn = true;

const ANN = {
  resourceType: 'Patient',
  id: 'ann',
  name: [{ given: ['Ann'], family: 'Archer' }],
  birthDate: '1984-03-07',
};

/** The name, the birth date as people of this locale write it, and the id. */
const ANN_FOUND: unknown = expect.stringMatching(/^Ann Archer.*1984 · ann$/);

/** Answers each field of a document, as the server does. */
function answerTo(query: string): object {
  if (query.includes('resourceTypes'))
    return { data: { metadata: { resourceTypes: ['Observation', 'Patient', 'PlanDefinition'] } } };
  const fields = [...query.matchAll(/(f\d+): search\(type: (\w+), query: "([^"]*)"/g)];
  const errors: object[] = [];
  const data = fields.map(([, name, type = '', text = '']) => {
    if (refused.includes(type)) {
      errors.push({ message: 'not allowed', path: [name], extensions: { status: 403 } });
      return [name, null];
    }
    const isFound = type === 'Patient' && text.startsWith('name=an');
    return [name, { edges: isFound ? [{ node: { json: ANN } }] : [], pageInfo: { hasNextPage: false } }];
  });
  return { data: Object.fromEntries(data) as object, ...(errors.length > 0 ? { errors } : {}) };
}

const pathOf = (input: RequestInfo | URL): string => (input instanceof Request ? input.url : String(input));

beforeEach(() => {
  sent.length = 0;
  refused = [];
  isSignedIn = true;
  sessionStorage.clear();
  localStorage.clear();
  globalThis.fetch = (input, init) => {
    const path = pathOf(input);
    const body = typeof init?.body === 'string' ? init.body : '{}';
    const { query = '' } = JSON.parse(body) as { query?: string };
    sent.push({ path, query, isAborted: () => init?.signal?.aborted ?? false });
    if (!path.includes('graphql')) return Promise.resolve(Response.json({ tenants: [] }));
    if (!isSignedIn)
      return Promise.resolve(Response.json({ errors: [{ message: 'who?' }] }, { status: 401 }));
    return Promise.resolve(Response.json(answerTo(query)));
  };
});

const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Search' });
const options = (): readonly (string | null)[] =>
  screen.queryAllByRole('option').map(({ textContent }) => textContent);
const chosen = (): string | null | undefined =>
  screen.queryAllByRole('option').find((option) => option.getAttribute('aria-selected') === 'true')
    ?.textContent;

/** Opens the search by its keys, on any screen of the tenant. */
async function open(address = '/w/acme/console/r4/graphiql'): Promise<HTMLInputElement> {
  render(<App />, address);
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true });
  return field();
}

function type(input: HTMLElement, value: string): void {
  fireEvent.change(input, { target: { value } });
}

const searches = (): readonly Sent[] => sent.filter(({ query }) => query.includes('search('));

it('Ctrl-K finds a patient by name, and Enter opens the record', async () => {
  const input = await open();
  type(input, 'ann');
  await waitFor(() => expect(options()).toEqual([ANN_FOUND]));
  expect(input.getAttribute('aria-activedescendant')).toBe(screen.getByRole('option').id);
  fireEvent.keyDown(input, { key: 'Enter' });
  await screen.findByRole('link', { name: 'Resources', current: 'page' });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Search' })).toBeNull());
});

it('Enter while it is searching opens the only one that is found then', async () => {
  const input = await open();
  type(input, 'ann');
  fireEvent.keyDown(input, { key: 'Enter' });
  await screen.findByRole('link', { name: 'Resources', current: 'page' });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Search' })).toBeNull());
});

it('a pause of typing is one request, and what is typed meanwhile ends the one before', async () => {
  const input = await open();
  type(input, 'a');
  type(input, 'an');
  type(input, 'ann');
  await waitFor(() => expect(options()).toHaveLength(1));
  expect(searches().map(({ query }) => query.match(/query: "name=[^"]*"/)?.[0])).toEqual([
    'query: "name=ann"',
  ]);
  expect(searches()[0]?.query).toContain('query: "_id=ann"');
  expect(searches()[0]?.query).toContain('query: "identifier=ann"');
  globalThis.fetch = (input_, init) => {
    const signal = init?.signal;
    sent.push({ path: pathOf(input_), query: 'search( late', isAborted: () => signal?.aborted ?? false });
    return new Promise((_, fail) => signal?.addEventListener('abort', () => fail(new Error('aborted'))));
  };
  type(input, 'anna');
  await waitFor(() => expect(searches()).toHaveLength(2));
  type(input, 'annab');
  await waitFor(() => expect(searches()).toHaveLength(3));
  expect(searches().map(({ isAborted }) => isAborted())).toEqual([false, true, false]);
});

it('types that the person may not search are not offered, and hide nothing else', async () => {
  refused = ['PlanDefinition'];
  const input = await open();
  type(input, 'an');
  await waitFor(() => expect(options()).toContainEqual(ANN_FOUND));
  expect(options()).not.toContain('PlanDefinition');
  expect(searches()).toHaveLength(1);
  refused = ['Patient'];
  type(input, 'pa');
  await waitFor(() => expect(searches()).toHaveLength(2));
  await screen.findByText(/^(No|\d+) results?$/);
  expect(options().filter((text) => text === 'Patient')).toEqual([]);
});

it('without a sign-in it says so, and finds screens', async () => {
  isSignedIn = false;
  const input = await open();
  type(input, 'termin');
  await screen.findByText('Sign in to find patients and types.');
  expect(options()).toEqual(['Terminology']);
});

it('screens of the administration are offered to those who have it', async () => {
  const person = { name: 'Dora', tenant: 'acme', isAdministrator: true, isAuditor: false };
  const session = { id: 'x', accessToken: 'token', expires: Date.now() + 3_600_000, person };
  const key = 'andiron/session/acme/r4';
  sessionStorage.setItem(key, JSON.stringify(session));
  const input = await open();
  type(input, 'users');
  expect(options()).toEqual(['UsersAdministration']);
  fireEvent.keyDown(input, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('combobox', { name: 'Search' })).toBeNull());
});

it('screens of the administration are not offered to others', async () => {
  const person = { name: 'Ben', tenant: 'acme', isAdministrator: false, isAuditor: false };
  const session = { id: 'x', accessToken: 'token', expires: Date.now() + 3_600_000, person };
  sessionStorage.setItem('andiron/session/acme/r4', JSON.stringify(session));
  const input = await open();
  type(input, 'users');
  expect(options()).toEqual([]);
});

it('the arrows go around in what was found, and Escape gives the focus back', async () => {
  render(<App />, '/w/acme/console/r4/graphiql');
  const button = screen.getByRole('button', { name: 'Search' });
  button.focus();
  fireEvent.click(button);
  const input = await field();
  const all = options();
  expect(all[0]).toBe('Start');
  expect(chosen()).toBe('Start');
  fireEvent.keyDown(input, { key: 'ArrowUp' });
  expect(chosen()).toBe(all.at(-1));
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  fireEvent.keyDown(input, { key: 'ArrowDown' });
  expect(chosen()).toBe(all[1]);
  fireEvent.keyDown(input, { key: 'Enter', isComposing: true });
  expect(screen.getByRole('combobox', { name: 'Search' })).toBe(input);
  fireEvent.keyDown(input, { key: 'Escape' });
  await waitFor(() => expect(document.activeElement).toBe(button));
});

it('an address is opened as it is', async () => {
  const input = await open();
  type(input, 'http://andiron.example/w/acme/api/v1/fhir/r4/Patient/ann');
  expect(
    within(screen.getByRole('group', { name: 'Open this address' })).getAllByRole('option'),
  ).toHaveLength(1);
  type(input, 'Anders');
  expect(screen.queryByRole('group', { name: 'Open this address' })).toBeNull();
});

it('its keys belong to an editor while somebody writes there, and to a dialog that is open', () => {
  render(
    <>
      <App />
      <div className="cm-content" data-testid="editor" />
    </>,
    '/w/acme/console/r4/graphiql',
  );
  const isTaken = (element: Element): boolean => {
    const event = createEvent.keyDown(element, { key: 'k', ctrlKey: true });
    fireEvent(element, event);
    return event.defaultPrevented;
  };
  expect(isTaken(screen.getByTestId('editor'))).toBe(false);
  expect(isTaken(screen.getByRole('button', { name: 'Search' }))).toBe(true);
});

it('"obs" finds Observation first, and no screen in whose name it stands in the middle', async () => {
  const input = await open('/w/system/console/server');
  type(input, 'obs');
  await waitFor(() => expect(options()).toContain('Observation'));
  expect(options()[0]).toBe('Observation');
});
