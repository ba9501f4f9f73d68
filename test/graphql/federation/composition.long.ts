/** The whole subgraph of each release, composed with another one as a team would do it. */
import { composeServices } from '@apollo/composition';
import { parse } from 'graphql';
import { RELEASE_NAMES } from '../../../src/core';
import { startServer, type TestServer } from '../../support/server';
import { gatewayPath } from '../gateway-client';

const BOOKINGS = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { bookings: [Booking] }
  type Booking @key(fields: "number") { number: ID! patient: Patient }
  type Patient @key(fields: "id") { id: ID bookings: [Booking] }
`;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { GRAPHQL_FEDERATION: 'on' } });
});
afterAll(() => server.close());

it.each(RELEASE_NAMES)('all types of %s are composed, and Patient is extended', async (release) => {
  const { text } = await server.request('GET', `${gatewayPath('system', release)}/subgraph.graphql`);
  const { errors, supergraphSdl = '' } = composeServices([
    { name: 'fhir', typeDefs: parse(text) },
    { name: 'bookings', typeDefs: parse(BOOKINGS) },
  ]);
  expect(errors).toBeUndefined();
  expect(supergraphSdl).toContain('bookings: [Booking] @join__field(graph: BOOKINGS)');
});
