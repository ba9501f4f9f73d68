import { Arg, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import { fhirError, type StoredVersion } from '../core/index';
import { RawJson } from '../schema/raw-json';
import { instantScalar, jsonScalar, resourceTypePlaceholder } from '../schema/scalars';
import { AUTHOR_NAME, HistoryEntry, HistoryResult } from '../schema/types/history';
import { PageInfo } from '../schema/types/paging';
import { Resource } from '../schema/types/resource';
import type { GatewayContext } from './context';
import { orNothing } from './misses';
import { type SourceTools, toInstant, toResource } from './resource-source';
import { clientReference } from '../../packages/fhir-values/server-meta';

const DEFAULT_PAGE = 20;

/** An entry with the version that it shows. */
interface StoredEntry extends HistoryEntry {
  readonly version: StoredVersion;
}

function toEntry(version: StoredVersion, tools: SourceTools): StoredEntry {
  return {
    version,
    resourceType: version.type,
    id: version.id,
    versionId: String(version.versionId),
    versionSequence: version.sequence,
    lastUpdated: toInstant(version.lastUpdated),
    change: version.change,
    author: clientReference(version.author),
    resource: version.change === 'delete' ? undefined : toResource(version, tools, true),
  };
}

@Resolver(() => HistoryEntry)
export class ReadResolver {
  @Query(() => Resource, {
    nullable: true,
    description:
      'The resource as it is now or was at a moment, or one version of it; null when it does not exist or was deleted.',
  })
  async read(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('versionId', () => ID, { nullable: true }) versionId: string | null | undefined,
    @Arg('asOf', () => instantScalar, {
      nullable: true,
      description: 'The version that was current at this moment, to the millisecond.',
    })
    asOf: string | null | undefined,
  ): Promise<Resource | undefined> {
    const { core, request, loaders } = context;
    if (typeof versionId === 'string' && typeof asOf === 'string')
      throw fhirError('invalidValue', { reason: "Give either 'versionId' or 'asOf', and not both" });
    const version = await orNothing(
      typeof versionId === 'string'
        ? core.interactions.vread(request, type, id, versionId)
        : typeof asOf === 'string'
          ? core.interactions.readAsOf(request, type, id, Date.parse(asOf))
          : loaders.resources.load(`${type}/${id}`),
    );
    const isPast = typeof versionId === 'string' || typeof asOf === 'string';
    return version && toResource(version, context, isPast);
  }

  @Query(() => jsonScalar, {
    nullable: true,
    description:
      'The JSON Patch that changes the version `from` to the version `to`, in the form that `patch` accepts; null when a ' +
      'version does not exist. The metadata of the server (number, time, author) are not compared.',
  })
  async diff(
    @Ctx() { core, request }: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('from', () => ID) from: string,
    @Arg('to', () => ID) to: string,
  ): Promise<RawJson | undefined> {
    const text = await orNothing(core.interactions.difference(request, { type, id, from, to }));
    return text === undefined ? undefined : new RawJson(text);
  }

  @Query(() => HistoryResult, {
    nullable: true,
    description:
      'The versions of a resource, of all resources of a type, or of all resources, newest first (http://hl7.org/fhir/http.html#history).',
  })
  async history(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder, {
      nullable: true,
      description: 'Default: all types.',
    })
    type: string | null | undefined,
    @Arg('id', () => ID, { nullable: true, description: 'Default: all resources of the type.' })
    id: string | null | undefined,
    @Arg('since', () => instantScalar, { nullable: true, description: 'Only versions from this moment on.' })
    since: string | null | undefined,
    @Arg('first', () => Int, { nullable: true, description: 'Versions per page; default 20.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the previous page.' })
    after: string | null | undefined,
  ): Promise<HistoryResult> {
    if (typeof id === 'string' && typeof type !== 'string')
      throw fhirError('requiredMissing', { reason: "An 'id' requires a 'type'" });
    const page = await context.core.interactions.history(context.request, {
      type: type ?? undefined,
      id: id ?? undefined,
      count: first ?? DEFAULT_PAGE,
      since: typeof since === 'string' ? Date.parse(since) : undefined,
      cursor: after ?? undefined,
    });
    return {
      versions: page.versions.map((version) => toEntry(version, context)),
      pageInfo: new PageInfo({ next: page.next, after }),
      total: page.total,
    };
  }

  @FieldResolver(() => String, { nullable: true, description: AUTHOR_NAME })
  authorName(
    @Ctx() { loaders }: GatewayContext,
    @Root() { version }: StoredEntry,
  ): Promise<string | undefined> {
    return loaders.authorNames.load(version);
  }
}
