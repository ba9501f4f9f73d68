/**
 * The topics of subscriptions, independent of the form in which a release states them. The server has one for each
 * resource type, so that nobody must write one.
 * Source: https://hl7.org/fhir/R4B/subscriptiontopic.html
 */
export type Interaction = 'create' | 'update' | 'delete';

export const INTERACTIONS: readonly Interaction[] = ['create', 'update', 'delete'];

/** Searches on the version before and the version after a change. */
export interface TopicQuery {
  readonly previous: string | undefined;
  readonly current: string | undefined;
  /** Result of `previous` for a create, which has no version before. */
  readonly resultForCreate: 'passes' | 'fails';
  /** Result of `current` for a delete, which has no version after. */
  readonly resultForDelete: 'passes' | 'fails';
  /** False: one of the two is enough. */
  readonly requireBoth: boolean;
}

export interface TopicTrigger {
  /** A concrete resource type. */
  readonly type: string;
  readonly interactions: ReadonlySet<Interaction>;
  readonly query: TopicQuery | undefined;
  /** Only without a query: a topic that has both states the same condition twice. */
  readonly fhirPath: string | undefined;
}

export interface TopicFilter {
  /** Undefined: any type of the topic. */
  readonly type: string | undefined;
  readonly parameter: string;
  /** Search modifiers; undefined: any. The parameter without a modifier is always allowed. */
  readonly modifiers: readonly string[] | undefined;
}

/** The resources that a notification may have besides the one that changed. */
export interface TopicShape {
  /** A concrete resource type. */
  readonly type: string;
  /** As in the topic: `Encounter:patient`. */
  readonly includes: readonly string[];
  readonly revIncludes: readonly string[];
}

export interface Topic {
  readonly url: string;
  readonly version: string | undefined;
  readonly title: string;
  /** A change that matches one of them is an event. */
  readonly triggers: readonly TopicTrigger[];
  /** Empty for a built-in topic, which has all search parameters of the type. */
  readonly filters: readonly TopicFilter[];
  readonly shapes: readonly TopicShape[];
  readonly isBuiltIn: boolean;
}

export const TOPIC_BASE = 'https://andiron.example/fhir/SubscriptionTopic';

/** Returns the url of the topic of all changes of a resource type. */
export function topicUrlOf(type: string): string {
  return `${TOPIC_BASE}/${type}`;
}

/**
 * Returns the topic of all changes of a resource type; undefined for any other url. These topics have no versions, so
 * that a url with `|version` is none of them.
 */
export function builtInTopic(url: string, resourceTypes: readonly string[]): Topic | undefined {
  if (!url.startsWith(`${TOPIC_BASE}/`)) return undefined;
  const type = url.slice(TOPIC_BASE.length + 1);
  if (!resourceTypes.includes(type)) return undefined;
  return {
    url,
    version: undefined,
    title: `All changes of ${type} resources`,
    triggers: [{ type, interactions: new Set(INTERACTIONS), query: undefined, fhirPath: undefined }],
    filters: [],
    shapes: [{ type, includes: [], revIncludes: [] }],
    isBuiltIn: true,
  };
}

/**
 * True if the topic allows a filter. `type`: undefined if the filter names no type. `parameter`: with its modifier.
 * Chains and `_has` are never allowed. Whether the type has such a search parameter is for the caller to check.
 */
export function mayFilter(topic: Topic, type: string | undefined, parameter: string): boolean {
  if (leavesResource(parameter)) return false;
  if (topic.isBuiltIn) return type === undefined || topic.triggers.some((trigger) => trigger.type === type);
  const colon = parameter.indexOf(':');
  const name = colon === -1 ? parameter : parameter.slice(0, colon);
  const modifier = colon === -1 ? undefined : parameter.slice(colon + 1);
  return topic.filters.some(
    (filter) =>
      filter.parameter === name &&
      (type === undefined || filter.type === undefined || filter.type === type) &&
      (modifier === undefined || filter.modifiers?.includes(modifier) !== false),
  );
}

/** True for a chain and `_has`, which need other resources than the one that changed. */
export function leavesResource(parameter: string): boolean {
  return parameter.includes('.') || parameter === '_has' || parameter.startsWith('_has:');
}
