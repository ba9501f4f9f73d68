/** GraphQL mutations. */
import { toJsonText, type JsonObject, type Resource } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import { marked, type Tenant } from '../tenant';
import type { Sent } from '../world';
import { anyAddress, weighted } from './choose';
import { graphql, withoutId } from './shapes';

export function graphqlWrite(tenant: Tenant, release: Release, resource: Resource): Sent {
  const { random, name } = tenant;
  const variables = (of: JsonObject): string => `{"r":${toJsonText(of)}}`;
  const [type = '', id = ''] = anyAddress(tenant, release).split('/');
  const what = '{ created versionId location resource { id json } issues { code } }';
  return weighted<Sent>(random, [
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) { create(resource: $r) ${what} }`,
          variables(withoutId(resource)),
        ),
    ],
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) { update(resource: $r) ${what} }`,
          variables(resource),
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `mutation { patch(type: ${type}, id: "${id}", patch: [{op: add, path: "/language", value: "nb"}]) { versionId } }`,
        ),
    ],
    [1, () => graphql(release, `mutation { delete(type: ${type}, id: "${id}") { deleted versionId } }`)],
    [1, () => graphql(release, `mutation { invoke(code: "meta", type: ${type}, id: "${id}") { json } }`)],
    [
      2,
      () =>
        graphql(
          release,
          `mutation($r: ResourceInput!) @atomic { one: update(resource: $r) ${what} two: delete(type: ${type}, id: "${id}") { deleted versionId } }`,
          variables(resource),
        ),
    ],
    [
      1,
      () =>
        graphql(
          release,
          `
            mutation ($r: ResourceInput!) {
              PatientCreate(res: $r) {
                location
                resource {
                  id
                  meta {
                    versionId
                    tag {
                      code
                    }
                  }
                }
              }
            }
          `,
          variables(marked({ resourceType: 'Patient', id: 'x', gender: 'other' }, name)),
        ),
    ],
  ]);
}
