import { Arg, Ctx, ID, Int, Query, Resolver } from 'type-graphql';
import { type ErrorKey, FhirError, type StoredVersion } from '../core/index';
import { instantScalar, resourceTypePlaceholder } from '../schema/scalars';
import { type HistoryEntry, HistoryResult } from '../schema/types/history';
import { PageInfo } from '../schema/types/paging';
import { Resource } from '../schema/types/resource';
import type { GatewayContext } from './context';
import { toInstant, toResource } from './resource-source';

const MISSES: readonly ErrorKey[] = ['notFound', 'gone', 'versionNotFound'];

const DEFAULT_PAGE = 20;

/** A miss is an answer: null without an error, as in HL7's binding. */
async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (thrown instanceof FhirError && MISSES.includes(thrown.key)) return undefined;
    throw thrown;
  }
}

function toEntry(version: StoredVersion, extensionBase: string): HistoryEntry {
  return {
    versionId: String(version.versionId),
    versionSequence: version.sequence,
    lastUpdated: toInstant(version.lastUpdated),
    change: version.change,
    resource: version.change === 'delete' ? undefined : toResource(version, extensionBase),
  };
}

@Resolver()
export class ReadResolver {
  @Query(() => Resource, {
    nullable: true,
    description:
      'The resource as it is now, or one version of it; null when there is none or it was deleted.',
  })
  async read(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('versionId', () => ID, { nullable: true }) versionId: string | null | undefined,
  ): Promise<Resource | undefined> {
    const version = await orNothing(
      typeof versionId === 'string'
        ? context.core.vread(context.request, type, id, versionId)
        : context.loaders.resources.load(`${type}/${id}`),
    );
    return version && toResource(version, context.extensionBase);
  }

  @Query(() => HistoryResult, { nullable: true, description: 'The versions of a resource, newest first.' })
  async history(
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder) type: string,
    @Arg('id', () => ID) id: string,
    @Arg('since', () => instantScalar, { nullable: true, description: 'Only versions from this moment on.' })
    since: string | null | undefined,
    @Arg('first', () => Int, { nullable: true, description: 'Versions to a page; 20 unless given.' })
    first: number | null | undefined,
    @Arg('after', () => String, { nullable: true, description: 'The `endCursor` of the page before.' })
    after: string | null | undefined,
  ): Promise<HistoryResult> {
    const page = await context.core.history(context.request, {
      type,
      id,
      count: first ?? DEFAULT_PAGE,
      since: typeof since === 'string' ? Date.parse(since) : undefined,
      cursor: after ?? undefined,
    });
    return {
      versions: page.versions.map((version) => toEntry(version, context.extensionBase)),
      pageInfo: new PageInfo(page.next),
      total: page.total,
    };
  }
}
