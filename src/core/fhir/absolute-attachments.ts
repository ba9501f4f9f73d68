import { isJsonObject, parseJson, stringifyJson, type JsonObject, type JsonValue } from './json';

const RELATIVE = /^Binary\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/;

/**
 * Returns a resource whose relative urls of Binaries are absolute below `root`, for readers who have no base to resolve them by
 * (https://hl7.org/fhir/uv/bulkdata/export.html#attachments). Cost: a search; where a url of a Binary may be in it, parsing.
 */
export function withAbsoluteAttachments(text: string, root: string): string {
  if (!text.includes('"Binary/')) return text;
  const { value, marked } = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER });
  return stringifyJson(rewrite(value, root), marked);
}

function rewrite(value: JsonValue, root: string): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, root));
  if (!isJsonObject(value)) return value;
  const rewritten: JsonObject = {};
  for (const name in value) {
    const member = value[name];
    if (member === undefined) continue;
    const isBinary = name === 'url' && typeof member === 'string' && RELATIVE.test(member);
    rewritten[name] = isBinary ? `${root}/${member}` : rewrite(member, root);
  }
  return rewritten;
}
