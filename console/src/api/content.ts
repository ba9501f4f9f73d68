/** Contents of Binaries by addresses that the browser itself loads: in parts, and without a token. */
import { graphql } from '../__generated__/graphql';
import { fhirPath, PREFIX, type Space } from '../place';
import { runDocument } from './graphql';

const CONTENT = graphql(/* GraphQL */ `
  query BinaryContent($key: ID!) {
    node(_key: $key) {
      ... on Binary {
        content {
          address
        }
      }
    }
  }
`);

/** The address of the content of `Binary/id`, or of a version of it, for a minute. Undefined: there is none. */
export async function readContentAddress(space: Space, key: string): Promise<string | undefined> {
  const { node } = await runDocument(space, CONTENT, { key });
  const address = node && 'content' in node ? node.content?.address : undefined;
  return typeof address === 'string' ? `${PREFIX}${fhirPath(space, address)}` : undefined;
}
