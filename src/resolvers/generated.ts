/** The calls of core that the generated fields make. */
import {
  fhirError,
  FilterAllowance,
  filterElements,
  ID,
  type JsonObject,
  type JsonValue,
  type SearchPage,
  type SearchRequest,
  type StoredVersion,
} from '../core/index';
import type { Handlers, ListPage, ListRequest } from '../schema/fhir/index';
import { contentOf } from './attachment-content';
import { conceptTextOf, displayOf } from './displays';
import { openConnection, sealConnection, type OpenedConnection } from './connection-cursor';
import { typedChange } from './changes/typed-change';
import type { GatewayContext } from './context';
import { findInner, innerAt } from './inner-resources';
import { loadLocal } from './loaders';
import { orNothing } from './misses';
import { toInput } from './json-document';
import { toResultText } from './page-bundle';
import { toInnerResource, toResource, toReturnedResource, versionOfMeta } from './resource-source';

/** The same as in REST. */
const DEFAULT_PAGE = 50;
/** The key of a stored resource or version. */
const ADDRESS = new RegExp(`^[A-Za-z]+/${ID}(?:/_history/[0-9]{1,19})?$`);
/** Number of characters of a reference that an error repeats. */
const SHOWN = 80;

/** Remaining budget for the expressions of a request. */
const allowances = new WeakMap<GatewayContext, FilterAllowance>();

export const handlers: Handlers<GatewayContext> = {
  async read(type, id, asOf, context) {
    const { core, request, loaders } = context;
    const version = await orNothing(
      asOf === undefined
        ? loaders.resources.load(`${type}/${id}`)
        : core.interactions.readAsOf(request, type, id, Date.parse(asOf)),
    );
    return version && toResource(version, context, asOf !== undefined);
  },

  async node(key, context) {
    const [address = '', ...paths] = key.split('#');
    const local = ADDRESS.test(address)
      ? context.core.interactions.localReference(context.request, address)
      : undefined;
    const version = local && (await orNothing(loadLocal(local, context.loaders)));
    if (local === undefined || version === undefined) return undefined;
    const isPast = local.versionId !== undefined;
    if (paths.length === 0) return toResource(version, context, isPast);
    const inner = innerAt(context.parsed.of(version, isPast), paths);
    return inner && toInnerResource(inner);
  },

  subgraph(context) {
    if (context.subgraph === undefined) throw new Error('the gateway gives no subgraph');
    return context.subgraph();
  },

  async list(request, context) {
    const search = toSearch(request);
    const opened = request.isPage ? openConnection(request, search) : search;
    const { parameters, fhirpath, cursor, count: pageSize = DEFAULT_PAGE } = opened;
    const { referring } = request;
    if (referring !== undefined && !referring.to.isStored) return { resources: [], pageSize, total: 0 };
    const page = await context.loaders.searches.load({
      type: request.type,
      parameters: [...parameters, ...pageOf(request, cursor, pageSize)],
      ...(request.asOf === undefined ? {} : { asOf: Date.parse(request.asOf) }),
      ...(request.where === undefined ? {} : { where: request.where }),
      ...(request.bothWays ? { bothWays: true } : {}),
      ...(request.eachCursor ? { eachCursor: true } : {}),
      ...(request.isBackward ? { isBackward: true } : {}),
    });
    if (!request.isPage) requireWhole(request, page);
    const seal = (inner: string | undefined): string => sealConnection(request, opened, inner);
    const sealed = (inner: string | undefined): string | undefined =>
      inner === undefined ? undefined : seal(inner);
    const resources = await selected(page.matches, fhirpath, request.type, context);
    return {
      ...(page.cursors === undefined ? {} : edgeCursors(page.matches, resources, page.cursors.map(seal))),
      resources: resources.map((version) => toResource(version, context, request.asOf !== undefined)),
      pageSize,
      total: page.total,
      ...(request.isPage
        ? {
            first: seal(undefined),
            next: sealed(page.next),
            previous: sealed(page.previous),
            last: sealed(page.last),
          }
        : {}),
    };
  },

  count: ({ type, parameters, where, by, numbers }, { core, request }) =>
    core.interactions.aggregate(request, {
      type,
      parameters,
      ...(where === undefined ? {} : { where }),
      ...(by === undefined ? {} : { by }),
      ...(numbers === undefined ? {} : { numbers }),
    }),

  async resolve({ reference, type, optional }, context) {
    const inner = findInner(reference);
    if (inner !== undefined)
      return type === undefined || inner.resourceType === type ? toInnerResource(inner) : undefined;
    const { reference: text } = reference;
    const local =
      typeof text === 'string' ? context.core.interactions.localReference(context.request, text) : undefined;
    if (local !== undefined && type !== undefined && local.type !== type) return undefined;
    const version = local && (await orNothing(loadLocal(local, context.loaders)));
    if (version !== undefined) return toResource(version, context, local?.versionId !== undefined);
    if (optional) return undefined;
    throw fhirError('brokenReference', {
      reference: typeof text === 'string' ? `'${text.slice(0, SHOWN)}'` : 'a resource that it does not name',
    });
  },

  content: contentOf,

  display: displayOf,

  conceptText: conceptTextOf,

  async authorName(meta, { loaders }) {
    const version = versionOfMeta(meta);
    return version && loaders.authorNames.load(version);
  },

  async invoke({ parameters, search, cursor, affectsState, ...address }, context) {
    const input: JsonObject = {
      resourceType: 'Parameters',
      ...(parameters.length === 0 ? {} : { parameter: [...parameters] }),
    };
    const result = await context.core.interactions.invoke(context.request, {
      ...address,
      input: await toInput(input, context.maxDepth),
      query: [...search, ...(cursor === undefined ? [] : [['_cursor', cursor] as const])],
      safe: !affectsState,
    });
    return toReturnedResource(toResultText(result));
  },

  inner: toInnerResource,

  filter(elements, place, expression, context) {
    const { release } = context.request.space;
    return filterElements(elements, { release, place, expression }, allowanceOf(context));
  },

  change: typedChange,
};

/** Returns the search that REST would execute, at its first page. */
function toSearch({ parameters, referring, fhirpath, count }: ListRequest): OpenedConnection {
  const to = referring && `${referring.to.resourceType}/${referring.to.id ?? ''}`;
  const of = referring === undefined || to === undefined ? [] : [[referring.parameter, to] as const];
  return { parameters: [...of, ...parameters], fhirpath, count, cursor: undefined };
}

function pageOf(
  { offset, counted, listed }: ListRequest,
  cursor: string | undefined,
  pageSize: number,
): SearchRequest['parameters'] {
  return [
    ['_count', String(listed ? pageSize : 0)],
    ...(offset === undefined ? [] : [['_offset', String(offset)] as const]),
    ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
    ...(counted ? [['_total', 'accurate'] as const] : []),
  ];
}

/** Returns the cursors of the resources of a page, which are all matches or some of them, and its bounds. */
function edgeCursors(
  matches: readonly StoredVersion[],
  resources: readonly StoredVersion[],
  cursors: readonly string[],
): Pick<ListPage, 'cursors' | 'bounds'> {
  const [start, end] = [cursors[0], cursors.at(-1)];
  const byVersion = new Map(matches.map((version, index) => [version, cursors[index] ?? '']));
  return {
    cursors: resources.map((version) => byVersion.get(version) ?? ''),
    bounds: start === undefined || end === undefined ? undefined : { start, end },
  };
}

/** Returns the versions for which the expression is true. */
async function selected(
  versions: readonly StoredVersion[],
  expression: string | undefined,
  type: string,
  context: GatewayContext,
): Promise<readonly StoredVersion[]> {
  if (expression === undefined) return versions;
  const byResource = new Map<JsonValue, StoredVersion>();
  for (const version of versions) byResource.set(context.parsed.of(version, false), version);
  const { release } = context.request.space;
  const resources = [...byResource.keys()];
  const found = await filterElements(resources, { release, place: type, expression }, allowanceOf(context));
  return found.flatMap((resource) => byResource.get(resource) ?? []);
}

function allowanceOf(context: GatewayContext): FilterAllowance {
  let allowance = allowances.get(context);
  if (allowance === undefined) allowances.set(context, (allowance = new FilterAllowance()));
  return allowance;
}

/**
 * Throws `tooCostly` when a list has more matches than it returns, unless the client set `_count`. A list has no
 * cursor, so that missing matches would look as if they did not exist.
 */
function requireWhole({ type, count }: ListRequest, { matches, next }: SearchPage): void {
  if (next === undefined || (count !== undefined && matches.length >= count)) return;
  throw fhirError('tooCostly', {
    reason: `More than ${matches.length} ${type} resources match: set _count, or read pages with ${type}Connection`,
  });
}
