/** GraphQL documents that change nothing. */
import type { Release } from '../../../../src/core';
import type { Tenant } from '../tenant';
import type { Sent } from '../world';
import { anyAddress, anyCriteria, weighted } from './choose';
import { graphql } from './shapes';

export function graphqlRead(tenant: Tenant, release: Release): Sent {
  const { random } = tenant;
  const parts = (): { type: string; id: string } => {
    const [type = '', id = ''] = anyAddress(tenant, release).split('/');
    return { type, id };
  };
  const { type, id } = parts();
  return weighted<Sent>(random, [
    [2, () => graphql(release, `{ read(type: ${type}, id: "${id}") { id versionId json } }`)],
    [1, () => graphql(release, `{ diff(type: ${type}, id: "${id}", from: "1", to: "2") }`)],
    [
      1,
      () =>
        graphql(
          release,
          `{ history(type: ${type}, id: "${id}") { versions { resourceType versionId sequence } total } }`,
        ),
    ],
    [
      4,
      () => {
        const { type: place, query } = anyCriteria(tenant, release);
        const of = place === '' || place.includes('/') ? 'Patient' : place;
        return graphql(
          release,
          'query($query: String) { search(type: ' +
            of +
            ', query: $query, first: 5) { total resources { id json } pageInfo { hasNextPage endCursor } issues { code } } }',
          JSON.stringify({ query }),
        );
      },
    ],
    [
      3,
      () =>
        graphql(
          release,
          `{ PatientList(_count: ${random.below(6) + 1}, _sort: "${random.pick(['family', '-birthdate', '_id'])}") { id birthDate name { family } ObservationList(_reference: patient, _count: 3) { id status subject { reference resource { ... on Patient { id gender } } } } } }`,
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `
            {
              ObservationConnection(_count: 4, _sort: "-date") {
                count
                first
                next
                last
                edges {
                  mode
                  resource {
                    id
                    meta {
                      tag {
                        code
                      }
                    }
                  }
                }
              }
            }
          `,
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `
            {
              ObservationAggregate(where: { _id: { not: "none" } }) {
                count
                countBy(parameter: code) {
                  value
                  count
                }
                countByReference(parameter: subject) {
                  value
                  count
                }
                countByDate(parameter: date, bucket: year) {
                  value
                  count
                }
              }
              PatientAggregate {
                count
                countBy(parameter: gender) {
                  value
                  count
                }
              }
            }
          `,
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `{ Patient(id: "x${random.below(8)}") { id active name { family given } generalPractitioner { reference } } }`,
        ),
    ],
  ]);
}
