/** Separates the client's content of a stored resource from the server's. */
import { createHash } from 'node:crypto';
import { stringifyJson, type JsonObject, type JsonValue } from '../core';
import { isObject, listOf } from './members';
import { AUTHOR_EXTENSION, clientReference, SERVER_EXTENSIONS } from '../../packages/fhir-values/server-meta';

/** True when both have the same content, except for the server's part of `meta` (version, time, its own extensions, a mark). */
export function isSameContent(stored: JsonValue, sent: JsonValue, extensionBase: string): boolean {
  return contentOf(stored, extensionBase) === contentOf(sent, extensionBase);
}

/** True when the author of the version is this client application. */
export function isWrittenBy(stored: JsonValue, actor: string, extensionBase: string): boolean {
  const meta = isObject(stored) ? stored['meta'] : undefined;
  const extensions = isObject(meta) ? listOf(meta['extension']) : [];
  return extensions.some((extension) => {
    if (!isObject(extension) || extension['url'] !== `${extensionBase}/${AUTHOR_EXTENSION}`) return false;
    const reference = extension['valueReference'];
    return isObject(reference) && reference['reference'] === clientReference(actor);
  });
}

/**
 * The `meta.source` by which imports know again what they have stored for somebody else than themselves: the package, and a
 * hash of the content, so that what a client has changed since is not theirs any more.
 */
const MARK = /^https:\/\/packages\.fhir\.org\/[^#]*#[0-9a-f]{32}$/;

/** Returns the resource with the mark of an import; the same where it names a source of its own. */
export function withMark(resource: JsonObject, packageName: string, extensionBase: string): JsonObject {
  const { meta } = resource;
  const given = isObject(meta) ? meta : {};
  if (given['source'] !== undefined) return resource;
  const source = `https://packages.fhir.org/${packageName}#${hashOf(resource, extensionBase)}`;
  return { ...resource, meta: { ...given, source } };
}

/** True when an import has marked the resource, and nobody has changed it since. */
export function isMarked(stored: JsonValue, extensionBase: string): boolean {
  const meta = isObject(stored) ? stored['meta'] : undefined;
  const source = isObject(meta) ? meta['source'] : undefined;
  return typeof source === 'string' && MARK.test(source) && source.endsWith(hashOf(stored, extensionBase));
}

function hashOf(resource: JsonValue, extensionBase: string): string {
  return createHash('sha256').update(contentOf(resource, extensionBase)).digest('hex').slice(0, 32);
}

/** Returns the text without the server's part; the members of the resource and of `meta` are in a fixed order. */
function contentOf(resource: JsonValue, extensionBase: string): string {
  if (!isObject(resource)) return stringifyJson(resource, true);
  const { meta, ...content } = resource;
  const ownMeta: JsonObject = {};
  for (const [name, value] of isObject(meta) ? Object.entries(meta) : []) {
    if (name === 'versionId' || name === 'lastUpdated') continue;
    if (name === 'source' && typeof value === 'string' && MARK.test(value)) continue;
    const rest =
      name === 'extension' && Array.isArray(value)
        ? value.filter((extension) => !isOfServer(extension, extensionBase))
        : value;
    if (!Array.isArray(rest) || rest.length > 0) ownMeta[name] = rest;
  }
  const inOrder = (object: JsonObject) => Object.fromEntries(Object.entries(object).sort(byName));
  return stringifyJson([inOrder(content), inOrder(ownMeta)], true);
}

function byName([one]: [string, JsonValue], [other]: [string, JsonValue]): number {
  return one < other ? -1 : 1;
}

function isOfServer(extension: JsonValue, extensionBase: string): boolean {
  const url = isObject(extension) ? extension['url'] : undefined;
  return SERVER_EXTENSIONS.some((name) => url === `${extensionBase}/${name}`);
}
