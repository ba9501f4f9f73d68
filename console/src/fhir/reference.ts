/** Where a reference leads. */

/** A record of the same server, a resource inside of the record itself, another address, or words. */
export type ReferenceTarget =
  | { readonly kind: 'record'; readonly type: string; readonly id: string; readonly version?: string }
  | { readonly kind: 'contained'; readonly id: string }
  | { readonly kind: 'external'; readonly url: string }
  | { readonly kind: 'words' };

const RECORD = /^([A-Z][A-Za-z]+)\/([A-Za-z0-9\-.]{1,64})(?:\/_history\/([A-Za-z0-9\-.]{1,64}))?$/;

/** Only these open in a browser without running anything. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text);
}

/** Where the text of a reference leads. `root`: the absolute FHIR address of the tenant and release. */
export function parseReference(text: string, root: string): ReferenceTarget {
  if (text.startsWith('#') && text.length > 1) return { kind: 'contained', id: text.slice(1) };
  const relative = text.startsWith(`${root}/`) ? text.slice(root.length + 1) : text;
  const [, type, id, version] = RECORD.exec(relative) ?? [];
  // An account of the server, which is no resource.
  if (type === 'ClientApplication') return { kind: 'words' };
  if (type !== undefined && id !== undefined)
    return { kind: 'record', type, id, ...(version === undefined ? {} : { version }) };
  return isWebAddress(text) ? { kind: 'external', url: text } : { kind: 'words' };
}
