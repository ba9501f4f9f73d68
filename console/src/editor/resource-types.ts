import { graphql } from '../__generated__/graphql';
import { runDocument } from '../api/graphql';
import type { Space } from '../place';

const RESOURCE_TYPES = graphql(/* GraphQL */ `
  query ResourceTypes {
    metadata {
      resourceTypes
    }
  }
`);

/** The names of the resource types of a release. */
export async function readResourceTypes(space: Space): Promise<readonly string[]> {
  const { metadata } = await runDocument(space, RESOURCE_TYPES, {});
  return metadata?.resourceTypes ?? [];
}
