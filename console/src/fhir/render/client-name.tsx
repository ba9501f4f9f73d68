/** The name of an application that has written or read something. It is an account of the server and no record. */
import { useRenderSpace } from './render-space';
import { useClientName } from './use-names';

export function ClientName({ client }: { readonly client: string }) {
  return <bdi title={client}>{useClientName(useRenderSpace(), client)}</bdi>;
}
