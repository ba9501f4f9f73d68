import type { Definitions } from '../definitions';
import { isJsonObject, type JsonDocument, type JsonValue } from '../json';
import { rewriteLinks, type Links } from './links';

/**
 * Returns a patch with the addresses of other entries replaced. In a JSON Patch these are the members `reference` of
 * its values, and a value for a path that ends in `/reference`. Other texts stay, because only the patched resource has
 * their types.
 */
export function rewritePatch(patch: JsonDocument, links: Links, definitions: Definitions): JsonDocument {
  const { value, marked } = patch;
  if (Array.isArray(value))
    return { value: value.map((each) => rewriteOperation(each, links, definitions)), marked };
  return isJsonObject(value) ? { value: rewriteLinks(value, undefined, links, definitions), marked } : patch;
}

function rewriteOperation(operation: JsonValue, links: Links, definitions: Definitions): JsonValue {
  if (!isJsonObject(operation)) return operation;
  const { path, value } = operation;
  if (typeof value === 'string') {
    const isReference = typeof path === 'string' && path.endsWith('/reference');
    return isReference ? { ...operation, value: links.reference(value, undefined) } : operation;
  }
  return rewriteLinks(operation, undefined, links, definitions);
}
