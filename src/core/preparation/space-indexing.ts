import { zoneOf } from '../search/values/space-zone';
import type { Space } from '../context';
import { loadDefinitions, type Definitions } from '../fhir/definitions';
import type { JsonObject } from '../fhir/json';
import { createReferenceResolver, type ReferenceResolver } from '../fhir/reference';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { createValidator, type Validator } from '../fhir/validate';
import { createExtractor, type Extractor } from '../search/rows/extract';
import type { Hasher } from '../search/rows/hash';
import type { IndexRows } from '../search/rows/index-rows';
import { keyOf } from '../search/rows/resource-key';
import { isIndexed, withTenantParameters } from '../search/parameters/tenant-parameter';
import type { SearchTypeContext } from '../search/types/search-type';
import { ProfileLoader } from '../validation/profile-loader';
import type { WorkerHost } from './messages';
import type { PreparationTools } from './prepare';
import { type BoundedCache, createCache } from '../memory/create-cache';

export interface SpaceIndexingOptions {
  readonly hasher: Hasher;
  /** Base addresses of the server for clients. */
  readonly ownAddresses: readonly string[];
  /** Limit on the index rows of a resource; beyond it, the resource is refused. */
  readonly maxIndexRows: number;
}

const MAX_SPACES = 1000;

/** An extractor for the search parameters of a space at one change number (`SpaceParameters.change`). */
interface CachedExtractor {
  readonly change: number;
  readonly extract: Extractor;
}

interface CachedDefinitions {
  readonly change: number;
  readonly definitions: Definitions;
}

/** Caches objects that depend only on definitions and settings, per release or per space. */
export class SpaceIndexing {
  private readonly types = new Map<Release, ReadonlySet<string>>();
  private readonly validators = new Map<Release, Validator>();
  private readonly resolvers = createCache<number, ReferenceResolver>({
    name: 'reference-resolvers',
    scope: 'data',
    max: MAX_SPACES,
  });
  private readonly extractors = createCache<number, CachedExtractor>({
    name: 'extractors',
    scope: 'data',
    max: MAX_SPACES,
  });
  private readonly scanning = createCache<number, CachedExtractor>({
    name: 'scanning-extractors',
    scope: 'data',
    max: MAX_SPACES,
  });
  private readonly searched = createCache<number, CachedDefinitions>({
    name: 'space-definitions',
    scope: 'data',
    max: MAX_SPACES,
  });

  constructor(private readonly options: SpaceIndexingOptions) {
    for (const release of RELEASE_NAMES) {
      const definitions = loadDefinitions(release);
      this.types.set(release, new Set(definitions.resourceTypes));
      this.validators.set(release, createValidator(definitions));
    }
  }

  /** Returns the names of the concrete resource types. */
  resourceTypes(release: Release): ReadonlySet<string> {
    return required(this.types.get(release));
  }

  validator(release: Release): Validator {
    return required(this.validators.get(release));
  }

  references(space: Space): ReferenceResolver {
    let resolver = this.resolvers.get(space.number);
    if (resolver === undefined) {
      resolver = createReferenceResolver({
        ownAddresses: this.options.ownAddresses,
        tenant: space.tenant,
        release: space.release,
        resourceTypes: this.resourceTypes(space.release),
      });
      this.resolvers.set(space.number, resolver);
    }
    return resolver;
  }

  /** Returns the definitions of the release with the active search parameters of the space. */
  definitionsOf(space: Space): Definitions {
    const { searchParameters } = space;
    const definitions = loadDefinitions(space.release);
    if (searchParameters === undefined) return definitions;
    const { change, list } = searchParameters;
    let cached = this.searched.get(space.number);
    if (cached?.change !== change) {
      const active = list.filter(({ state }) => state === 'active');
      cached = { change, definitions: withTenantParameters(definitions, active) };
      this.searched.set(space.number, cached);
    }
    return cached.definitions;
  }

  /** Returns the index rows of a resource of the space. Throws `tooCostly` over `maxIndexRows`. */
  extract(space: Space, type: string, resource: JsonObject): IndexRows {
    return this.cachedExtractor(this.extractors, space, false)(type, resource);
  }

  /** As `extract`, with rows that are not stored (`RowSettings.hasSystemKeys`). */
  extractForScan(space: Space, type: string, resource: JsonObject): IndexRows {
    return this.cachedExtractor(this.scanning, space, true)(type, resource);
  }

  private cachedExtractor(
    cache: BoundedCache<number, CachedExtractor>,
    space: Space,
    hasSystemKeys: boolean,
  ): Extractor {
    const change = space.searchParameters?.change ?? 0;
    let cached = cache.get(space.number);
    if (cached?.change !== change) {
      // A scan only reads stored resources.
      const maxRows = hasSystemKeys ? Infinity : this.options.maxIndexRows;
      cached = { change, extract: this.createExtractor(space, maxRows, hasSystemKeys) };
      cache.set(space.number, cached);
    }
    return cached.extract;
  }

  /** Creates an uncached extractor, for a resource that may have more rows than clients may write. */
  createExtractor(space: Space, maxRows: number, hasSystemKeys = false): Extractor {
    const resolver = this.references(space);
    const written = (space.searchParameters?.list ?? []).filter(isIndexed);
    return createExtractor({
      definitions: withTenantParameters(loadDefinitions(space.release), written),
      hasher: this.options.hasher,
      localReference: (reference) => resolver.local(reference),
      zone: zoneOf(space),
      maxRows,
      hasSystemKeys,
    });
  }

  /** Returns the context for parsing a search in a space. */
  searchContext(space: Space): SearchTypeContext {
    const { hasher } = this.options;
    return {
      definitions: this.definitionsOf(space),
      tenantParameters: space.searchParameters?.list,
      hasher,
      references: this.references(space),
      keyOf: (type, id) => keyOf(hasher, type, id),
      zone: zoneOf(space),
      now: Date.now(),
    };
  }

  /** Returns the services for a preparer; the worker host has the database. */
  preparationTools(extensionBase: string, host: WorkerHost): PreparationTools {
    const profiles = new ProfileLoader(host);
    return {
      ...host,
      extensionBase,
      releaseTypes: (space) => this.resourceTypes(space.release),
      validator: (space) => this.validator(space.release),
      references: (space) => this.references(space),
      extract: (space, type, resource) => this.extract(space, type, resource),
      searchContext: (space) => this.searchContext(space),
      profilesOf: (space, resource, wanted) => profiles.profilesOf(space, resource, wanted),
      faultsOfDifferential: (space, structure) => profiles.faultsOfDifferential(space, structure),
    };
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the release is not served');
  return value;
}
