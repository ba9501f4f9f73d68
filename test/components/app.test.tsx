/** The table of screens, as the router, the navigation and the header use it. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { App } from '../../console/src/app';
import { ErrorBoundary } from '../../console/src/layout/error-boundary';
import { render } from './render';

const current = (): readonly (string | null)[] =>
  within(screen.getByRole('navigation', { name: 'Main' }))
    .getAllByRole('link')
    .filter((link) => link.getAttribute('aria-current') === 'page')
    .map(({ textContent }) => textContent);

it('shows the screen of an address, and names it in the tab and in the navigation', async () => {
  render(<App />, '/w/acme/console/r4/graphiql');
  await screen.findByRole('heading', { level: 1, name: 'GraphiQL' });
  await waitFor(() => expect(document.title).toBe('GraphiQL · Andiron'));
  expect(current()).toEqual(['GraphiQL']);
  expect(screen.getByText('acme')).toBeTruthy();
});

it('leads from each screen to the same one of the other release', async () => {
  render(<App />, '/w/acme/console/r4/graphiql');
  const frame = await screen.findByTitle<HTMLIFrameElement>('GraphiQL');
  expect(frame.getAttribute('src')).toBe('/w/acme/api/v1/graphql/r4');
  fireEvent.click(screen.getByRole('radio', { name: 'R4B' }));
  expect(screen.getByTitle('GraphiQL').getAttribute('src')).toBe('/w/acme/api/v1/graphql/r4b');
});

it('says where there is no screen, and keeps the tenant of the address', async () => {
  render(<App />, '/w/acme/nothing');
  await screen.findByRole('heading', { level: 1, name: 'This did not work' });
  expect(current()).toEqual([]);
  expect(screen.getByRole('link', { name: 'Resources' }).getAttribute('href')).toMatch(
    /^\/w\/acme\/api\/v1\/fhir\//,
  );
});

it.each([
  ['is away', () => Promise.reject(new TypeError('Failed to fetch')), /^The server cannot be reached/],
  ['answers', () => Promise.resolve(new Response()), /^The server may have been upgraded/],
])('says of a screen that fails while the server %s what the reason is', async (how, answer, words) => {
  globalThis.fetch = answer;
  const Failing = (): never => {
    throw new Error('its program could not be loaded');
  };
  render(
    <ErrorBoundary place="/">
      <Failing />
    </ErrorBoundary>,
    '/w/acme/console/r4/graphiql',
  );
  const alert = await screen.findByRole('alert');
  await within(alert).findByText(words);
  // Where the server answers, the page is loaded again, which jsdom cannot.
  if (how === 'answers') return;
  fireEvent.click(within(alert).getByRole('button'));
  await within(alert).findByText(words);
});
