/** Names in the place of ids: of the records that references lead to, and of applications. */
import { screen } from '@testing-library/dom';
import { historyOf, readRecord } from '../../console/src/api/records';
import type { JsonObject } from '../../console/src/api/json';
import { ReferenceView } from '../../console/src/fhir/render/reference-view';
import { RenderSpace } from '../../console/src/fhir/render/render-space';
import { RecordHeader } from '../../console/src/screens/resource/record-header';
import { ResultsTable } from '../../console/src/screens/resources/results-table';
import { render } from './render';

const ACME = { tenant: 'acme', release: 'r4' } as const;
const WARD_APP = 'b7a0f5c2-1f43-4f0e-9a55-0a7c1d0c7f11';

/** What the page has asked the server: keys of records, and paths of everything else. */
const asked: (readonly string[])[] = [];
const paths: string[] = [];

const people: Readonly<Record<string, object>> = {
  'Patient/a': { resourceType: 'Patient', id: 'a', name: [{ text: 'Ann Archer' }] },
  'Practitioner/d': { resourceType: 'Practitioner', id: 'd', name: [{ text: 'Dora Doe' }] },
};

beforeEach(() => {
  asked.length = 0;
  paths.length = 0;
  sessionStorage.clear();
  globalThis.fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString();
    if (!path.includes('/graphql/')) {
      paths.push(path);
      return Promise.resolve(Response.json({ id: WARD_APP, name: 'Ward app' }));
    }
    const body = typeof init?.body === 'string' ? init.body : '{}';
    if (body.includes('query Read(') || body.includes('query History('))
      return Promise.resolve(answerOf(body));
    const { variables } = JSON.parse(body) as {
      variables: { keys: readonly string[] };
    };
    asked.push(variables.keys);
    const nodes = variables.keys.map((key) => {
      const json = people[key];
      return json === undefined ? null : { _key: key, json };
    });
    return Promise.resolve(Response.json({ data: { nodes } }));
  };
});

/** Of a server with one record, which two applications have written. */
function answerOf(body: string): Response {
  const url = 'https://andiron.example/fhir/StructureDefinition/author';
  const json = {
    ...{ resourceType: 'Patient', id: 'a' },
    meta: {
      versionId: '2',
      extension: [{ url, valueReference: { reference: 'ClientApplication/lab-app' } }],
    },
  };
  if (body.includes('query Read('))
    return Response.json({ data: { read: { json, meta: { authorName: 'Lab app' } } } });
  const version = { versionSequence: 1, lastUpdated: '2026-01-01T00:00:00.000+00:00', change: 'CREATE' };
  const made = { ...version, versionId: '1', author: 'ClientApplication/desk-app', authorName: 'Desk app' };
  const pageInfo = { hasNextPage: false, endCursor: null };
  return Response.json({ data: { history: { versions: [{ ...made, resource: null }], pageInfo } } });
}

function signIn(tenant: string, isAdministrator: boolean): void {
  const person = { name: 'Dora Doe', tenant, isAdministrator, isAuditor: false };
  const session = { id: tenant, accessToken: `token-of-${tenant}`, expires: Date.now() + 3_600_000, person };
  sessionStorage.setItem(`andiron/session/${tenant}/r4`, JSON.stringify(session));
}

const column = (name: string) => ({
  ...{ name, label: name, short: '', types: ['Reference'], isChoice: false, sortedBy: undefined },
});

const NOTHING_SELECTED = {
  ...{ records: new Map<string, JsonObject>(), has: () => false },
  ...{ toggle: () => undefined, clear: () => undefined },
};

it('a table has the names of all records that it refers to by one request', async () => {
  const records = Array.from({ length: 12 }, (_, index): JsonObject => ({
    resourceType: 'Encounter',
    id: `e${index}`,
    subject: { reference: 'Patient/a' },
    individual: { reference: index % 2 === 0 ? 'Practitioner/d' : `Practitioner/gone${index % 3}` },
    serviceProvider: { reference: 'Organization/o', display: 'The clinic' },
  }));
  render(
    <ResultsTable
      space={ACME}
      type="Encounter"
      query=""
      columns={['subject', 'individual', 'serviceProvider'].map(column)}
      records={records}
      selection={NOTHING_SELECTED}
    />,
  );
  expect(await screen.findAllByRole('link', { name: 'Ann Archer' })).toHaveLength(12);
  expect(await screen.findAllByRole('link', { name: 'Dora Doe' })).toHaveLength(6);
  expect(screen.getAllByRole('link', { name: 'The clinic' })).toHaveLength(12);
  // What the reference says itself is not asked for.
  expect(asked.map((keys) => keys.toSorted())).toEqual([
    ['Patient/a', 'Practitioner/d', 'Practitioner/gone0', 'Practitioner/gone1', 'Practitioner/gone2'],
  ]);
  await screen.findAllByText('its name cannot be read');
  const [unread] = screen.getAllByRole('link', { name: 'Practitioner/gone1' });
  expect(unread?.parentElement?.textContent).toBe('Practitioner/gone1its name cannot be read');
});

const author = { reference: `ClientApplication/${WARD_APP}` };
const showAuthor = (): void =>
  render(
    <RenderSpace value={ACME}>
      <ReferenceView value={author} />
    </RenderSpace>,
  );

it('an administrator of the tenant sees the name of an application, by the address of the tenant', async () => {
  signIn('acme', true);
  showAuthor();
  await screen.findByText('Ward app');
  expect(paths).toEqual([`/w/acme/api/v1/clients/${WARD_APP}`]);
});

it('the operator sees it by the own address', async () => {
  signIn('system', true);
  signIn('acme', false);
  showAuthor();
  await screen.findByText('Ward app');
  expect(paths).toEqual([`/w/system/api/v1/tenants/acme/clients/${WARD_APP}`]);
});

it('who may not read it sees that the id is that of an application, and nothing is asked', async () => {
  signIn('acme', false);
  showAuthor();
  await screen.findByText(`the application ${WARD_APP}`);
  expect(paths).toEqual([]);
});

it('who may not read it sees the names of those who wrote the records that were read, and nothing more is asked', async () => {
  signIn('acme', false);
  await readRecord(ACME, { type: 'Patient', id: 'a' });
  await historyOf(ACME, { type: 'Patient', id: 'a' }, { first: 2 });
  render(
    <RenderSpace value={ACME}>
      <ReferenceView value={{ reference: 'ClientApplication/lab-app' }} />
      <ReferenceView value={{ reference: 'ClientApplication/desk-app' }} />
    </RenderSpace>,
  );
  await screen.findByText('Lab app');
  await screen.findByText('Desk app');
  expect(paths).toEqual([]);
});

it('names of another tenant stay there', async () => {
  signIn('other', false);
  render(
    <RenderSpace value={{ tenant: 'other', release: 'r4' }}>
      <ReferenceView value={{ reference: 'ClientApplication/lab-app' }} />
    </RenderSpace>,
  );
  await screen.findByText('the application lab-app');
});

it('an event that names an application in words has its name, too', async () => {
  signIn('system', true);
  render(
    <RenderSpace value={ACME}>
      <ReferenceView value={{ identifier: { value: WARD_APP }, display: `ClientApplication/${WARD_APP}` }} />
    </RenderSpace>,
  );
  await screen.findByText('Ward app');
});

it('a definition of FHIR came with the server, and was written by nobody', async () => {
  const url = 'https://andiron.example/fhir/StructureDefinition';
  const record = {
    ...{ resourceType: 'ValueSet', id: 'gender' },
    meta: {
      versionId: '1',
      extension: [
        { url: `${url}/version-sequence`, valueInteger: 0 },
        { url: `${url}/author`, valueReference: { reference: 'ClientApplication/anonymous' } },
      ],
    },
  };
  render(<RecordHeader space={ACME} type="ValueSet" id="gender" record={record} actions={null} />);
  await screen.findByText(/came with the server/);
  expect(document.body.textContent).not.toContain('somebody who had not signed in');
});

it('nothing is asked about what the server wrote itself', async () => {
  signIn('acme', true);
  render(
    <RenderSpace value={ACME}>
      <ReferenceView value={{ reference: 'ClientApplication/quickstart' }} />
    </RenderSpace>,
  );
  await screen.findByText('the application quickstart');
  expect(paths).toEqual([]);
});
