import { Arg, Ctx, ID, Query, Resolver, Root, Subscription, type SubscribeResolverData } from 'type-graphql';
import { type ChangeStream, type StreamedChange, fhirError } from '../core/index';
import { RawJson } from '../schema/raw-json';
import { resourceTypePlaceholder, safeIntScalar } from '../schema/scalars';
import { ResourceChange } from '../schema/types/change';
import type { GatewayContext } from './context';
import { parseQuery } from './query-parameters';
import { toResource } from './resource-source';

/** The source of one result of a live query. */
export class ChangeEvent {
  constructor(readonly change: StreamedChange) {}
}

interface ChangeArguments {
  readonly type?: string | null;
  readonly id?: string | null;
  readonly query?: string | null;
  readonly after?: number | null;
}

async function follow({
  args,
  context,
}: SubscribeResolverData<unknown, ChangeArguments, GatewayContext>): Promise<AsyncIterable<ChangeEvent>> {
  const { core, request, live } = context;
  if (live === undefined) throw wrongTransport();
  const after = live.after ?? args.after;
  const stream = await core.interactions.follow(request, {
    ...(typeof args.type === 'string' ? { type: args.type } : {}),
    ...(typeof args.id === 'string' ? { id: args.id } : {}),
    ...(typeof after === 'number' ? { after } : {}),
    parameters: parseQuery(args.query ?? ''),
  });
  live.opened(stream);
  return iterate(stream);
}

function wrongTransport(): Error {
  const reason =
    'Subscriptions are served at this address followed by /stream (server-sent events), or by WebSocket';
  return fhirError('notSupported', { reason });
}

function iterate(stream: ChangeStream): AsyncIterable<ChangeEvent> {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const change = await stream.next();
        return change === undefined
          ? { done: true, value: undefined }
          : { done: false, value: new ChangeEvent(change) };
      },
      async return() {
        stream.close();
        return { done: true, value: undefined };
      },
    }),
  };
}

@Resolver()
export class ChangeResolver {
  @Query(() => safeIntScalar, {
    nullable: true,
    description:
      'The number of the last change of this tenant and release. If it is read before a search and given to `resourceChanged` as `after`, no change in between is missed.',
  })
  versionSequence(@Ctx() { core, request }: GatewayContext): Promise<number> {
    return core.streams.lastSequence(request);
  }

  @Subscription(() => ResourceChange, {
    subscribe: follow,
    description:
      'Changes of resources in their order, each at least once. Served at this address followed by /stream (server-sent events), and by WebSocket.',
  })
  resourceChanged(
    @Root() event: unknown,
    @Ctx() context: GatewayContext,
    @Arg('type', () => resourceTypePlaceholder, {
      nullable: true,
      description: 'Default: all types.',
    })
    _type: string | null | undefined,
    @Arg('id', () => ID, {
      nullable: true,
      description: 'Only changes of this resource, which need not exist yet.',
    })
    _id: string | null | undefined,
    @Arg('query', () => String, {
      nullable: true,
      description:
        'Only changes of resources that match this query string of REST: `code=http://loinc.org|8867-4`.',
    })
    _query: string | null | undefined,
    @Arg('after', () => safeIntScalar, {
      nullable: true,
      description:
        'Only changes after the one with this `sequence`, including past ones. Default: changes from now on.',
    })
    _after: number | null | undefined,
  ): ResourceChange {
    if (!(event instanceof ChangeEvent)) throw wrongTransport();
    const { kind, version } = event.change;
    const isShown = kind === 'create' || kind === 'update';
    return {
      action: kind,
      type: version.type,
      id: version.id,
      versionId: String(version.versionId),
      sequence: version.sequence,
      ...(isShown ? { resource: toResource(version, context), json: new RawJson(version.text) } : {}),
    };
  }
}
