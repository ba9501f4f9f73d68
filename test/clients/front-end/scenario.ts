/**
 * Requirements for every client's cache: the same thing once, different things apart. The documents are compiled for Relay
 * (relay.config.json); the other clients read their texts.
 */
import { openSharedServer, type HttpServer } from '../../support/shared-server';

/** The tag that Relay's compiler looks for. */
const graphql = String.raw;

export const DOCUMENTS = {
  drugs: graphql`
    query scenarioDrugsQuery {
      MedicationRequestList(_sort: "_id") {
        medicationReference {
          resource {
            ... on Medication {
              code {
                text
              }
            }
          }
        }
      }
    }
  `,
  history: graphql`
    query scenarioHistoryQuery {
      history(type: Patient, id: "one") {
        versions {
          resource {
            ... on Patient {
              birthDate
            }
          }
        }
      }
    }
  `,
  patient: graphql`
    query scenarioPatientQuery {
      Patient(id: "one") {
        birthDate
      }
    }
  `,
  past: graphql`
    query scenarioPastQuery {
      read(type: Patient, id: "one", versionId: "1") {
        ... on Patient {
          birthDate
        }
      }
    }
  `,
  list: graphql`
    query scenarioListQuery {
      PatientList(_sort: "_id") {
        birthDate
        name {
          id
          family
        }
      }
    }
  `,
  subject: graphql`
    query scenarioSubjectQuery {
      MedicationRequest(id: "a") {
        subject {
          resource {
            ... on Patient {
              birthDate
            }
          }
        }
      }
    }
  `,
  page: graphql`
    query scenarioPageQuery($after: String) {
      PatientConnection(_sort: "_id", first: 1, after: $after) {
        edges {
          cursor
          node {
            birthDate
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  update: graphql`
    mutation scenarioUpdateMutation($patient: ResourceInput!) {
      PatientUpdate(id: "one", res: $patient) {
        resource {
          birthDate
        }
      }
    }
  `,
} as const;

export type DocumentName = keyof typeof DOCUMENTS;

/** A client under test. */
export interface CachingClient {
  /** Sends the document and returns its data. */
  run(name: DocumentName, variables?: Record<string, unknown>): Promise<unknown>;
  /** Returns the data that the cache alone has for a query. */
  cached(name: DocumentName): unknown;
  /** Reads two pages, and returns what the cache shows of both together. */
  twoPages(): Promise<unknown>;
}

/** The first page of `page`. */
export interface FirstPage {
  readonly PatientConnection: {
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const patient = (id: string, birthDate: string) => ({
  resourceType: 'Patient',
  id,
  birthDate,
  // The same id in two resources: it is that of an element.
  name: [{ id: 'official', family: `Family of ${id}` }],
});
const request = (id: string, drug: string) => ({
  resourceType: 'MedicationRequest',
  id,
  ...{ status: 'active', intent: 'order', subject: { reference: 'Patient/one' } },
  contained: [{ resourceType: 'Medication', id: 'med1', code: { text: drug } }],
  medicationReference: { reference: '#med1' },
});

/** Defines the tests for a client. */
export function describeCaching(createClient: (address: string) => CachingClient): void {
  let server: HttpServer;
  let client: CachingClient;
  beforeAll(async () => {
    server = await openSharedServer();
    const put = (resource: { resourceType: string; id: string }) =>
      server.request(
        'PUT',
        `${server.path('system', 'r4')}/${resource.resourceType}/${resource.id}`,
        resource,
      );
    for (const resource of [
      patient('one', '1970-01-01'),
      patient('one', '1971-01-01'),
      patient('two', '1980-01-01'),
      request('a', 'aspirin'),
      request('b', 'ibuprofen'),
    ])
      expect((await put(resource)).status).toBeLessThan(300);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    client = createClient(`${server.base}/w/${server.tenant('system')}/api/v1/graphql/r4`);
  });

  const born = (birthDate: string) => expect.objectContaining({ birthDate });
  const some = (value: object): unknown => expect.objectContaining(value);

  it('shows the drug of each request, although both contain it under one id', async () => {
    const drug = (text: string): unknown =>
      some({ medicationReference: some({ resource: some({ code: some({ text }) }) }) });
    const drugs = some({ MedicationRequestList: [drug('aspirin'), drug('ibuprofen')] });
    expect(await client.run('drugs')).toEqual(drugs);
    expect(client.cached('drugs')).toEqual(drugs);
  });

  it('shows the content of each version in a history', async () => {
    const versions = some({
      history: some({
        versions: [some({ resource: born('1971-01-01') }), some({ resource: born('1970-01-01') })],
      }),
    });
    expect(await client.run('history')).toEqual(versions);
    expect(client.cached('history')).toEqual(versions);
  });

  it('shows the current resource after an earlier version was read', async () => {
    await client.run('patient');
    expect(await client.run('past')).toEqual(some({ read: born('1970-01-01') }));
    expect(client.cached('patient')).toEqual(some({ Patient: born('1971-01-01') }));
    expect(client.cached('past')).toEqual(some({ read: born('1970-01-01') }));
  });

  it('keeps elements with equal ids apart', async () => {
    await client.run('list');
    const named = (family: string): unknown => some({ name: [some({ family })] });
    expect(client.cached('list')).toEqual(
      some({ PatientList: [named('Family of one'), named('Family of two')] }),
    );
  });

  it('shows the pages of a connection as one list', async () => {
    const edge = (birthDate: string): unknown => some({ node: born(birthDate) });
    expect(await client.twoPages()).toEqual(
      some({ PatientConnection: some({ edges: [edge('1971-01-01'), edge('1980-01-01')] }) }),
    );
  });

  it('shows a change in every view of the resource, and not in its past', async () => {
    for (const name of ['patient', 'past', 'list', 'subject'] as const) await client.run(name);
    await client.run('update', { patient: patient('one', '1990-01-01') });
    expect(client.cached('patient')).toEqual(some({ Patient: born('1990-01-01') }));
    expect(client.cached('list')).toEqual(some({ PatientList: [born('1990-01-01'), born('1980-01-01')] }));
    expect(client.cached('subject')).toEqual(
      some({ MedicationRequest: some({ subject: some({ resource: born('1990-01-01') }) }) }),
    );
    expect(client.cached('past')).toEqual(some({ read: born('1970-01-01') }));
    await client.run('update', { patient: patient('one', '1971-01-01') });
  });
}
