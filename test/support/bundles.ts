/** Bundles as tests send them and get them. */

export function bundleOf(type: string, ...entry: readonly object[]): object {
  return { resourceType: 'Bundle', type, entry };
}

export function transaction(...entry: readonly object[]): object {
  return bundleOf('transaction', ...entry);
}

/** An entry; `headers` are the members of its request that correspond to headers, such as `ifMatch`. */
export function entryOf(method: string, url: string, headers: object = {}, more: object = {}): object {
  return { request: { method, url, ...headers }, ...more };
}

/** An entry that creates; `fullUrl`: the name that other entries use. */
export function post(
  resource: { resourceType: string; [member: string]: unknown },
  fullUrl?: string,
  headers: object = {},
): object {
  const more = { ...(fullUrl === undefined ? {} : { fullUrl }), resource };
  return entryOf('POST', resource.resourceType, headers, more);
}

export function put(resource: { resourceType: string; id: string }, headers: object = {}): object {
  return entryOf('PUT', `${resource.resourceType}/${resource.id}`, headers, { resource });
}

export function uuid(last: number): string {
  return `urn:uuid:00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;
}

/** A page of a search. */
export interface Searchset<Resource = { readonly resourceType: string; readonly id: string }> {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly resource: Resource;
    readonly search: { readonly mode: string };
  }[];
}
