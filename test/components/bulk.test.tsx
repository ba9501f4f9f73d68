/** Exports and imports on the screen of the administration: begun, followed, saved and removed. */
import { fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { exportAddress } from '../../console/src/api/bulk';
import { App } from '../../console/src/app';
import { render } from './render';

const SCREEN = '/w/system/console/administration/acme/bulk';
const ROOT = '/w/acme/api/v1/fhir/r4';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly prefer: string | null;
  readonly body: unknown;
}

const sent: Sent[] = [];
/** The jobs of the tenant that the server has. */
let listed: object[] = [];
/** The answers to questions about the state of a job, of which the last stays. */
let states: (() => Response)[] = [];

const MANIFEST = {
  transactionTime: '2026-11-29T08:00:00Z',
  requiresAccessToken: false,
  output: [{ type: 'Patient', url: `http://localhost${ROOT}/_bulk/job-1/Patient-1`, count: 12345 }],
  deleted: [{ type: 'Bundle', url: `http://localhost${ROOT}/_bulk/job-1/deleted-1`, count: 2 }],
  error: [{ type: 'OperationOutcome', url: `http://localhost${ROOT}/_bulk/job-1/errors`, count: 1 }],
};
const running = (progress: string) => () =>
  Response.json({ resourceType: 'OperationOutcome' }, { status: 202, headers: { 'x-progress': progress } });
const done = () => Response.json(MANIFEST, { headers: { expires: 'Mon, 30 Nov 2026 08:00:00 GMT' } });

beforeEach(() => {
  sent.length = 0;
  states = [];
  listed = [];
  sessionStorage.clear();
  localStorage.clear();
  globalThis.fetch = (input, init) => {
    const path = input instanceof Request ? input.url : String(input);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    if (/\$export|\$import|_bulk/.test(path))
      sent.push({ method, path, prefer: new Headers(init?.headers).get('prefer'), body: init?.body });
    return Promise.resolve(answerTo(method, path));
  };
});

function answerTo(method: string, path: string): Response {
  if (/\$export|\$import/.test(path)) {
    const headers = { 'content-location': `http://localhost${ROOT}/_bulk/job-1` };
    return Response.json({ resourceType: 'OperationOutcome' }, { status: 202, headers });
  }
  if (path.includes('/_bulk/job-1/')) return new Response('{"resourceType":"Patient"}\n');
  if (path.endsWith('/_bulk/job-1'))
    return method === 'DELETE'
      ? Response.json({}, { status: 202 })
      : ((states.length > 1 ? states.shift() : states[0]) ?? done)();
  if (path.includes('/jobs')) {
    if (method !== 'DELETE') return Response.json({ jobs: listed });
    sent.push({ method, path, prefer: null, body: undefined });
    listed = [];
    return Response.json({ removed: 'x' });
  }
  if (path.endsWith('/clients'))
    return Response.json({ clients: [{ id: 'c-1', name: 'Registry', scopes: [] }] });
  if (path.endsWith('/users')) return Response.json({ users: [] });
  return Response.json({ name: 'acme', status: 'active', settings: {}, own: [], rest: [] });
}

const button = (name: string | RegExp) => screen.findByRole('button', { name });

it('an export of the records of a Group is begun, followed to its files, saved and removed', async () => {
  states = [running('3 of 10 types'), done];
  const saved: string[] = [];
  URL.createObjectURL = () => 'blob:x';
  URL.revokeObjectURL = () => undefined;
  HTMLAnchorElement.prototype.click = function click(this: HTMLAnchorElement) {
    saved.push(this.download);
  };
  render(<App />, SCREEN);
  fireEvent.click(await screen.findByRole('combobox', { name: 'What' }));
  fireEvent.click(await screen.findByText('The records of the members of a Group'));
  fireEvent.change(await screen.findByRole('textbox', { name: /^Id of the Group/ }), {
    target: { value: 'Group/ward' },
  });
  fireEvent.click(await button('Start the export'));
  const job = await screen.findByRole('article', { name: 'Export: Group/ward' });
  await within(job).findByText('3 of 10 types');
  expect(within(job).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('30');
  expect(sent[0]).toMatchObject({
    method: 'GET',
    path: `${ROOT}/Group/ward/$export`,
    prefer: 'respond-async',
  });
  await within(job).findByText('12,345');
  expect(
    within(job)
      .getAllByRole('row')
      .map(({ textContent }) => textContent),
  ).toEqual([
    'FileContentLinesSave',
    'PatientResources12,345Save',
    'BundleDeletions2Save',
    'OperationOutcomeErrors1Save',
  ]);
  fireEvent.click(within(job).getByRole('button', { name: 'Save Patient Resources' }));
  await waitFor(() => expect(saved).toEqual(['Patient-1.ndjson']));
  expect(sent.at(-1)?.path).toBe(`${ROOT}/_bulk/job-1/Patient-1`);
  fireEvent.click(within(job).getByRole('button', { name: /^Remove/ }));
  await waitFor(() => expect(screen.getAllByText('None yet.')).toHaveLength(2));
  expect(sent.at(-1)).toMatchObject({ method: 'DELETE', path: `${ROOT}/_bulk/job-1` });
});

it('addresses are imported by a manifest, and a line that is none is named', async () => {
  states = [running('waiting')];
  render(<App />, SCREEN);
  fireEvent.click(await screen.findByText('From addresses'));
  const field = await screen.findByRole('textbox', { name: 'Addresses' });
  fireEvent.change(field, { target: { value: 'https://files.example/Patient.ndjson' } });
  fireEvent.click(await button('Start the import'));
  await screen.findByText('Write a type and an https address on each line.');
  expect(sent).toEqual([]);
  fireEvent.change(field, { target: { value: 'Patient https://files.example/Patient.ndjson' } });
  fireEvent.click(await button('Start the import'));
  const job = await screen.findByRole('article', { name: 'Import: Patient.ndjson' });
  await within(job).findByText('waiting');
  expect(JSON.parse(String(sent[0]?.body))).toEqual({
    inputFormat: 'application/fhir+ndjson',
    inputSource: 'https://files.example',
    storageDetail: { type: 'https' },
    input: [{ type: 'Patient', url: 'https://files.example/Patient.ndjson' }],
  });
  // It can be cancelled while it is under way.
  await within(job).findByRole('button', { name: 'Cancel: Import: Patient.ndjson' });
});

it('a job that has failed says why, and one that the server has forgotten leaves the list alone', async () => {
  const issue = [{ severity: 'error', code: 'forbidden', diagnostics: 'The client is disabled' }];
  states = [() => Response.json({ resourceType: 'OperationOutcome', issue }, { status: 403 })];
  const kept = { id: 'job-1', kind: 'export', title: 'All resources', at: '2026-11-29T08:00:00Z', by: '' };
  localStorage.setItem('andiron/bulk/acme/r4', JSON.stringify([kept, { ...kept, by: 'somebody else' }]));
  render(<App />, SCREEN);
  await screen.findByText('The client is disabled');
  expect(screen.getAllByRole('article')).toHaveLength(1);
  states = [() => Response.json({ resourceType: 'OperationOutcome' }, { status: 404 })];
  fireEvent.click(await button('Try again'));
  await screen.findByText('The server has forgotten it.');
  sent.length = 0;
  fireEvent.click(await button(/^Remove from the list/));
  await waitFor(() => expect(screen.getAllByText('None yet.')).toHaveLength(2));
  expect(sent).toEqual([]);
});

it('exports and imports of other clients are listed with who began them, and ended after a question', async () => {
  const job = { cancelling: false, created: '2026-11-29T08:00:00Z' };
  listed = [
    {
      ...{
        ...job,
        id: 'a',
        kind: 'export',
        state: 'running',
        by: { client: 'c-1', person: 'Practitioner/ann' },
      },
      request: { release: 'r4', level: 'group', group: 'ward', types: ['Patient'] },
      progress: { types: 10, typesDone: 3, resources: 12345 },
    },
    {
      ...{ ...job, id: 'b', kind: 'import', state: 'done' },
      request: { release: 'r4b', files: 22, names: ['rooms.ndjson'] },
      result: { files: 22, received: 22, lines: 9, written: 8, refused: 1 },
    },
    {
      ...{ ...job, id: 'd', kind: 'import', state: 'running' },
      request: { release: 'r4', files: 1, names: ['https://files.example/rooms.csv'], codeSystem: 'csv' },
      progress: { files: 1, received: 1, lines: 9000, written: 2000, refused: 0 },
    },
    { ...job, id: 'c', kind: 'reindex', state: 'done', request: {} },
  ];
  render(<App />, SCREEN);
  const table = await screen.findByRole('table', { name: 'All exports and imports of this tenant' });
  await within(table).findByText('Registry');
  const cells = within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
  expect(cells.map(([what, by, , state, action]) => [what, by, state, action])).toEqual([
    [
      'Export: Group/ward · Patient · R4',
      'Practitioner/annRegistry',
      'Running3 of 10 types, 12,345 resources',
      'Stop',
    ],
    ['Import: rooms.ndjson, 21 more · R4B', 'The operator', 'Done8 written, 1 refused', 'Remove'],
    [
      'Import: https://files.example/rooms.csv · code system (csv) · R4',
      'The operator',
      'Running2,000 written, 0 refused',
      'Stop',
    ],
  ]);
  fireEvent.click(within(table).getByRole('button', { name: /^Stop: Export: Group\/ward/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Remove this export or import?' });
  expect(sent).toEqual([]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Stop' }));
  await waitFor(() =>
    expect(sent.map(({ method, path }) => [method, path.replace(/^.*\/jobs/, '/jobs')])).toEqual([
      ['DELETE', '/jobs/a'],
    ]),
  );
});

it('the address of an export has what was asked for', () => {
  const all = { level: 'system', group: '', types: [], since: '', filters: [] } as const;
  expect(exportAddress(all)).toBe('$export');
  expect(
    exportAddress({
      ...{ ...all, level: 'Patient', types: ['Patient', 'Observation'], since: '2026-11-29T08:00:00+01:00' },
      filters: ['Observation?code=http://loinc.org|1234-5', 'Patient?gender=male'],
    }),
  ).toBe(
    'Patient/$export?_type=Patient%2CObservation&_since=2026-11-29T08%3A00%3A00%2B01%3A00' +
      '&_typeFilter=Observation%3Fcode%3Dhttp%3A%2F%2Floinc.org%7C1234-5&_typeFilter=Patient%3Fgender%3Dmale',
  );
});
