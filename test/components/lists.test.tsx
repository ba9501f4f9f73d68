/** Lists: what a person does with selected records, and the searches that are saved. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { App } from '../../console/src/app';
import type { Person } from '../../console/src/api/session';
import { fromBasic, toBasic } from '../../console/src/screens/resources/saved/shared-searches';
import { toChange } from '../../console/src/screens/resources/selection/tag-records';
import { render } from './render';

const ROOT = '/w/acme/api/v1/fhir/r4';
const STATEMENT = {
  resourceType: 'CapabilityStatement',
  rest: [
    {
      resource: [
        { type: 'Patient', searchRevInclude: ['Observation:subject', 'Condition:subject', 'Patient:link'] },
        { type: 'Observation' },
      ],
    },
  ],
};
const PATIENTS = ['ann', 'ben', 'cem'].map((id) => ({
  ...{ resourceType: 'Patient', id, name: [{ text: `Name of ${id}` }], birthDate: '2000-01-01' },
  meta: { versionId: '4', ...(id === 'ann' ? { tag: [{ system: 's', code: 'x' }] } : {}) },
}));

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly body: string;
}

const sent: Sent[] = [];
let shared: readonly object[] = [];
let isRefused = false;

function signIn(name: string): void {
  const person: Person = {
    id: `account of ${name}`,
    name,
    tenant: 'acme',
    isAdministrator: false,
    isAuditor: false,
    record: 'Practitioner/doc',
  };
  const session = { id: name, accessToken: 'token', expires: Date.now() + 3_600_000, person };
  sessionStorage.setItem('andiron/session/acme/r4', JSON.stringify(session));
}

/** Answers documents: the patients, the counts of what refers to them, and shared searches. */
function answerTo({
  query,
  variables,
}: {
  query: string;
  variables: { query?: string; type?: string; first?: number };
}): object {
  const edges = (records: readonly object[]) => records.map((json) => ({ mode: 'MATCH', node: { json } }));
  if (query.startsWith('{')) {
    const fields = [...query.matchAll(/(f\d+): search\(type: (\w+), query: "([^"]*)"/g)];
    return {
      data: Object.fromEntries(
        fields.map(([, name, type = '', text = '']) => [
          name,
          { total: type === 'Observation' && text.includes('Patient/ann') ? 7 : 0 },
        ]),
      ) as object,
    };
  }
  if (query.includes('query Count')) return { data: { search: { total: 3 } } };
  if (query.includes('query Search'))
    return {
      data: {
        search: {
          edges: edges(variables.type === 'Basic' ? shared : PATIENTS),
          pageInfo: { hasNextPage: false, endCursor: null },
          issues: [],
        },
      },
    };
  return { data: {} };
}

const pathOf = (input: RequestInfo | URL): string => (input instanceof Request ? input.url : String(input));

beforeEach(() => {
  sent.length = 0;
  shared = [];
  isRefused = false;
  sessionStorage.clear();
  localStorage.clear();
  signIn('Dora Doe');
  globalThis.fetch = (input, init) => {
    const path = pathOf(input);
    const body = typeof init?.body === 'string' ? init.body : '';
    if (path.includes('/graphql/'))
      return Promise.resolve(Response.json(answerTo(JSON.parse(body) as Parameters<typeof answerTo>[0])));
    if (path.endsWith('/metadata')) return Promise.resolve(Response.json(STATEMENT));
    if (path.includes('StructureDefinition')) return Promise.resolve(new Response('', { status: 404 }));
    if (path.includes('SearchParameter')) return Promise.resolve(Response.json({ resourceType: 'Bundle' }));
    sent.push({ path, method: init?.method ?? 'GET', body });
    if (isRefused) return Promise.resolve(new Response('', { status: 403 }));
    if (path === ROOT) {
      const { entry } = JSON.parse(body) as { entry: readonly object[] };
      const status = (index: number): string => (index === 1 ? '412' : '204');
      return Promise.resolve(
        Response.json({ entry: entry.map((_, index) => ({ response: { status: status(index) } })) }),
      );
    }
    return Promise.resolve(Response.json({ resourceType: 'Basic', id: 'new' }, { status: 201 }));
  };
});

async function openList(query = ''): Promise<HTMLElement> {
  render(<App />, `${ROOT}/Patient${query}`);
  return screen.findByRole('table', { name: 'Records of the type Patient' });
}

const bar = () => screen.getByRole('group', { name: 'Selection' });

it('selected records are deleted in the version that was seen, after a dry run says what refers to them', async () => {
  const table = await openList();
  fireEvent.click(within(table).getByRole('checkbox', { name: 'Select ann' }));
  fireEvent.click(within(table).getByRole('checkbox', { name: 'Select ben' }));
  within(bar()).getByText('2 selected');
  fireEvent.click(within(bar()).getByRole('button', { name: 'Delete …' }));
  const dialog = await screen.findByRole('dialog', { name: 'Delete 2 records of the type Patient' });
  within(dialog).getByText('Name of ann');
  await within(dialog).findByRole('group', {
    name: 'These still refer to them, and would refer to nothing:',
  });
  expect(
    within(dialog)
      .getAllByRole('row')
      .map(({ textContent }) => textContent),
  ).toContain('Observationsubject7');
  expect(sent).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Delete 2 records' }));
  await within(dialog).findByText('Done: 1 of 2 requests. Refused: 1.');
  within(dialog).getByRole('cell', { name: 'Patient/ben' });
  const { entry } = JSON.parse(sent[0]?.body ?? '{}') as { entry: readonly object[] };
  expect(entry).toEqual(
    ['ann', 'ben'].map((id) => ({ request: { method: 'DELETE', url: `Patient/${id}`, ifMatch: 'W/"4"' } })),
  );
});

it('a page is selected at once, and a click on a box opens no record', async () => {
  const table = await openList();
  fireEvent.click(within(table).getByRole('checkbox', { name: 'Select all on this page' }));
  within(bar()).getByText('3 selected');
  expect(screen.getByRole('table', { name: 'Records of the type Patient' })).toBe(table);
  fireEvent.click(within(bar()).getByRole('button', { name: 'Select none' }));
  expect(screen.queryByRole('group', { name: 'Selection' })).toBeNull();
});

it('a tag is added to those that do not have it, and nothing else of them is sent', async () => {
  const table = await openList();
  fireEvent.click(within(table).getByRole('checkbox', { name: 'Select all on this page' }));
  fireEvent.click(within(bar()).getByRole('button', { name: 'Tag …' }));
  const dialog = await screen.findByRole('dialog', { name: 'Tag 3 records' });
  fireEvent.change(within(dialog).getByRole('textbox', { name: 'System' }), { target: { value: 's' } });
  fireEvent.change(within(dialog).getByRole('textbox', { name: /^Code/ }), { target: { value: 'x' } });
  within(dialog).getByText('2 of 3 would change; each gets a new version.');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Change 2 records' }));
  await within(dialog).findByText('Done: 1 of 2 requests. Refused: 1.');
  const { entry } = JSON.parse(sent[0]?.body ?? '{}') as { entry: readonly object[] };
  expect(entry[0]).toEqual({
    request: { method: 'POST', url: 'Patient/ben/$meta-add' },
    resource: {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 's', code: 'x' }] } }],
    },
  });
  expect(toChange(PATIENTS, { system: 's', code: 'x', display: '' }, 'remove').map(({ id }) => id)).toEqual([
    'ann',
  ]);
});

it.each(['Tag …', 'Delete …'])(
  'a dialog of %s that is closed by Escape after its run reads the records again',
  async (name) => {
    const table = await openList();
    fireEvent.click(within(table).getByRole('checkbox', { name: 'Select ann' }));
    fireEvent.click(within(table).getByRole('checkbox', { name: 'Select ben' }));
    fireEvent.click(within(bar()).getByRole('button', { name }));
    const dialog = await screen.findByRole('dialog');
    const close = () => fireEvent.keyDown(dialog, { key: 'Escape' });
    if (name === 'Tag …')
      fireEvent.change(within(dialog).getByRole('textbox', { name: /^Code/ }), { target: { value: 'y' } });
    const begin = within(dialog).getByRole('button', { name: /^(Change|Delete) 2 records$/ });
    await waitFor(() => expect(begin.hasAttribute('disabled')).toBe(false));
    close();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    within(bar()).getByText('2 selected');

    fireEvent.click(within(bar()).getByRole('button', { name }));
    const again = await screen.findByRole('dialog');
    if (name === 'Tag …')
      fireEvent.change(within(again).getByRole('textbox', { name: /^Code/ }), { target: { value: 'y' } });
    const start = await within(again).findByRole('button', { name: /^(Change|Delete) 2 records$/ });
    await waitFor(() => expect(start.hasAttribute('disabled')).toBe(false));
    fireEvent.click(start);
    await within(again).findByText(/^Done: 1 of 2 requests/);
    fireEvent.keyDown(again, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Selection' })).toBeNull());
  },
);

it('a search is saved for the person in this browser, and nobody else has it', async () => {
  await openList('?name=n');
  fireEvent.click(screen.getByRole('button', { name: 'Saved searches' }));
  fireEvent.click(await screen.findByRole('button', { name: 'Save this search …' }));
  fireEvent.change(await screen.findByRole('textbox', { name: /^Name/ }), { target: { value: 'Mine' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('textbox', { name: /^Name \*/ })).toBeNull());
  fireEvent.click(screen.getByRole('button', { name: 'Saved searches' }));
  expect((await screen.findByRole('link', { name: 'Mine' })).getAttribute('href')).toBe(
    `${ROOT}/Patient?name=n`,
  );
  expect(Object.keys(localStorage)).toContain('andiron/searches/acme/account of Dora Doe');
  expect(sent).toEqual([]);
});

it('shared searches are Basic resources of the tenant, and a refusal is said', async () => {
  shared = [
    {
      ...toBasic({ name: 'Ours', type: 'Patient', query: 'gender=female' }, 'Practitioner/doc'),
      id: 'b1',
      meta: { versionId: '2' },
    },
    { ...toBasic({ name: 'Other type', type: 'Observation', query: '' }, undefined), id: 'b2' },
    { resourceType: 'Basic', id: 'b3' },
  ];
  await openList();
  fireEvent.click(screen.getByRole('button', { name: 'Saved searches' }));
  const link = await screen.findByRole('link', { name: 'Ours' });
  expect(link.getAttribute('href')).toBe(`${ROOT}/Patient?gender=female`);
  expect(screen.queryByRole('link', { name: 'Other type' })).toBeNull();
  isRefused = true;
  fireEvent.click(screen.getByRole('button', { name: 'Remove Ours' }));
  await screen.findByText(/^You are signed in, but you may not/);
  expect(sent).toMatchObject([{ path: `${ROOT}/Basic/b1`, method: 'DELETE' }]);
});

it('what a shared search says is taken from nothing else, and no type of it is an address', () => {
  expect(
    fromBasic({ resourceType: 'Basic', id: 'x', extension: [{ url: 'http://other', valueString: 'y' }] }),
  ).toBeUndefined();
  const basic = (type: string) => ({ ...toBasic({ name: 'n', type, query: 'a=b' }, undefined), id: 'x' });
  expect(fromBasic(basic('Patient'))).toMatchObject({ type: 'Patient', query: 'a=b' });
  expect(fromBasic(basic('../../other'))).toBeUndefined();
});
