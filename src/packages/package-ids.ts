import { createHash } from 'node:crypto';
import {
  FhirError,
  isValidId,
  parseJson,
  whileBusy,
  type Core,
  type JsonObject,
  type JsonValue,
  type RequestContext,
  type RepeatOptions,
} from '../core';
import { isObject } from './members';
import type { PackageResource } from './package-resource';
import { isMarked, isSameContent, isWrittenBy } from './stored-content';

/** The id and the current content of a resource of a package in the tenant. */
export interface PackageTarget {
  readonly id: string;
  /** The stored resource that the package may replace. */
  readonly stored: JsonValue | undefined;
}

export interface PackageTargetOptions {
  readonly core: Core;
  /** Each search and read has its own deadline. */
  context(): RequestContext;
  readonly extensionBase: string;
  readonly packageName: string;
  /** Pauses between attempts of searches and reads while the server is busy. */
  readonly repeats: RepeatOptions;
}

/** The author of versions that no administrator of the tenant has asked for. */
export const IMPORTER = 'import-package';

const STORED = { maxDepth: Number.MAX_SAFE_INTEGER };
/** Limit on the versions of one canonical url that are read. */
const MOST_VERSIONS = '1000';
const LONGEST_ID = 64;

/**
 * Finds the ids under which the resources of one package are stored. A canonical resource is identified by its url and
 * version. Any other is identified by its id, if an import wrote the stored resource or its content is the same. An id
 * that another resource has is never used.
 */
export class PackageIds {
  /** `Type/id` of the resources of this package. */
  private readonly taken = new Set<string>();

  constructor(private readonly options: PackageTargetOptions) {}

  /**
   * Finds the id of a resource.
   * Cost: one search for a resource with a url; one or two reads where that has no match.
   */
  async placeOf(each: PackageResource): Promise<PackageTarget> {
    const canonical = await this.findCanonical(each);
    if (canonical !== undefined) {
      this.take(each.type, canonical.id);
      return canonical;
    }
    const { packageName } = this.options;
    const { type, url, version, file } = each;
    const own = each.id !== undefined && isValidId(each.id) ? each.id : undefined;
    const preferred = own ?? idFrom(url ?? file.replace(/\.json$/, ''));
    const name = url === undefined ? `${packageName} ${each.id ?? file}` : `${url}|${version ?? ''}`;
    for (const id of [preferred, otherId(preferred, name)]) {
      if (!this.take(type, id)) continue;
      const present = await this.whileBusy((core, context) => core.interactions.find(context, type, id));
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

  /** True when the stored resource with the id is this resource or an earlier version of it. */
  private isOwn(stored: JsonValue, { url, version, resource }: PackageResource): boolean {
    const { extensionBase } = this.options;
    if (!isObject(stored)) return false;
    if (url !== undefined || stored['url'] !== undefined)
      return stored['url'] === url && stored['version'] === version;
    return (
      isWrittenBy(stored, IMPORTER, extensionBase) ||
      isMarked(stored, extensionBase) ||
      isSameContent(stored, resource, extensionBase)
    );
  }

  /**
   * Finds the resource with the url and version, of the tenant or of the specification. One with the id of the package
   * comes before others.
   */
  private async findCanonical({
    type,
    id,
    url,
    version,
  }: PackageResource): Promise<PackageTarget | undefined> {
    if (url === undefined) return undefined;
    const found = (await this.search(type, url)).filter((stored) => stored['version'] === version);
    const stored = found.find((one) => one['id'] === id) ?? found[0];
    const storedId = stored?.['id'];
    return typeof storedId === 'string' ? { id: storedId, stored } : undefined;
  }

  private async search(type: string, url: string): Promise<readonly JsonObject[]> {
    try {
      const parameters: [string, string][] = [
        ['url', url.replace(/[\\,$|]/g, '\\$&')],
        ['_count', MOST_VERSIONS],
      ];
      const { matches } = await this.whileBusy((core, context) =>
        core.interactions.search(context, { type, parameters }),
      );
      return matches.map(({ text }) => parseJson(text, STORED).value).filter(isObject);
    } catch (error) {
      // A type with an element `url` need not have a search parameter for it. Its resources are then identified by
      // their ids.
      if (error instanceof FhirError && error.status < 500) return [];
      throw error;
    }
  }

  private whileBusy<Result>(work: (core: Core, context: RequestContext) => Promise<Result>): Promise<Result> {
    const { core, context, repeats } = this.options;
    return whileBusy(() => work(core, context()), repeats);
  }
}

/** Makes an id of the last part of a url or path. */
function idFrom(name: string): string {
  const last = name.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const id = last.replace(/[^A-Za-z0-9.-]+/g, '-').slice(0, LONGEST_ID);
  return /^\.*$/.test(id) ? 'resource' : id;
}

/** Returns the same id for the same name, so that a later import finds the resource again. */
function otherId(id: string, name: string): string {
  const suffix = `-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
  return `${id.slice(0, LONGEST_ID - suffix.length)}${suffix}`;
}
