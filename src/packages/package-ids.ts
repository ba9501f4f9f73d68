import { createHash } from 'node:crypto';
import {
  FhirError,
  parseJson,
  type Core,
  type JsonObject,
  type JsonValue,
  type RequestContext,
} from '../core';
import { isObject } from './members';
import type { PackageResource } from './package-resource';
import { isSameContent, isWrittenBy } from './stored-content';

/** Where a resource of a package belongs in the tenant. */
export interface ResourcePlace {
  readonly id: string;
  /** What is there already, and is the package's to replace. */
  readonly stored: JsonValue | undefined;
}

export interface PlaceOptions {
  readonly core: Core;
  /** Each search and read has its own time. */
  context(): RequestContext;
  /** Of whom stored versions say that they are imported. */
  readonly actor: string;
  readonly extensionBase: string;
  /** Name of the package. */
  readonly packageName: string;
}

const STORED = { maxDepth: Number.MAX_SAFE_INTEGER };
/** Versions of one canonical url that are looked at. */
const MOST_VERSIONS = '1000';
const LONGEST_ID = 64;

/**
 * Finds the ids under which the resources of one package are stored. A canonical resource is known by its url and version;
 * any other by its id, where an import has written what is there. An id that something else has is never used.
 */
export class PackageIds {
  /** `Type/id` of this package's own. */
  private readonly taken = new Set<string>();

  constructor(private readonly options: PlaceOptions) {}

  /** Cost: a search for what has a url, else one or two reads. */
  async placeOf(each: PackageResource): Promise<ResourcePlace> {
    const known = await this.findCanonical(each);
    if (known !== undefined) {
      this.take(each.type, known.id);
      return known;
    }
    const { packageName } = this.options;
    const { type, url, version, file } = each;
    const wished = each.id ?? idFrom(url ?? file.replace(/\.json$/, ''));
    const name = url === undefined ? `${packageName} ${each.id ?? file}` : `${url}|${version ?? ''}`;
    for (const id of [wished, otherId(wished, name)]) {
      if (!this.take(type, id)) continue;
      const present = await this.options.core.find(this.options.context(), type, id);
      if (present === undefined) return { id, stored: undefined };
      const stored = parseJson(present.text, STORED).value;
      if (this.isOwn(stored, each)) return { id, stored };
    }
    throw new Error(`no id is left for ${file}`);
  }

  private take(type: string, id: string): boolean {
    const name = `${type}/${id}`;
    if (this.taken.has(name)) return false;
    this.taken.add(name);
    return true;
  }

  /** Whether what has the id is this resource, or an earlier state of it. */
  private isOwn(stored: JsonValue, { url, version, resource }: PackageResource): boolean {
    const { actor, extensionBase } = this.options;
    if (!isObject(stored)) return false;
    if (url !== undefined || stored['url'] !== undefined)
      return stored['url'] === url && stored['version'] === version;
    return isWrittenBy(stored, actor, extensionBase) || isSameContent(stored, resource, extensionBase);
  }

  /** What has the url and version, of the tenant or of the specification; its id in the package before another one. */
  private async findCanonical({
    type,
    id,
    url,
    version,
  }: PackageResource): Promise<ResourcePlace | undefined> {
    if (url === undefined) return undefined;
    const found = (await this.search(type, url)).filter((stored) => stored['version'] === version);
    const stored = found.find((one) => one['id'] === id) ?? found[0];
    const storedId = stored?.['id'];
    return typeof storedId === 'string' ? { id: storedId, stored } : undefined;
  }

  private async search(type: string, url: string): Promise<readonly JsonObject[]> {
    const { core, context } = this.options;
    try {
      const parameters: [string, string][] = [
        ['url', url.replace(/[\\,$|]/g, '\\$&')],
        ['_count', MOST_VERSIONS],
      ];
      const { matches } = await core.search(context(), { type, parameters });
      return matches.map(({ text }) => parseJson(text, STORED).value).filter(isObject);
    } catch (error) {
      // A type that has an element `url` need not be searched by it, and then its resources are known by their ids.
      if (error instanceof FhirError && error.status < 500) return [];
      throw error;
    }
  }
}

/** The last part of a url or a path, in the characters of an id. */
function idFrom(name: string): string {
  const last = name.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const id = last.replace(/[^A-Za-z0-9.-]+/g, '-').slice(0, LONGEST_ID);
  return /^\.*$/.test(id) ? 'resource' : id;
}

/** The same for the same name, so that a later import finds it again. */
function otherId(id: string, name: string): string {
  const suffix = `-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
  return `${id.slice(0, LONGEST_ID - suffix.length)}${suffix}`;
}
