/** The screen of a code system whose concepts are in tables: its hierarchy, a search, a concept, its uses, and its versions. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { App } from '../../console/src/app';
import { render } from './render';
import { ROOT, TerminologyServer } from './terminology-server';

const SCREEN = '/w/acme/console/r4/terminology/CodeSystem/v2';

let server: TerminologyServer;
beforeEach(() => {
  server = new TerminologyServer();
  sessionStorage.clear();
  localStorage.clear();
  globalThis.fetch = (input, init) => {
    const path = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === 'string' ? init.body : '';
    return Promise.resolve(server.answer(init?.method ?? 'GET', path, body));
  };
});

const button = (name: string | RegExp) => screen.findByRole('button', { name });
const press = async (name: string | RegExp): Promise<void> => void fireEvent.click(await button(name));
const link = (name: string) => screen.findByRole('link', { name });
const concept = (): HTMLElement => screen.getByRole('region', { name: /^Concept / });

it('opens a hierarchy level by level and page by page', async () => {
  render(<App />, SCREEN);
  await screen.findByText('64 concepts');
  await screen.findByText('63 below');
  expect(screen.queryByRole('link', { name: 'box' })).toBeNull();
  await press('Show what is below all');
  await press('Show what is below box');
  await link('box-49');
  expect(screen.queryByRole('link', { name: 'box-55' })).toBeNull();
  await press('More concepts');
  await link('box-55');
  // A leaf opens nothing.
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show what is below box-55' })).toBeNull());
  const crate = await link('crate');
  expect(within(crate.closest('li') ?? crate).getByText('inactive')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'More concepts' })).toBeNull();
});

it('shows a concept with all its parents and names, and goes on to one of them', async () => {
  render(<App />, `${SCREEN}?code=crate`);
  const german = await screen.findByRole('cell', { name: 'Lattenkiste' });
  expect(german.querySelector('span')?.lang).toBe('de');
  const parents = within(concept()).getAllByRole('link');
  expect(parents.map(({ textContent }) => textContent)).toEqual(['Box', 'Wooden']);
  await within(concept()).findByText('Nothing is below it.');
  fireEvent.click(within(concept()).getByRole('link', { name: 'Wooden' }));
  const heading = await screen.findByRole('heading', { name: 'Concept wood' });
  await waitFor(() => expect(document.activeElement).toBe(heading));
  const below = await within(concept()).findByRole('link', { name: 'chest' });
  expect(below.textContent).toBe('chest');
});

it('says what the server says of an unknown code', async () => {
  render(<App />, `${SCREEN}?code=nothing`);
  await screen.findByText('This code system has no such code.');
  await screen.findByText("There is no code 'nothing'");
});

it('finds words of another language, with the term and the way to the match', async () => {
  render(<App />, SCREEN);
  const field = await screen.findByRole('searchbox', { name: 'Find by words in any language, or by code' });
  fireEvent.change(field, { target: { value: 'kiste' } });
  await screen.findByText('2 matches');
  const hits = within(screen.getByRole('list', { name: 'Matches' }));
  const [, crate] = hits.getAllByRole('listitem');
  expect(crate?.textContent).toContain('crate Crate, large');
  expect(crate?.textContent).toContain('Lattenkiste de');
  await waitFor(() =>
    expect(crate?.textContent).toContain('Below: Everything › Box and below one more concept'),
  );
  fireEvent.change(field, { target: { value: 'nobody has this' } });
  await screen.findByText('No concept has these words.');
});

it('counts where a code is used when a person asks for it, of the types with records', async () => {
  render(<App />, `${SCREEN}?code=crate`);
  const below = await screen.findByRole('checkbox', { name: 'Also codes below it' });
  const counts = () => server.asked.filter((each) => each.startsWith('GET'));
  expect(counts()).toEqual([]);
  await press('Count');
  await screen.findByText('Found by one search. A record may be in several rows.');
  const value = encodeURIComponent('http://acme.example/catalogue|crate');
  expect(counts()).toEqual([
    `GET Observation?code=${value}&_summary=count`,
    `GET Observation?status=${value}&_summary=count`,
    `GET Observation?version=${value}&_summary=count`,
  ]);
  expect((await link('7')).getAttribute('href')).toBe(`${ROOT}/Observation?code=${value}`);
  await screen.findByText('The server refused one search: status is not searched by this code');
  expect(screen.queryByText(/no value/)).toBeNull();
  server.asked.length = 0;
  fireEvent.click(below);
  await press('Count');
  await waitFor(() => expect(counts()[0]).toBe(`GET Observation?code:below=${value}&_summary=count`));
});

it('compares a version with this one', async () => {
  render(<App />, SCREEN);
  await press('Compare');
  await screen.findByText('Changes from version 1 to this one');
  for (const name of ['Added (1)', 'Removed (1)', 'Changed (1)']) await screen.findByRole('radio', { name });
  await screen.findByRole('link', { name: 'chest' });
  fireEvent.click(screen.getByRole('radio', { name: 'Changed (1)' }));
  const [, row] = within(screen.getByRole('table', { name: 'Changed' })).getAllByRole('row');
  expect(row?.textContent).toBe('crateCrateCrate, largeinactive');
  fireEvent.click(screen.getByRole('radio', { name: 'Removed (1)' }));
  expect((await link('box-3')).getAttribute('href')).toBe(`${SCREEN.replace('v2', 'v1')}?code=box-3`);
});

it('says why the server does not list concepts', async () => {
  server.refusal = 'The value set takes too many concepts';
  render(<App />, SCREEN);
  await screen.findByText('The value set takes too many concepts');
  await press('Compare');
  await waitFor(() => expect(screen.getAllByText('The value set takes too many concepts')).toHaveLength(2));
});
