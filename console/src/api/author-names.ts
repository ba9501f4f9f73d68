/** Names of the applications that wrote what the page has read: records and versions come with them. */
import { clientOfReference } from '../../../packages/fhir-values/server-meta';

const names = new Map<string, string>();

const keyOf = (tenant: string, client: string): string => `${tenant} ${client}`;

/** Keeps the name that came with a version. `author`: the reference to the client. */
export function keepAuthorName(
  tenant: string,
  author: string | null | undefined,
  name: string | null | undefined,
): void {
  const client = clientOfReference(author ?? '');
  if (client !== undefined && typeof name === 'string') names.set(keyOf(tenant, client), name);
}

/** Undefined: nothing that this client wrote has been read, or it was removed. */
export function authorNameOf(tenant: string, client: string): string | undefined {
  return names.get(keyOf(tenant, client));
}
