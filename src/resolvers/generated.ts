/** What the generated fields ask of core. */
import {
  createFilterAllowance,
  fhirError,
  type FilterAllowance,
  filterElements,
  type JsonObject,
  type LocalReference,
  type SearchPage,
  type SearchRequest,
  type StoredVersion,
} from '../core/index';
import type { Handlers, ListRequest } from '../schema/fhir/index';
import { typedChange } from './changes/typed-change';
import type { GatewayContext } from './context';
import { findInner } from './parsed-resources';
import { orNothing } from './misses';
import { toInput } from './json-document';
import { toBundleText } from './page-bundle';
import { toInnerResource, toResource, toReturnedResource } from './resource-source';

/** As in REST. */
const DEFAULT_PAGE = 50;
/** What an error repeats of a reference. */
const SHOWN = 80;

/** What the expressions of a request may still take. */
const allowances = new WeakMap<GatewayContext, FilterAllowance>();

export const handlers: Handlers<GatewayContext> = {
  async read(type, id, asOf, context) {
    const { core, request, loaders } = context;
    const version = await orNothing(
      asOf === undefined
        ? loaders.resources.load(`${type}/${id}`)
        : core.readAsOf(request, type, id, Date.parse(asOf)),
    );
    return version && toResource(version, context);
  },

  async list(request, context) {
    const pageSize = request.count ?? DEFAULT_PAGE;
    const { referring } = request;
    if (referring !== undefined && !referring.to.isStored) return { resources: [], pageSize, total: 0 };
    const page = await context.loaders.searches.load({
      type: request.type,
      parameters: toParameters(request, pageSize),
      ...(request.asOf === undefined ? {} : { asOf: Date.parse(request.asOf) }),
      ...(request.where === undefined ? {} : { where: request.where }),
    });
    if (!request.isPage) requireWhole(request, page);
    return {
      resources: page.matches.map((version) => toResource(version, context)),
      pageSize,
      total: page.total,
      next: page.next,
    };
  },

  count: ({ type, parameters, where, by }, { core, request }) =>
    core.aggregate(request, {
      type,
      parameters,
      ...(where === undefined ? {} : { where }),
      ...(by === undefined ? {} : { by }),
    }),

  async resolve({ reference, type, optional }, context) {
    const inner = findInner(reference);
    if (inner !== undefined)
      return type === undefined || inner.resourceType === type ? toInnerResource(inner) : undefined;
    const { reference: text } = reference;
    const local = typeof text === 'string' ? context.core.localReference(context.request, text) : undefined;
    if (local !== undefined && type !== undefined && local.type !== type) return undefined;
    const version = local && (await orNothing(load(local, context)));
    if (version !== undefined) return toResource(version, context);
    if (optional) return undefined;
    throw fhirError('brokenReference', {
      reference: typeof text === 'string' ? `'${text.slice(0, SHOWN)}'` : 'what has no literal reference',
    });
  },

  async invoke({ parameters, cursor, affectsState, ...address }, context) {
    const input: JsonObject = {
      resourceType: 'Parameters',
      ...(parameters.length === 0 ? {} : { parameter: [...parameters] }),
    };
    const result = await context.core.invoke(context.request, {
      ...address,
      input: toInput(input, context.maxDepth),
      ...(cursor === undefined ? {} : { query: [['_cursor', cursor]] }),
      safe: !affectsState,
    });
    return toReturnedResource('text' in result ? result.text : toBundleText(result));
  },

  inner: toInnerResource,

  filter(elements, place, expression, context) {
    let allowance = allowances.get(context);
    if (allowance === undefined) allowances.set(context, (allowance = createFilterAllowance()));
    return filterElements(context.request.space.release, place, expression, elements, allowance);
  },

  change: typedChange,
};

function load(
  { type, id, versionId }: LocalReference,
  { loaders }: GatewayContext,
): Promise<StoredVersion | undefined> {
  if (versionId === undefined) return loaders.resources.load(`${type}/${id}`);
  return loaders.versions.load(`${type}/${id}/_history/${versionId}`);
}

/** The search that REST would be asked for. */
function toParameters(request: ListRequest, pageSize: number): SearchRequest['parameters'] {
  const { parameters, referring, offset, cursor, counted, listed } = request;
  const of =
    referring === undefined
      ? []
      : [[referring.parameter, `${referring.to.resourceType}/${referring.to.id ?? ''}`] as const];
  return [
    ...of,
    ...parameters,
    ['_count', String(listed ? pageSize : 0)],
    ...(offset === undefined ? [] : [['_offset', String(offset)] as const]),
    ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
    ...(counted ? [['_total', 'accurate'] as const] : []),
  ];
}

/** A list has no cursor: what it leaves out without being told to must not look as if it were not there. */
function requireWhole({ type, count }: ListRequest, { matches, next }: SearchPage): void {
  if (next === undefined || (count !== undefined && matches.length >= count)) return;
  throw fhirError('tooCostly', {
    reason: `More than ${matches.length} ${type} resources match: say how many with _count, or go through pages by ${type}Connection`,
  });
}
