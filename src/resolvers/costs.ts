/** Sets the costs of the fields of type-graphql's classes; generated fields define their own costs. */
import { type GraphQLSchema, isObjectType } from 'graphql';
import { isSearchLength } from '../core/index';
import {
  COST_OF_OPERATION,
  COST_OF_READ,
  costOfSearch,
  type FieldCost,
  MOST_ITEMS,
  SEARCH_COST,
} from '../schema/cost';

const DEFAULT_PAGE = 20;

/** A write takes one or two statements, with the index rows of the resource. */
const COST_OF_WRITE: FieldCost = Object.freeze({ base: 10, items: () => 1 });

const paged = costOfSearch(['first'], DEFAULT_PAGE);

/** `_count` may also be in `query` or `parameters`. */
const COST_OF_SEARCH: FieldCost = {
  base: SEARCH_COST,
  more: paged.more,
  items: (given) => (typeof given.first === 'number' ? (paged.items?.(given) ?? 0) : countIn(given)),
};

function countIn({ query, parameters }: Readonly<Record<string, unknown>>): number {
  // The resolver refuses longer queries without reading them.
  const isRead = typeof query === 'string' && isSearchLength(query.length);
  const counts = isRead ? new URLSearchParams(query).getAll('_count') : [];
  if (Array.isArray(parameters)) {
    for (const parameter of parameters as readonly Readonly<Record<string, unknown>>[]) {
      if (parameter.name === '_count') counts.push(String(parameter.value));
    }
  }
  const sizes = counts.map(Number).filter(Number.isFinite);
  return sizes.length === 0 ? DEFAULT_PAGE : Math.min(MOST_ITEMS, Math.max(0, ...sizes));
}

/** Core answers no more at once. */
const MOST_EVENTS = 500;

/** Each event is read by a statement of its own. */
const COST_OF_EVENTS: FieldCost = { base: SEARCH_COST, more: eventsIn, items: eventsIn };

function eventsIn({ since, until }: Readonly<Record<string, unknown>>): number {
  if (typeof until !== 'number') return MOST_EVENTS;
  const first = typeof since === 'number' ? Math.max(1, since) : 1;
  return Math.min(MOST_EVENTS, Math.max(0, until - first + 1));
}

const QUERY_COSTS: Readonly<Record<string, FieldCost>> = {
  search: COST_OF_SEARCH,
  read: COST_OF_READ,
  diff: COST_OF_READ,
  history: paged,
  subscriptionDelivery: COST_OF_READ,
};

const MUTATION_COSTS: Readonly<Record<string, FieldCost>> = { invoke: COST_OF_OPERATION };

/** Sets the costs of the fields of `schema` that have none of their own. */
export function setCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const cost = QUERY_COSTS[field.name];
    if (cost && field.extensions.cost === undefined) field.extensions = { ...field.extensions, cost };
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const cost = MUTATION_COSTS[field.name] ?? COST_OF_WRITE;
    if (field.extensions.cost === undefined) field.extensions = { ...field.extensions, cost };
  }
  const entry = schema.getType('HistoryEntry');
  const name = isObjectType(entry) ? entry.getFields()['authorName'] : undefined;
  if (name) name.extensions = { ...name.extensions, cost: COST_OF_READ };
  const delivery = schema.getType('SubscriptionDelivery');
  const events = isObjectType(delivery) ? delivery.getFields()['events'] : undefined;
  if (events) events.extensions = { ...events.extensions, cost: COST_OF_EVENTS };
  return schema;
}
