/** Where a reference leads. */
import { parseRelative, type LocalReference } from '../../../packages/fhir-values/reference';
import { clientOfReference } from '../../../packages/fhir-values/server-meta';

/** A record of the same server, a resource inside of the record itself, another address, or words. */
export type ReferenceTarget =
  | ({ readonly kind: 'record' } & LocalReference)
  | { readonly kind: 'contained'; readonly id: string }
  | { readonly kind: 'external'; readonly url: string }
  | { readonly kind: 'words' };

/** Only these open in a browser without running anything. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text);
}

/** Where the text of a reference leads. `root`: the absolute FHIR address of the tenant and release. */
export function parseReference(text: string, root: string): ReferenceTarget {
  if (text.startsWith('#') && text.length > 1) return { kind: 'contained', id: text.slice(1) };
  const relative = text.startsWith(`${root}/`) ? text.slice(root.length + 1) : text;
  // An account of the server, which is no resource.
  if (clientOfReference(relative) !== undefined) return { kind: 'words' };
  const record = parseRelative(relative);
  if (record !== undefined) return { kind: 'record', ...record };
  return isWebAddress(text) ? { kind: 'external', url: text } : { kind: 'words' };
}
