/** The subgraph of each release, composed with that of another team by the tool of Apollo. */
import { composeServices } from '@apollo/composition';
import { buildSchema, isObjectType, parse } from 'graphql';
import { RELEASE_NAMES, type Release } from '../../src/core';
import { gatewayPath } from '../graphql/gateway-client';
import { startServer, type TestServer } from '../support/server';

/** A service of another team that knows patients by their ids. */
const BOOKINGS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@external", "@requires"])
  type Query { bookings: [Booking] }
  type Booking @key(fields: "number") { number: ID! at: String patient: Patient }
  type Patient @key(fields: "id") { id: ID birthDate: date @external bookings: [Booking] @requires(fields: "birthDate") }
  scalar date
`;
/** A service that has one of the data types, too. */
const VISITS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query { visits: DateCount }
  type DateCount @shareable { value: date count: Int }
  scalar date
`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { GRAPHQL_FEDERATION: 'on' } });
});
afterAll(() => server.close());

const compose = (fhir: string, other: string): ReturnType<typeof composeServices> =>
  composeServices([
    { name: 'fhir', typeDefs: parse(fhir) },
    { name: 'other', typeDefs: parse(other) },
  ]);

async function subgraph(release: Release, query = '', of = server): Promise<string> {
  const { status, text } = await of.request(
    'GET',
    `${gatewayPath('system', release)}/subgraph.graphql${query}`,
  );
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
  return text;
}

describe.each(RELEASE_NAMES)('the subgraph of %s', (release) => {
  it('is composed as a whole with another one, which extends Patient', async () => {
    const { errors, supergraphSdl = '' } = compose(await subgraph(release), BOOKINGS);
    expect(errors).toBeUndefined();
    expect(supergraphSdl).toContain('bookings: [Booking] @join__field(graph: OTHER');
  });

  it('is composed with the types that a team has chosen', async () => {
    const chosen = await subgraph(release, '?types=Patient,Observation,Practitioner');
    const { errors, supergraphSdl = '' } = compose(chosen, BOOKINGS);
    expect(errors).toBeUndefined();
    const supergraph = buildSchema(supergraphSdl, { assumeValid: true });
    const patient = supergraph.getType('Patient');
    expect(isObjectType(patient) ? Object.keys(patient.getFields()) : []).toEqual(
      expect.arrayContaining(['_key', 'birthDate', 'bookings', 'ObservationList']),
    );
    expect(supergraph.getType('Encounter')).toBeUndefined();
  });
});

it('may share its data types with a subgraph that is a FHIR server too', async () => {
  const shared = await startServer({
    database: server.database,
    environment: { GRAPHQL_FEDERATION: 'shareable' },
  });
  try {
    const faultsOf = (fhir: string): string | undefined =>
      compose(fhir, VISITS)
        .errors?.map(({ message }) => message)
        .join();
    const text = await subgraph('r4', '?types=Patient', shared);
    expect(faultsOf(text)).toBeUndefined();
    expect(text).toContain(
      'type Patient implements Resource & Node @key(fields: "_key") @key(fields: "id") {',
    );
    expect(faultsOf(await subgraph('r4', '?types=Observation'))).toContain('DateCount');
  } finally {
    await shared.close();
  }
});
